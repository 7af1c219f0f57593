"""Callers of the HTTP API as these tests authenticate them."""

from starlette.requests import HTTPConnection

from twofold.api.identity import Identity
from twofold.memory.errors import NotAllowed, NotAuthenticated, StoreUnavailable
from twofold.memory.scope import Scope

ANNA = Scope(tenant_id="acme", user_id="anna")
BEN = Scope(tenant_id="acme", user_id="ben")
PEOPLE = {"anna": ANNA, "ben": BEN}


class Tokens:
    """A token is a person's first name; the services act for nobody, one of them for no tenant of theirs."""

    async def identity(self, conn: HTTPConnection) -> Identity:
        name = conn.headers.get("authorization", "").removeprefix("Bearer ")
        if name in PEOPLE:
            return Identity(scope=PEOPLE[name])
        if name == "service":
            return Identity(scope=None, service="backoffice")
        if name == "narrow":
            return Identity(scope=None, service="branch", tenants=frozenset({"other"}))
        if name == "banned":
            raise NotAllowed("banned may not come in")
        if name == "unknowable":
            raise StoreUnavailable("keys are at 10.1.2.3")
        raise NotAuthenticated("Send a token")
