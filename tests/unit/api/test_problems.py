"""Errors as problems."""

import pytest

from twofold.api.paths import is_ours
from twofold.api.problems import STATUS, problem_of, status_of
from twofold.api.refused import refused_field
from twofold.memory import errors
from twofold.memory.errors import InvalidInput, IssuerUnavailable, StoreUnsuitable, TwofoldError

OURS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, TwofoldError)]
TOLD = {400, 401, 403, 404, 409, 422}


@pytest.mark.parametrize("kind", OURS)
def test_every_error_of_ours_has_a_status_and_only_what_is_the_callers_is_told(kind: type[TwofoldError]) -> None:
    problem = problem_of(kind("field: at 10.1.2.3"))
    assert problem.status in set(STATUS.values())
    assert ("10.1.2.3" in problem.detail) == (problem.status in TOLD or kind is IssuerUnavailable)
    assert problem.type.removeprefix("urn:twofold:problem:") in {known.__name__ for known in STATUS}


def test_an_error_that_is_not_in_the_table_has_the_status_of_its_kind() -> None:
    assert status_of(StoreUnsuitable("x"))[1] == 503


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ("text: is blank", "text"),
        ("memories[3].text: is blank", "memories[3].text"),
        ("entries: the time of event 'e1' has no zone", "entries"),
        ("The session cannot be kept: too deep", None),
    ],
)
def test_an_unusable_field_is_named(said: str, field: str | None) -> None:
    problem = problem_of(InvalidInput(said))
    assert (problem.field, problem.detail) == (field, said)


def test_a_detail_is_text_that_json_can_hold() -> None:
    assert problem_of(InvalidInput("key: half \ud800\x00")).detail == "key: half "


def test_a_field_named_by_the_caller_is_cleaned_and_cut() -> None:
    problem = refused_field([{"type": "extra_forbidden", "loc": ("body", "\ud800\x00" + "x" * 5000)}])
    assert problem.field == "x" * 200


def test_a_kind_of_refusal_that_is_not_known_still_names_the_field() -> None:
    problem = refused_field([{"type": "url_scheme", "loc": ("body", "at", 2), "ctx": {"expected": "x"}}])
    assert (problem.status, problem.detail) == (422, "at[2]: cannot be used")


@pytest.mark.parametrize(
    ("path", "root", "ours"),
    [
        ("/memory", "", True),
        ("/memory/k", "", True),
        ("/memoryx", "", False),
        ("/memory", "/memory", True),
        ("/memory/k", "/memory", False),
        ("/mem/memory", "/mem", True),
        ("/memory/x", "/mem", True),
        ("/threads", "", False),
    ],
)
def test_our_addresses_are_told_from_others_as_the_router_does(path: str, root: str, *, ours: bool) -> None:
    assert is_ours({"type": "http", "path": path, "root_path": root}) == ours


def test_a_websocket_is_none_of_ours() -> None:
    assert not is_ours({"type": "websocket", "path": "/memory"})
