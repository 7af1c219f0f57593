"""Who is calling: a person by a token, a service by its key; nobody by anything else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.callers import (
    ANNA,
    BEN,
    CRM_KEY,
    OTTO,
    ROOT_KEY,
    SERVICES,
    STRANGERS,
    Callers,
    acting_for,
    bearer,
    running_callers,
    service,
    settings_for,
)
from tests.identity_provider import CONFIGURATION, KEYS, IdentityProvider, SigningKey
from tests.unit.api.connections import connection
from twofold.api.authenticator import Authenticator
from twofold.api.identity import Identity
from twofold.api.key_set import KeySet
from twofold.memory.errors import IssuerUnavailable, NotAllowed, NotAuthenticated, SettingsInvalid
from twofold.memory.scope import Scope
from twofold.settings import load_settings


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[IdentityProvider, Callers]]:
    with running_callers() as both:
        yield both


@pytest.fixture
def provider(running: tuple[IdentityProvider, Callers]) -> Iterator[IdentityProvider]:
    provider = running[0]
    before = provider.key
    provider.asked.clear()
    yield provider
    provider.key, provider.published, provider.broken = before, [before], False
    provider.claimed_issuer = provider.issuer


@pytest.fixture
def authenticator(provider: IdentityProvider) -> Authenticator:
    return Authenticator(load_settings(**settings_for(provider)))


def scope(tenant: str, user: str) -> Scope:
    return Scope(tenant_id=tenant, user_id=user)


async def test_a_token_names_its_person(authenticator: Authenticator, provider: IdentityProvider) -> None:
    identity = await authenticator.identity(connection(bearer(provider.token(*ANNA))))
    assert identity == Identity(scope=scope(*ANNA))


async def test_a_service_acts_for_whom_it_names(authenticator: Authenticator) -> None:
    identity = await authenticator.identity(connection(service(CRM_KEY, *BEN)))
    assert identity == Identity(scope=scope(*BEN), service="crm", tenants=frozenset({BEN[0]}))


async def test_a_service_that_names_nobody_is_known_and_has_no_scope(authenticator: Authenticator) -> None:
    assert await authenticator.identity(connection(bearer(ROOT_KEY))) == Identity(scope=None, service="root")


@pytest.mark.parametrize(
    "user", ["Änne Müller", "a/b", "%", "100%25", "中", " ", "x" * 2000], ids=lambda text: text[:9]
)
async def test_a_person_is_named_in_percent_encoded_utf8(authenticator: Authenticator, user: str) -> None:
    identity = await authenticator.identity(connection(service(ROOT_KEY, "acme", quote(user, safe=""))))
    assert identity.scope == scope("acme", user)


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_a_stranger_is_refused(
    running: tuple[IdentityProvider, Callers],
    authenticator: Authenticator,
    stranger: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="twofold")
    headers, status = running[1].strangers()[stranger]
    with pytest.raises(NotAuthenticated if status == 401 else NotAllowed) as refused:
        await authenticator.identity(connection(headers))
    sent = headers.get("Authorization", "").rpartition(" ")[2] or "nothing"
    assert sent not in f"{refused.value}{caplog.text}"


def test_no_stranger_is_forgotten(running: tuple[IdentityProvider, Callers]) -> None:
    assert list(running[1].strangers()) == STRANGERS


@pytest.mark.parametrize(
    "changes",
    [
        {"exp": None},
        {"aud": None},
        {"iss": None},
        {"nbf": 4_000_000_000},
        {"iat": 4_000_000_000},
        {"sub": ""},
        {"sub": "  "},
        {"sub": 7},
        {"sub": ["anna"]},
        {"sub": None},
        {"tenant_id": True},
        {"tenant_id": "x" * 2001},
    ],
    ids=str,
)
async def test_a_token_that_leaves_a_question_open_is_refused(
    authenticator: Authenticator, provider: IdentityProvider, changes: dict[str, Any]
) -> None:
    with pytest.raises(NotAuthenticated):
        await authenticator.identity(connection(bearer(provider.token(**changes))))


@pytest.mark.parametrize(
    "text", ["x", "a.b.c", "..", "eyJhbGciOiJSUzI1NiJ9.e30.", "x" * 20_000, "é", "a b"], ids=lambda text: text[:12]
)
async def test_a_bearer_that_is_no_token_is_refused(authenticator: Authenticator, text: str) -> None:
    with pytest.raises(NotAuthenticated):
        await authenticator.identity(connection(bearer(text)))


async def test_two_bearers_are_none(authenticator: Authenticator, provider: IdentityProvider) -> None:
    pairs = [("Authorization", f"Bearer {provider.token(*ANNA)}"), ("Authorization", f"Bearer {provider.token(*BEN)}")]
    with pytest.raises(NotAuthenticated):
        await authenticator.identity(connection(pairs))


@pytest.mark.parametrize(
    "named",
    [
        {"X-Twofold-Tenant": "acme"},
        {"X-Twofold-User": "anna"},
        {"X-Twofold-Tenant": "acme", "X-Twofold-User": ""},
        {"X-Twofold-Tenant": "acme", "X-Twofold-User": "%FF"},
        {"X-Twofold-Tenant": "acme", "X-Twofold-User": "x" * 2001},
    ],
    ids=str,
)
async def test_half_a_person_is_nobody(authenticator: Authenticator, named: dict[str, str]) -> None:
    with pytest.raises(NotAllowed):
        await authenticator.identity(connection(bearer(ROOT_KEY) | named))


async def test_a_person_named_twice_is_nobody(authenticator: Authenticator) -> None:
    pairs = [("Authorization", f"Bearer {ROOT_KEY}"), *acting_for(*ANNA).items(), ("X-Twofold-User", "ben")]
    with pytest.raises(NotAllowed):
        await authenticator.identity(connection(pairs))


async def test_a_service_without_tenants_acts_for_everyone(authenticator: Authenticator) -> None:
    assert (await authenticator.identity(connection(service(ROOT_KEY, *OTTO)))).scope == scope(*OTTO)


async def test_where_only_services_are_set_up_nobody_else_is_let_in() -> None:
    authenticator = Authenticator(load_settings(service_keys=SERVICES))
    for headers in ({}, bearer("x" * 30)):
        with pytest.raises(NotAuthenticated):
            await authenticator.identity(connection(headers))


async def test_the_claims_that_name_a_person_are_settings(provider: IdentityProvider) -> None:
    settings = load_settings(**settings_for(provider), auth_tenant_claim="org", auth_user_claim="https://acme.com/id")
    claims: dict[str, Any] = {"https://acme.com/id": "anna"}
    token = provider.token(None, "subject", org="acme", **claims)
    assert (await Authenticator(settings).identity(connection(bearer(token)))).scope == scope(*ANNA)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"auth_issuer": "https://id.example.com"}, "auth_audience"),
        ({"auth_audience": "twofold"}, "auth_issuer"),
        ({"auth_jwks_url": "https://id.example.com/keys"}, "auth_issuer"),
        (
            {"auth_issuer": "https://id.example.com", "auth_audience": "x", "auth_algorithms": ("none",)},
            "auth_algorithms",
        ),
        (
            {"auth_issuer": "https://id.example.com", "auth_audience": "x", "auth_algorithms": ("RS256", "HS256")},
            "auth_algorithms",
        ),
        ({"auth_issuer": "https://id.example.com", "auth_audience": "x", "auth_algorithms": ()}, "auth_algorithms"),
        ({"service_keys": {"a": {"key": CRM_KEY}, "b": {"key": CRM_KEY}}}, "service_keys"),
    ],
    ids=str,
)
def test_settings_that_would_let_in_somebody_else_are_refused(given: dict[str, object], named: str) -> None:
    with pytest.raises(SettingsInvalid, match=named) as refused:
        Authenticator(load_settings(**given))
    assert CRM_KEY not in str(refused.value)


async def test_the_key_set_is_found_once_and_kept(authenticator: Authenticator, provider: IdentityProvider) -> None:
    await asyncio.gather(*(authenticator.identity(connection(bearer(provider.token()))) for _ in range(20)))
    assert provider.asked == [CONFIGURATION, KEYS]


async def test_a_key_set_that_is_named_is_not_looked_for(provider: IdentityProvider) -> None:
    authenticator = Authenticator(load_settings(**settings_for(provider), auth_jwks_url=provider.issuer + KEYS))
    await authenticator.identity(connection(bearer(provider.token())))
    assert provider.asked == [KEYS]


async def test_a_configuration_of_another_issuer_is_not_believed(
    authenticator: Authenticator, provider: IdentityProvider
) -> None:
    provider.claimed_issuer = "http://127.0.0.1/other"
    with pytest.raises(IssuerUnavailable):
        await authenticator.identity(connection(bearer(provider.token())))


async def test_unknown_keys_do_not_have_the_issuer_asked_again_and_again(
    authenticator: Authenticator, provider: IdentityProvider
) -> None:
    await authenticator.identity(connection(bearer(provider.token())))
    for _ in range(5):
        with pytest.raises(NotAuthenticated):
            await authenticator.identity(connection(bearer(provider.token(key=SigningKey()))))
    assert provider.asked.count(KEYS) == 1


async def test_a_new_key_of_the_issuer_is_found(provider: IdentityProvider) -> None:
    keys = KeySet(provider.issuer, pause=0)
    await keys.key(provider.key.key_id)
    new = SigningKey()
    provider.published = [provider.key, new]
    assert (await keys.key(new.key_id)).key_id == new.key_id


async def test_an_issuer_that_does_not_answer_is_not_the_callers_fault(
    authenticator: Authenticator, provider: IdentityProvider
) -> None:
    provider.broken = True
    for _ in range(3):
        with pytest.raises(IssuerUnavailable):
            await authenticator.identity(connection(bearer(provider.token())))
    assert len(provider.asked) == 1


async def test_keys_that_are_known_serve_while_the_issuer_does_not_answer(provider: IdentityProvider) -> None:
    keys = KeySet(provider.issuer, pause=0)
    await keys.key(provider.key.key_id)
    provider.broken = True
    with pytest.raises(NotAuthenticated):
        await keys.key("another")
    assert (await keys.key(provider.key.key_id)).key_id == provider.key.key_id
