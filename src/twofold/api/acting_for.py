"""Whom a service acts for: two headers, percent-encoded UTF-8."""

from __future__ import annotations

from urllib.parse import unquote

from starlette.datastructures import Headers

from twofold.memory.errors import NotAllowed
from twofold.memory.scope import Scope
from twofold.wire import LONGEST_ID, TENANT_HEADER, USER_HEADER


def names_somebody(headers: Headers) -> bool:
    """Whether a request names a person to act for, rightly or not."""
    return TENANT_HEADER in headers or USER_HEADER in headers


def person_named(headers: Headers) -> Scope | None:
    """Return the person that a request names, None if it names nobody. Raises NotAllowed if it does so in part."""
    if not names_somebody(headers):
        return None
    return Scope(tenant_id=_value(headers, TENANT_HEADER), user_id=_value(headers, USER_HEADER))


def _value(headers: Headers, name: str) -> str:
    given = headers.getlist(name)
    if len(given) != 1:
        raise NotAllowed(f"{TENANT_HEADER} and {USER_HEADER} go together, each once")
    try:
        value = unquote(given[0], encoding="utf-8", errors="surrogatepass")
    except UnicodeDecodeError:
        raise NotAllowed(f"{name}: is not percent-encoded UTF-8") from None
    if not value or len(value) > LONGEST_ID:
        raise NotAllowed(f"{name}: is not a text of 1 to {LONGEST_ID} characters")
    return value
