"""Who calls a server in tests: people and services that may, and everybody who only seems so."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jwt

from tests.identity_provider import AUDIENCE, IdentityProvider, SigningKey, running_provider

ANNA = ("acme", "anna")
BEN = ("acme", "ben")
OTTO = ("other", "otto")
CRM_KEY = "crm-0123456789abcdef01234567"
ROOT_KEY = "root-0123456789abcdef0123456"
SERVICES = {"crm": {"key": CRM_KEY, "tenants": ["acme"]}, "root": {"key": ROOT_KEY}}

STRANGERS = [
    "anonymous",
    "no bearer",
    "expired",
    "wrong audience",
    "wrong issuer",
    "wrong key",
    "unknown key",
    "alg none",
    "public key as password",
    "no tenant",
    "forged act-for",
    "forged act-for oneself",
    "no key of a service",
    "service for a tenant it may not act for",
    "service for half a person",
]
"""The kinds of callers that must not be let in, by what is wrong with them."""


class Callers:
    """The headers that callers send."""

    def __init__(self, provider: IdentityProvider) -> None:
        self._provider = provider

    def person(self, tenant: str, user: str) -> dict[str, str]:
        """Return the headers of a person with a good token."""
        return bearer(self._provider.token(tenant, user))

    def strangers(self) -> dict[str, tuple[dict[str, str], int]]:
        """Return headers that must not let anybody in, with the status that refuses them."""
        provider, now = self._provider, int(time.time())  # noqa: TID251 - as tokens are dated
        good = self.person(*ANNA)
        return {
            "anonymous": ({}, 401),
            "no bearer": ({"Authorization": "Basic YW5uYTphbm5h"}, 401),
            "expired": (bearer(provider.token(exp=now - 120)), 401),
            "wrong audience": (bearer(provider.token(aud="another-service")), 401),
            "wrong issuer": (bearer(provider.token(iss="http://127.0.0.1/realm")), 401),
            "wrong key": (bearer(provider.token(key=_same_id(provider.key))), 401),
            "unknown key": (bearer(provider.token(key=SigningKey())), 401),
            "alg none": (bearer(jwt.encode(provider.claims(), "", algorithm="none")), 401),
            "public key as password": (bearer(_signed_with_the_public_key(provider)), 401),
            "no tenant": (bearer(provider.token(tenant=None)), 401),
            "forged act-for": ({**good, **acting_for(*BEN)}, 403),
            "forged act-for oneself": ({**good, **acting_for(*ANNA)}, 403),
            "no key of a service": (bearer(CRM_KEY[:-1] + "x") | acting_for(*ANNA), 401),
            "service for a tenant it may not act for": (service(CRM_KEY, *OTTO), 403),
            "service for half a person": (bearer(CRM_KEY) | {"X-Twofold-Tenant": "acme"}, 403),
        }


def settings_for(provider: IdentityProvider) -> dict[str, Any]:
    """Return the settings of a server that lets in this provider's people and the two services."""
    return {"auth_issuer": provider.issuer, "auth_audience": AUDIENCE, "service_keys": SERVICES}


@contextmanager
def running_callers() -> Iterator[tuple[IdentityProvider, Callers]]:
    """Run a provider, and tell who calls with its tokens."""
    with running_provider() as provider:
        yield provider, Callers(provider)


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


def acting_for(tenant: str, user: str) -> dict[str, str]:
    return {"X-Twofold-Tenant": tenant, "X-Twofold-User": user}


def service(key: str, tenant: str, user: str) -> dict[str, str]:
    return bearer(key) | acting_for(tenant, user)


def _same_id(key: SigningKey) -> SigningKey:
    forged = SigningKey()
    forged.key_id = key.key_id
    return forged


def _signed_with_the_public_key(provider: IdentityProvider) -> str:
    """Return what PyJWT refuses to make: an attacker puts it together by hand."""

    def part(value: object) -> bytes:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

    header = {"alg": "HS256", "typ": "JWT", "kid": provider.key.key_id}
    signed = part(header) + b"." + part(provider.claims())
    proof = hmac.new(provider.key.pem, signed, hashlib.sha256).digest()
    return (signed + b"." + base64.urlsafe_b64encode(proof).rstrip(b"=")).decode()
