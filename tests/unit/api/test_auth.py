"""On a LangGraph server everyone has what is their own, without the secrets they sent along."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal
from uuid import uuid4

import pytest
from langgraph_sdk import Auth

from tests.unit.api.connections import scope_of
from twofold.api import auth as hooks
from twofold.api import configured
from twofold.api.auth import authenticate, nothing
from twofold.api.caller import IDENTITY
from twofold.api.identity import Identity, name_of
from twofold.memory.scope import Scope

# As the server calls them: `value` is any of a dozen forms.
own_threads: Any = hooks.own_threads
own_crons: Any = hooks.own_crons
the_graphs: Any = hooks.the_graphs

ANNA = Scope(tenant_id="acme", user_id="anna/meier@acme.com")
SECRET = "hunter2hunter2"
SAID = f"my password is {SECRET}"


class User:
    """A user as a server knows one."""

    is_authenticated, display_name, permissions = True, "person", ()

    def __init__(self, identity: str) -> None:
        self.identity = identity


def context(action: Any, identity: str = name_of(ANNA), resource: Literal["threads", "crons"] = "threads") -> Any:
    user: Any = User(identity)
    return Auth.types.AuthContext(permissions=[], user=user, resource=resource, action=action)


async def test_an_identity_tells_the_whole_scope() -> None:
    user = await authenticate(scope_of() | {IDENTITY: Identity(scope=ANNA, service="crm")})
    assert (user["identity"], user["display_name"]) == (name_of(ANNA), "crm")


@pytest.fixture
def nothing_set_up() -> Iterator[None]:
    for kept in (configured.settings, configured.authenticator):
        kept.cache_clear()
    yield
    for kept in (configured.settings, configured.authenticator):
        kept.cache_clear()


@pytest.mark.parametrize("kind", ["http", "websocket"])
async def test_who_is_not_known_yet_is_asked_for_the_same_as_everywhere(kind: str, nothing_set_up: None) -> None:
    assert (await authenticate(scope_of(type=kind)))["identity"] == "local/local"
    with pytest.raises(Auth.exceptions.HTTPException) as refused:
        await authenticate(scope_of({"Origin": "https://evil.example"}, type=kind))
    assert refused.value.status_code == 403


async def test_a_service_that_names_nobody_reaches_our_routes_and_no_graph() -> None:
    nobody = {IDENTITY: Identity(scope=None, service="crm")}
    assert (await authenticate(scope_of(path="/memory/health") | nobody))["identity"] == "service crm"
    with pytest.raises(Auth.exceptions.HTTPException, match="X-Twofold-Tenant"):
        await authenticate(scope_of(path="/threads") | nobody)


@pytest.mark.parametrize("action", ["create", "create_run"])
async def test_what_is_made_is_its_makers_whatever_they_say(action: str) -> None:
    value: dict[str, Any] = {"metadata": {"owner": "acme/ben", "note": "x"}, "kwargs": {}}
    assert await own_threads(ctx=context(action), value=value) == {"owner": name_of(ANNA)}
    assert value["metadata"] == {"owner": name_of(ANNA), "note": "x"}


async def test_nothing_is_given_away_by_an_update() -> None:
    value: dict[str, Any] = {"thread_id": uuid4(), "metadata": {"owner": "acme/ben"}}
    await own_threads(ctx=context("update"), value=value)
    assert value["metadata"]["owner"] == name_of(ANNA)


async def test_an_update_of_the_state_makes_up_no_metadata() -> None:
    value: dict[str, Any] = {"thread_id": uuid4()}
    assert await own_threads(ctx=context("update"), value=value) == {"owner": name_of(ANNA)}
    assert "metadata" not in value


@pytest.mark.parametrize("action", ["read", "search", "delete"])
async def test_only_ones_own_is_seen_and_deleted(action: str) -> None:
    assert await own_threads(ctx=context(action), value={}) == {"owner": name_of(ANNA)}
    assert await own_crons(ctx=context(action, resource="crons"), value={}) == {"owner": name_of(ANNA)}


@pytest.mark.parametrize("identity", ["", "service crm", "langgraph-studio-user", "a/b/c"])
async def test_who_is_no_person_owns_nothing(identity: str) -> None:
    for action in ("create", "read", "search", "update", "delete", "create_run"):
        with pytest.raises(Auth.exceptions.HTTPException):
            await own_threads(ctx=context(action, identity), value={})


async def test_a_run_is_kept_without_its_secrets_in_the_dicts_that_the_server_goes_on_with() -> None:
    config: dict[str, Any] = {"configurable": {"password": SECRET, "thread_id": "t"}, "metadata": {"note": SAID}}
    user, given = User("acme/anna"), {"entries": [{"text": SAID, "payload": {"api_key": SECRET}}]}
    config["configurable"]["langgraph_auth_user"] = user
    kwargs = {"input": given, "config": config, "context": {"pin": "1234"}, "command": {"resume": SAID}, "n": 1}
    metadata = {"note": SAID}
    await own_threads(ctx=context("create_run"), value={"kwargs": kwargs, "metadata": metadata, "run_id": uuid4()})
    assert SECRET not in f"{kwargs}{metadata}"
    assert kwargs["input"] is given
    assert kwargs["config"] is config
    assert config["configurable"]["langgraph_auth_user"] is user
    assert kwargs["context"] == {"pin": "[redacted: pin]"}


async def test_an_input_that_is_a_list_or_a_text_is_redacted_too() -> None:
    for given in ([SAID], SAID):
        value: dict[str, Any] = {"kwargs": {"input": given}, "metadata": {}}
        await own_threads(ctx=context("create_run"), value=value)
        assert SECRET not in str(value)


@pytest.mark.parametrize("action", ["create", "update"])
async def test_a_schedule_is_kept_without_secrets_and_without_another_identity(action: str) -> None:
    assistant = uuid4()
    payload = {
        "assistant_id": assistant,
        "input": {"query": SAID},
        "config": {
            "configurable": {
                "langgraph_auth_user": {"identity": "acme/ben"},
                "langgraph_auth_user_id": "acme/ben",
                "langgraph_auth_permissions": ["*"],
                "cron_id": "c",
            }
        },
        "metadata": {"note": SAID},
    }
    value: dict[str, Any] = {"payload": payload, "metadata": {"owner": "acme/ben"}}
    assert await own_crons(ctx=context(action, resource="crons"), value=value) == {"owner": name_of(ANNA)}
    assert SECRET not in str(payload)
    assert payload["config"] == {"configurable": {"cron_id": "c"}}
    assert (payload["assistant_id"], value["metadata"]) == (assistant, {"owner": name_of(ANNA)})


@pytest.mark.parametrize("payload", [None, {}, {"config": None}, {"config": {"configurable": None}}, {"config": []}])
async def test_a_schedule_may_say_nothing(payload: Any) -> None:
    await own_crons(ctx=context("update", resource="crons"), value={"payload": payload})


@pytest.mark.parametrize("value", [{"kwargs": {"webhook": "https://x.example"}}, {"payload": {"webhook": "/threads"}}])
async def test_nobody_has_the_server_call_another(value: dict[str, Any]) -> None:
    with pytest.raises(Auth.exceptions.HTTPException, match="Webhooks"):
        await own_threads(ctx=context("create_run"), value=value)


async def test_the_graphs_of_the_server_are_all_there_is_to_see_and_nothing_else_is_allowed() -> None:
    assert await the_graphs(ctx=context("read"), value={}) == {"created_by": "system"}
    assert await nothing(context("create"), {}) is False
