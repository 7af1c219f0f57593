"""Who is calling: a person by a token, a service by its key, or, where neither is set up, the local user."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection

from twofold.api.acting_for import names_somebody, person_named
from twofold.api.identity import Identity
from twofold.api.local_user import LocalUser
from twofold.api.service_keys import ServiceKeys
from twofold.api.tokens import Tokens
from twofold.memory.errors import NotAllowed, NotAuthenticated
from twofold.settings import Settings


class Authenticator:
    """Tells who is calling, from headers and the address alone."""

    def __init__(self, settings: Settings) -> None:
        """Take what is set up. Raises SettingsInvalid for settings that would let in somebody else."""
        self._keys = ServiceKeys(settings.service_keys)
        self._tokens = Tokens.of(settings)
        self._local = LocalUser(settings.local_origins)

    @property
    def is_local(self) -> bool:
        """Whether nothing is set up, so that the local user is the only one."""
        return self._tokens is None and not self._keys

    async def identity(self, conn: HTTPConnection) -> Identity:
        """Return who is calling. Raises NotAuthenticated, NotAllowed, IssuerUnavailable."""
        if self.is_local:
            return self._local.identity(conn)
        bearer = _bearer(conn.headers)
        service = self._keys.service(bearer)
        if service is not None:
            person = person_named(conn.headers)
            service.check(person)
            return Identity(scope=person, service=service.name, tenants=service.tenants)
        if self._tokens is None:
            raise NotAuthenticated("The bearer is not the key of a service")
        scope = await self._tokens.scope(bearer)
        if names_somebody(conn.headers):
            raise NotAllowed("Only a service may act for somebody else; a token names its own person")
        return Identity(scope=scope)


def _bearer(headers: Headers) -> str:
    given = headers.getlist("authorization")
    if len(given) != 1:
        raise NotAuthenticated("Say who is calling, once: Authorization: Bearer TOKEN")
    scheme, _, bearer = given[0].partition(" ")
    if scheme.lower() != "bearer" or not bearer.strip():
        raise NotAuthenticated("Authorization: expected `Bearer TOKEN`")
    return bearer.strip()
