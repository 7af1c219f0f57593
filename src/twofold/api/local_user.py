"""The one user of a server on which nothing is set up: whoever sits at this machine, and no web page but Studio."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection

from twofold.api.acting_for import names_somebody
from twofold.api.identity import LOCAL, Identity
from twofold.memory.errors import NotAllowed, NotAuthenticated

_OWN_NAMES = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?")
_PROXY = re.compile(r"forwarded|x-forwarded-.*|x-real-ip|via")
_SET_UP = "set TWOFOLD_AUTH_ISSUER or TWOFOLD_SERVICE_KEYS to let others in"
# What a browser says of a request without `Origin` that this server's own page, or the person, has made.
_OWN_SITES = frozenset({"", "none", "same-origin"})


class LocalUser:
    """Lets in the requests of programs on this machine, and of web pages from this server or from Studio."""

    def __init__(self, origins: Collection[str]) -> None:
        """Take the origins of the web pages that may act as the local user."""
        self._origins = frozenset(origins)

    def identity(self, conn: HTTPConnection) -> Identity:
        """Return the local user. Raises NotAllowed for another machine or web page, NotAuthenticated for a bearer."""
        headers = conn.headers
        if not _is_near(conn) or any(_PROXY.fullmatch(name) for name in headers):
            raise NotAllowed(f"This server serves its own machine only, without a proxy; {_SET_UP}")
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not _OWN_NAMES.fullmatch(hosts[0].lower()):
            raise NotAllowed("This server is localhost, 127.0.0.1 or [::1], and answers to no other name")
        origin = self._origin(conn, hosts[0].lower())
        if names_somebody(headers):
            raise NotAllowed("Only a service may act for somebody, and none is set up here")
        if "authorization" in headers and origin not in self._origins:  # Studio may send its own
            raise NotAuthenticated(f"This server is not set up to check tokens and keys; {_SET_UP}")
        return Identity(scope=LOCAL)

    def _origin(self, conn: HTTPConnection, host: str) -> str:
        """Return where the page comes from that makes the request, if one does. Raises NotAllowed for a strange one."""
        origins = conn.headers.getlist("origin")
        if not origins and _site(conn.headers) in _OWN_SITES:
            return ""
        secure = conn.scope["scheme"] in {"https", "wss"}
        own = f"{'https' if secure else 'http'}://{host}"
        if len(origins) == 1 and (origins[0] in self._origins or origins[0].lower() == own):
            return origins[0]
        raise NotAllowed("This web page may not use this server; TWOFOLD_LOCAL_ORIGINS names those that may")


def is_loopback(host: str) -> bool:
    """Whether an address, or a name, is this machine's own."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _is_near(conn: HTTPConnection) -> bool:
    if conn.client is None:  # a socket in the file system has a path and no port
        server = conn.scope.get("server")
        return server is not None and server[1] is None
    return is_loopback(conn.client.host)


def _site(headers: Headers) -> str:
    return headers.get("sec-fetch-site", "").lower()
