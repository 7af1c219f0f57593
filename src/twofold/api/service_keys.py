"""Services that act for people, told by a key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest

from twofold.memory.errors import NotAllowed, SettingsInvalid
from twofold.memory.scope import Scope
from twofold.settings import ServiceKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A service, and the tenants for whose people it may act; None = all."""

    name: str
    tenants: frozenset[str] | None
    digest: bytes = field(repr=False)

    def check(self, scope: Scope | None) -> None:
        """Raise NotAllowed if the service may not act for this person."""
        if scope is not None and self.tenants is not None and scope.tenant_id not in self.tenants:
            raise NotAllowed(f"The service {self.name!r} may not act for people of this tenant")


class ServiceKeys:
    """Tells which service a key belongs to; holds digests only."""

    def __init__(self, keys: Mapping[str, ServiceKey]) -> None:
        """Take the keys by the names of their services. Raises SettingsInvalid if two share one."""
        self._services = tuple(
            Service(name=name, tenants=given.tenants, digest=_digest(given.key.get_secret_value()))
            for name, given in keys.items()
        )
        if len({service.digest for service in self._services}) < len(self._services):
            raise SettingsInvalid("service_keys: two services have the same key")

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._services)

    def service(self, key: str) -> Service | None:
        """Return the service of a key, None for any other text; how long it takes tells nothing of the keys."""
        digest = _digest(key)
        found = [service for service in self._services if compare_digest(service.digest, digest)]
        return found[0] if found else None


def _digest(key: str) -> bytes:
    return sha256(key.encode("utf-8", "surrogatepass")).digest()
