"""What a JSON export of Mem0 holds, in each of the shapes its versions write.

`{"results": […]}` of `Memory.get_all()`, of its server and of a page of the platform, several such pages in a list,
the bare list of older versions, and `{"memories": […]}` of an export.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from twofold.memory.clean import clean_text
from twofold.memory.errors import InvalidInput
from twofold.memory.redacted_extraction import without_secrets
from twofold.memory.redaction import DEFAULT, Redactor
from twofold.memory.times import is_tellable
from twofold.memory.verbatim import VerbatimText

MOST_CHARACTERS = 4_000
_LISTS = ("results", "memories")
_TEXTS = ("memory", "content", "text")
_USER = ("user_id", "userId")
_SLACK = timedelta(days=1)
_TIMES = (("updated_at", "updatedAt"), ("created_at", "createdAt"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A memory, whose it is, and the how manieth of the file, from 1."""

    number: int
    user_id: str
    text: VerbatimText


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """An entry that is not imported, and why; not `wrong` if Mem0 itself shows it no more."""

    number: int
    reason: str
    wrong: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What a file holds. `is_part`: it names a next page, which it does not hold."""

    found: tuple[Found, ...]
    left_out: tuple[LeftOut, ...]
    is_part: bool


class _Unusable(Exception):
    """Why an entry is left out."""

    def __init__(self, reason: str, *, wrong: bool = True) -> None:
        super().__init__(reason)
        self.wrong = wrong


def read_export(document: Any, *, user: str | None, today: date, redactor: Redactor = DEFAULT) -> Export:
    """Return the memories of an export, unredacted, but for those of which `redactor` would leave no word.

    `user` is whose those are that name nobody.

    Raises InvalidInput for a document that holds no list of memories.
    """
    found: list[Found] = []
    left_out: list[LeftOut] = []
    for number, entry in enumerate(_entries(document), start=1):
        try:
            found.append(_found(number, entry, user, today, redactor))
        except _Unusable as error:
            left_out.append(LeftOut(number=number, reason=str(error), wrong=error.wrong))
    return Export(found=tuple(found), left_out=tuple(left_out), is_part=_is_part(document))


def _entries(document: Any) -> list[Any]:
    if isinstance(document, list):
        pages = ((item, _listed(item)) for item in document)
        return [entry for item, listed in pages for entry in ([item] if listed is None else listed)]
    listed = _listed(document)
    if listed is None:
        raise InvalidInput(
            'FILE: holds no memories of Mem0: there is no list of them, as in {"results": [{"memory": …}]}. A profile,'
            " as made by an export with a schema of its own, holds none; write what `get_all` returns to a file."
        )
    return listed


def _listed(item: Any) -> list[Any] | None:
    """Return the entries of a page, None if it is none."""
    if not isinstance(item, Mapping) or any(name in item for name in _TEXTS):
        return None
    return next((item[name] for name in _LISTS if isinstance(item.get(name), list)), None)


def _is_part(document: Any) -> bool:
    pages = document if isinstance(document, list) else [document]
    return bool(pages) and _listed(pages[-1]) is not None and bool(pages[-1].get("next"))


def _found(number: int, entry: Any, user: str | None, today: date, redactor: Redactor) -> Found:
    if not isinstance(entry, Mapping):
        raise _Unusable("is no memory but something else")
    text = next((clean_text(entry[name]).strip() for name in _TEXTS if isinstance(entry.get(name), str)), "")
    if not text:
        raise _Unusable("has no text")
    if len(text) > MOST_CHARACTERS:
        raise _Unusable(f"has a text of {len(text)} characters, over the limit of {MOST_CHARACTERS}")
    if not without_secrets(text, redactor):
        raise _Unusable("holds nothing but secrets, which are dropped")
    _refuse_gone(entry, today)
    user_id = _value(entry, _USER) or user
    if isinstance(user_id, int) and not isinstance(user_id, bool):
        user_id = str(user_id)
    if not isinstance(user_id, str):
        raise _Unusable("names no user; --user says whose such memories are")
    return Found(number=number, user_id=user_id, text=VerbatimText(text=text, at=_time(entry, today)))


def _refuse_gone(entry: Mapping[str, Any], today: date) -> None:
    if entry.get("replaced_by"):
        raise _Unusable("was replaced by a newer one", wrong=False)
    expires = _value(entry, ("expiration_date", "expirationDate"))
    if expires is None:
        return
    try:
        last_day = date.fromisoformat(str(expires)[:10])
    except ValueError:
        raise _Unusable(f"has an expiration date that is none: {str(expires)!r:.40}") from None
    if last_day < today:
        raise _Unusable(f"expired after {last_day}", wrong=False)


def _time(entry: Mapping[str, Any], today: date) -> datetime:
    """Return when a memory got its words; a time without a zone is in UTC."""
    stamp = next((value for names in _TIMES if (value := _value(entry, names)) is not None), None)
    if stamp is None:
        raise _Unusable("has no time: neither updated_at nor created_at")
    try:
        at = datetime.fromisoformat(stamp if isinstance(stamp, str) else "")
    except ValueError:
        raise _Unusable(f"has a time that is none: {str(stamp)!r:.40}") from None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    if not is_tellable(at):
        raise _Unusable(f"is of a time no calendar tells: {str(stamp)!r:.40}")
    at = at.astimezone(UTC)
    if at.date() > today + _SLACK:  # no erasure could ever be later
        raise _Unusable(f"is of a time to come: {str(stamp)!r:.40}")
    return at


def _value(entry: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((entry[name] for name in names if entry.get(name) not in (None, "")), None)


def by_user(found: tuple[Found, ...]) -> Iterator[tuple[str, list[VerbatimText]]]:
    """Yield each user's memories, the oldest first."""
    users: dict[str, list[VerbatimText]] = {}
    for memory in found:
        users.setdefault(memory.user_id, []).append(memory.text)
    for user_id, texts in users.items():
        yield user_id, sorted(texts, key=lambda text: text.at or datetime.min.replace(tzinfo=UTC))
