"""Who a server of this installation would let in."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from urllib.parse import urlsplit

from twofold.cli.checks.subject import Subject, ok, warning
from twofold.memory.findings import Finding
from twofold.settings import ServiceKey, Settings

LEAST_LETTERS = 12
"""Different characters in a key that a machine made: 24 random ones have that many nearly always."""


async def check_auth(subject: Subject) -> list[Finding]:
    """Look at what decides who is calling. Raises SettingsInvalid for what a server refuses to start with."""
    from twofold.api.authenticator import Authenticator

    settings = subject.settings
    if Authenticator(settings).is_local:
        return [ok("who may call", "a server lets in the local user only, from this machine: neither issuer nor keys")]
    return [*_issuer(settings), *(finding for each in settings.service_keys.items() for finding in _service(*each))]


def _issuer(settings: Settings) -> Iterator[Finding]:
    if settings.auth_issuer is None:
        return
    for name, url in (("auth_issuer", settings.auth_issuer), ("auth_jwks_url", settings.auth_jwks_url)):
        if url is not None and _is_open(url):
            remedy = f"give TWOFOLD_{name.upper()} an https:// address"
            yield warning("who may call", f"{name} is {url}: whoever is on the way can issue tokens", remedy)
    yield ok(
        "who may call",
        f"people with a token of {settings.auth_issuer} for {settings.auth_audience!r}; tenant and user are its claims"
        f" {settings.auth_tenant_claim!r} and {settings.auth_user_claim!r}",
    )


def _service(name: str, service: ServiceKey) -> Iterator[Finding]:
    if len(set(service.key.get_secret_value())) < LEAST_LETTERS:
        remedy = "make one with: python -c 'import secrets; print(secrets.token_urlsafe(32))'"
        yield warning("who may call", f"the key of the service {name!r} is easy to guess", remedy)
    whom = "everyone" if service.tenants is None else f"people of {', '.join(sorted(service.tenants)) or 'no tenant'}"
    yield ok("who may call", f"the service {name!r}, for {whom}")


def _is_open(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme != "https" and not _is_here(parts.hostname or "")


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
