"""Step 5 of `memory_write`: everything in one transaction, or nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from typing_extensions import TypedDict

from twofold.memory.chunks import unseen
from twofold.memory.errors import ExtractionFailed
from twofold.memory.memories import Change, FactChange, Part, Save, Source, texts_of
from twofold.memory.ports import WritePorts
from twofold.memory.steps import Episode, EpisodeWords, Turn
from twofold.nodes.plain import APPLIED, EPISODE, FACT_CHANGES, RETRACTIONS, TURNS, WORDS, plain, scope_of
from twofold.nodes.write.state import WriteState


class Persisted(TypedDict):
    """What was stored."""

    saved: list[dict[str, Any]]


async def persist(state: WriteState, *, ports: WritePorts) -> Persisted:
    """Store all changes of the session with their audit, and note the turns as seen.

    Raises ExtractionFailed before anything is written when a branch failed, Conflict when the person's
    memory changed since it was searched, ModelFailed when the texts cannot be embedded.
    """
    refuse_failures(state)
    turns = TURNS.validate_python(state["turns"])
    save = Save(
        scope=scope_of(state["scope"]),
        session_id=state["session_id"],
        generation=state["generation"],
        changes=(*_fact_changes(state, turns), *_episode_changes(state)),
        seen_event_ids=tuple(turn.event_id for turn in unseen(turns)),
        models=_models(state),
        retracted=RETRACTIONS.validate_python(state.get("retracted", [])),
    )
    texts = texts_of(save)
    vectors = await ports.embedder.embed(texts) if texts else ()
    applied = await ports.memories.save(save, dict(zip(texts, vectors, strict=True)))
    return {"saved": plain(APPLIED, tuple(applied))}


def refuse_failures(state: WriteState) -> None:
    """Raise ExtractionFailed naming each branch that failed and why."""
    causes: defaultdict[str, list[str]] = defaultdict(list)
    for name, part in (("semantic", state.get("semantic", {})), ("episodic", state.get("episodic", {}))):
        if cause := part.get("failure"):
            causes[cause].append(name)
    failures = [f"{', '.join(names)}: {cause.rstrip('.')}" for cause, names in causes.items()]
    if failures:
        raise ExtractionFailed(
            f"Session {state['session_id']!r} could not be extracted ({'; '.join(failures)}); nothing was stored,"
            " what succeeded is kept. Run it again.",
            failures=failures,
        )


def _models(state: WriteState) -> dict[Part, str]:
    return {
        "semantic": state.get("semantic", {}).get("model", ""),
        "episodic": state.get("episodic", {}).get("model", ""),
    }


def _fact_changes(state: WriteState, turns: Sequence[Turn]) -> Iterator[Change]:
    times = {turn.event_id: turn.at for turn in turns}
    for change in FACT_CHANGES.validate_python(state.get("semantic", {}).get("changes", [])):
        yield _fact_change(change, state["session_id"], times)


def _fact_change(change: FactChange, session_id: str, times: dict[str, Any]) -> Change:
    return Change(
        action=change.action,
        kind="semantic",
        key=change.key,
        text=change.text,
        content={"content": change.text},
        source=Source(
            session_id=session_id,
            event_ids=change.event_ids,
            at=max(times[event_id] for event_id in change.event_ids),
            origin="user said",
        ),
    )


def _episode_changes(state: WriteState) -> Iterator[Change]:
    words = state.get("episodic", {}).get("words")
    if words is None:
        return
    episode = EPISODE.validate_python(state["episode"])
    if episode is not None:
        yield _episode_change(episode, WORDS.validate_python(words), plain(EPISODE, episode))


def _episode_change(episode: Episode, words: EpisodeWords, data: dict[str, Any]) -> Change:
    return Change(
        action="ADD",
        kind="episodic",
        key=None,
        text=told(words, episode.narrative),
        content={"title": words.title, "overall": words.overall, "lesson": words.lesson, **data},
        source=Source(
            session_id=episode.session_id,
            event_ids=episode.event_ids,
            at=episode.ended_at,
            origin="tool returned",
        ),
    )


def told(words: EpisodeWords, narrative: str) -> str:
    """Return the episode as one text, request and outcome first: an embedder reads only so far."""
    lesson = (f"Lesson: {words.lesson}",) if words.lesson else ()
    return "\n".join((f"{words.title.rstrip('.!?')}. {words.overall}", narrative, *lesson))
