"""The words of an episode: the plain ones, made from its steps, and the check of any others against them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from twofold.memory.outcome import unsettled
from twofold.memory.steps import Episode, EpisodeWords, Outcome, Step, StepOutcome
from twofold.memory.wording import one_line

LONGEST_TITLE = 80
LONGEST_SENTENCE = 300

# `overall` begins with one of these, in every language: how it ended is never left to a model's sentence.
ENDED: Mapping[Outcome, str] = {
    "success": "Succeeded",
    "partial": "Partly succeeded",
    "failure": "Failed",
    "pending": "Waiting",
}
_COUNTED: Mapping[StepOutcome, str] = {"FAILURE": "failed", "PENDING": "waiting", "UNKNOWN": "unknown"}

_TOKEN = re.compile(r"\w(?:[\w./,:-]*\w)?")
_TOOL = re.compile(r"[A-Za-z_]\w*(?=\()")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_LEAST_CAPITALS = 3  # "ACME" is a company; "GL" and "AP" are plain language
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), start=2)
}

# English only: ENDED and the outcome that the model must state hold in every language.
_NO_FAILURE = re.compile(r"\b(?:no|not|never|without(?: any)?|zero)\s+(?:fail|error|refus|reject)\w*", re.IGNORECASE)
_FAILURE = re.compile(
    r"\b(?:fail\w*|errors?|unsuccessful\w*|refus\w*|reject\w*|denied|abort\w*|cancell?ed|block\w*|unable|cannot"
    r"|incomplete|not|never)\b|n[’']t\b",
    re.IGNORECASE,
)
_NO_SUCCESS = re.compile(
    r"(?:\b(?:not|never|cannot|unable to|fail\w* to|before|until|without)|n[’']t)(?:\s+(?:be|been|being|yet|fully))*"
    r"\s+\w+",
    re.IGNORECASE,
)
_PLAIN_SUCCESS = re.compile(r"\b(?:success(?!ive)\w*|succeed\w*)\b", re.IGNORECASE)
_DONE = re.compile(
    r"\b(?:clos|complet|finish|post|creat|approv|transferr|reconcil|generat|submitt|updat|depreciat|book|revers"
    r"|process|deliver|execut|settl)ed\b|\b(?:done|sent|paid)\b",
    re.IGNORECASE,
)
_SOME = re.compile(
    r"\b(?:part\w*|some|but|except|only|however|although|while|remain\w*|pending|wait\w*)\b", re.IGNORECASE
)
_WAIT = re.compile(
    r"\b(?:pending|await\w*|wait\w*|needs?|requires?|approval|confirm\w*|outstanding|yet)\b", re.IGNORECASE
)


def plain_words(episode: Episode) -> EpisodeWords:
    """Return words made from the steps alone: the request, the outcome with its counts, the last failure."""
    request = next((run.request for run in episode.runs if run.request.strip()), "") or episode.workflow
    steps = [step for run in episode.runs for step in run.steps]
    return EpisodeWords(
        title=one_line(request or "Agent run", LONGEST_TITLE),
        overall=f"{ENDED[episode.outcome]}: {_counts(steps)}.",
        lesson=one_line(_lesson(episode), LONGEST_SENTENCE),
    )


def check_words(words: EpisodeWords, episode: Episode) -> list[str]:
    """Return what the steps of `episode` do not support in `words`; an empty list means they may be kept.

    Every number, identifier and tool must stand in the narrative, the telling must fit the outcome, and each
    text must be one line within its length (title 80 characters, the others 300).
    """
    return list(_form(words)) or [*_unknown_names(words, episode), *_wrong_outcome(words, episode)]


def _form(words: EpisodeWords) -> Iterator[str]:
    limits = (
        ("title", words.title, LONGEST_TITLE),
        ("overall", words.overall, LONGEST_SENTENCE),
        ("lesson", words.lesson, LONGEST_SENTENCE),
    )
    for name, text, longest in limits:
        if len(text) > longest:
            yield f"{name} has {len(text)} characters, more than {longest}"
        if len(text.splitlines()) > 1:
            yield f"{name} has more than one line"
        if not text.strip() and name != "lesson":
            yield f"{name} is empty"


def _unknown_names(words: EpisodeWords, episode: Episode) -> Iterator[str]:
    for text in (words.title, words.overall, words.lesson):
        for name in _names(text):
            if not _stands_in(name, episode.narrative):
                yield f"{name!r} does not stand in the narrative"
        for word in re.findall(r"[a-z]+", text.casefold()):
            number = _NUMBER_WORDS.get(word)
            if number and not (_stands_in(word, episode.narrative) or _stands_in(number, episode.narrative)):
                yield f"{word!r} does not stand in the narrative"


def _names(text: str) -> list[str]:
    """Return the numbers, identifiers and tools in `text`: 1010, 11-25, US_PRIMARY, closePeriod, ACME, close(."""
    return [*filter(_is_name, _TOKEN.findall(text)), *_TOOL.findall(text)]


def _is_name(token: str) -> bool:
    capitals = token.isupper() and len(token) >= _LEAST_CAPITALS
    mixed = "_" in token or _INNER_CAPITAL.search(token) is not None
    return capitals or mixed or any(character.isdigit() for character in token)


def _stands_in(name: str, narrative: str) -> bool:
    """Return whether `name` stands in `narrative` as a whole: 10 is not in 1010 nor in 10.50, 2026 is in 2026-03."""
    before = r"(?<![^\W_])(?<!\d[.,])" if name[0].isdigit() else r"(?<![^\W_])"
    after = r"(?![^\W_])(?![.,]\d)" if name[-1].isdigit() else r"(?![^\W_])"
    return re.search(before + re.escape(name) + after, narrative, re.IGNORECASE) is not None


def _wrong_outcome(words: EpisodeWords, episode: Episode) -> Iterator[str]:
    any_failed = any(step.outcome == "FAILURE" for run in episode.runs for step in run.steps)
    for text in (words.title, words.overall.removeprefix(f"{ENDED[episode.outcome]}: ")):
        if _contradicts(episode.outcome, text, any_failed=any_failed):
            yield f"{text!r} does not tell of a {episode.outcome}"


def _contradicts(outcome: Outcome, text: str, *, any_failed: bool) -> bool:
    failed = _FAILURE.search(_NO_FAILURE.sub(" ", text)) is not None
    affirmed = _NO_SUCCESS.sub(" ", text)
    succeeded = _PLAIN_SUCCESS.search(affirmed) is not None
    done = succeeded or _DONE.search(affirmed) is not None
    if outcome == "success":
        # A failure that was overcome may be told, together with the success.
        return failed and not (any_failed and done)
    if outcome == "failure":
        # "Failed: the period is closed" is a reason, not a claim.
        return succeeded or (done and not failed)
    if outcome == "partial":
        return done and not (failed or _SOME.search(text))
    return (done and not _WAIT.search(text)) or (failed and not any_failed and not _WAIT.search(text))


def _counts(steps: Sequence[Step]) -> str:
    if not steps:
        return "no step was taken"
    succeeded = sum(step.outcome == "SUCCESS" for step in steps)
    parts = [f"{succeeded} of {len(steps)} {'step' if len(steps) == 1 else 'steps'} succeeded"]
    for outcome, told in _COUNTED.items():
        count = sum(step.outcome == outcome for step in steps)
        if count:
            parts.append(f"{count} {told}")
    return ", ".join(parts)


def _lesson(episode: Episode) -> str:
    """Return the last failure that stayed one, else the last one that was overcome, else nothing."""
    failures = [
        (step, step in unsettled(run.steps)) for run in episode.runs for step in run.steps if step.outcome == "FAILURE"
    ]
    for step, stayed in reversed(failures):
        if stayed:
            return _told(step)
    ending = next((run.failure for run in reversed(episode.runs) if run.failure and run.outcome == "failure"), "")
    if ending:
        return f"The run failed: {ending}"
    return f"{_told(failures[-1][0])}; it succeeded later" if failures else ""


def _told(step: Step) -> str:
    return f"{step.tool} failed: {step.reason}" if step.reason else f"{step.tool} failed"
