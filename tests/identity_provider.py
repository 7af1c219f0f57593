"""A small OpenID provider: its configuration and its key set over HTTP, and tokens signed with its keys."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import RSAAlgorithm

AUDIENCE = "twofold"
CONFIGURATION = "/.well-known/openid-configuration"
KEYS = "/keys"


class SigningKey:
    """A private key and its id."""

    def __init__(self) -> None:
        self.key_id = uuid4().hex
        self.private = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    @property
    def public(self) -> dict[str, Any]:
        """The public half, as a key set holds it."""
        public: dict[str, Any] = RSAAlgorithm.to_jwk(self.private.public_key(), as_dict=True)
        return {**public, "kid": self.key_id, "use": "sig", "alg": "RS256"}

    @property
    def pem(self) -> bytes:
        """The public half as a file: what is signed with it, as with a password, proves nothing."""
        return self.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


class IdentityProvider:
    """An issuer of tokens. `broken` makes it answer with errors; `asked` are the paths it was asked for."""

    def __init__(self, port: int) -> None:
        self.issuer = f"http://127.0.0.1:{port}/realm"
        self.key = SigningKey()
        self.published = [self.key]
        self.broken = False
        self.asked: list[str] = []
        self.claimed_issuer = self.issuer

    def token(
        self, tenant: str | None = "acme", user: str | None = "anna", *, key: SigningKey | None = None, **changes: Any
    ) -> str:
        """Return a token that holds, but for `changes` of its claims; None leaves a claim out."""
        signing = key or self.key
        return jwt.encode(
            self.claims(tenant, user, **changes),
            signing.private,
            algorithm="RS256",
            headers={"kid": signing.key_id},
        )

    def claims(self, tenant: str | None = "acme", user: str | None = "anna", **changes: Any) -> dict[str, Any]:
        """Return the claims of a token that holds for five minutes, but for `changes`."""
        now = int(time.time())  # noqa: TID251 - a token is dated by the wall clock
        claims = {
            "iss": self.issuer,
            "aud": AUDIENCE,
            "exp": now + 300,
            "iat": now,
            "sub": user,
            "tenant_id": tenant,
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def answer(self, path: str) -> object:
        """Return what stands at a path, None for nothing."""
        self.asked.append(path.removeprefix("/realm"))
        return {
            f"/realm{CONFIGURATION}": {"issuer": self.claimed_issuer, "jwks_uri": self.issuer + KEYS},
            f"/realm{KEYS}": {"keys": [key.public for key in self.published]},
        }.get(path)


@contextmanager
def running_provider() -> Iterator[IdentityProvider]:
    """Run a provider on a free port of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.provider = IdentityProvider(server.server_port)  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.provider  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        provider: IdentityProvider = self.server.provider  # type: ignore[attr-defined]
        found = provider.answer(self.path)
        body = json.dumps(found).encode()
        self.send_response(500 if provider.broken else 404 if found is None else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
