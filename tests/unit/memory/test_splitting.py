"""A transcript taken apart."""

from __future__ import annotations

from tests.unit.memory.entries import agent, called, returned, rewound, session, user
from twofold.memory.splitting import split
from twofold.memory.transcript import Entry, Transcript


def transcript(*entries: Entry) -> Transcript:
    return Transcript(session_id="s1", entries=session(*entries))


def test_a_session_is_split_into_what_was_said_and_what_was_done() -> None:
    parts = split(transcript(user("Post it"), called("post", args={"doc": "4711"}), returned("post"), agent("Posted")))
    assert [(turn.role, turn.text) for turn in parts.turns] == [("user", "Post it"), ("agent", "Posted")]
    episode = parts.episode
    assert episode is not None
    assert (episode.session_id, episode.outcome, episode.workflow) == ("s1", "success", "post")
    assert episode.narrative.splitlines()[:2] == ["Request: Post it", 'post(doc="4711") → SUCCESS']
    assert episode.event_ids == ("e0", "e1", "e2", "e3")
    assert (episode.ended_at - episode.started_at).total_seconds() == 3


def test_a_session_without_a_tool_has_no_episode() -> None:
    parts = split(transcript(user("Hello"), agent("Hello"), called("load_memory"), returned("load_memory")))
    assert parts.episode is None
    assert len(parts.turns) == 2


def test_a_session_with_tools_alone_has_an_episode() -> None:
    parts = split(transcript(called("post"), returned("post")))
    assert parts.turns == ()
    assert parts.episode is not None


def test_what_was_rewound_is_in_neither() -> None:
    kept = [user("Hello", "i1"), agent("Hello", "i1")]
    undone = [user("Post it", "i2"), called("post", invocation="i2"), returned("post", invocation="i2"), rewound("i2")]
    parts = split(transcript(*kept, *undone))
    assert [turn.text for turn in parts.turns] == ["Hello", "Hello"]
    assert parts.episode is None


def test_thoughts_and_partial_chunks_are_in_neither() -> None:
    parts = split(transcript(user("Hello"), agent("hmm", thought=True), agent("He", partial=True)))
    assert [turn.text for turn in parts.turns] == ["Hello"]


def test_the_framework_calls_can_be_named() -> None:
    session_of_one = transcript(user("x"), called("post"), returned("post"))
    assert split(session_of_one, framework=frozenset({"post"})).episode is None


def test_an_episode_is_the_same_each_time() -> None:
    session_of_one = transcript(user("x"), called("post", args={"b": 1, "a": 2}), returned("post"))
    reordered = transcript(user("x"), called("post", args={"a": 2, "b": 1}), returned("post"))
    first, second = split(session_of_one).episode, split(reordered).episode
    assert first is not None
    assert second is not None
    assert first.narrative == second.narrative
