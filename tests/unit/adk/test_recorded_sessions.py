"""Recorded ADK sessions of other projects, null call ids, unordered times and old shapes included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from google.adk.sessions.session import Session
from pydantic import ValidationError

from twofold.adk.transcript import entries_of, transcript_of
from twofold.memory.pairing import steps_of
from twofold.memory.splitting import split

DATA = Path(__file__).parents[2] / "data" / "adk_sessions"
RECORDED = [
    ("adk-samples__customer-service_eval_sessions_123", 6),
    ("adk-samples__personalized-shopping_tests_example_interactions_image_search_denim_skirt", 11),
    ("adk-samples__personalized-shopping_tests_example_interactions_text_search_floral_dress", 12),
]


@pytest.mark.parametrize(("name", "call_count"), RECORDED)
def test_every_call_of_a_recorded_session_pairs_with_its_response(name: str, call_count: int) -> None:
    session = Session.model_validate_json((DATA / f"{name}.session.json").read_text())
    entries = transcript_of(session).entries
    steps = steps_of(entries, framework=frozenset())
    answers = {entry.event_id: entry for entry in entries if entry.kind == "returned"}
    assert len(steps) == call_count
    assert all(step.outcome == "SUCCESS" for step in steps)
    assert len({step.event_ids[1] for step in steps}) == call_count
    assert all(answers[step.event_ids[1]].tool == step.tool for step in steps)


@pytest.mark.parametrize(("name", "call_count"), RECORDED)
def test_a_recorded_session_makes_an_episode_that_tells_each_step(name: str, call_count: int) -> None:
    session = Session.model_validate_json((DATA / f"{name}.session.json").read_text())
    parts = split(transcript_of(session))
    assert parts.episode is not None
    assert parts.episode.outcome == "success"
    assert (
        parts.episode.narrative.count(" → SUCCESS") == call_count == sum(len(run.steps) for run in parts.episode.runs)
    )
    assert {turn.role for turn in parts.turns} == {"user", "agent"}


@pytest.mark.parametrize(
    "name",
    [
        "adk-python__context_update_test_successful_test",
        "adk-python__flow_complex_spark_sample",
    ],
)
def test_an_old_shape_is_refused_by_adk_by_name_and_gives_nothing_here(name: str) -> None:
    old = json.loads((DATA / f"{name}.session.json").read_text())
    with pytest.raises(ValidationError, match="appName"):
        Session.model_validate(old)
    assert transcript_of(old).entries == ()
    assert entries_of(old["events"]) == ()
