"""The public keys of an issuer of tokens."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping

import httpx
from jwt import PyJWK, PyJWKClient
from jwt.exceptions import PyJWTError

from twofold.memory.errors import IssuerUnavailable, NotAuthenticated

logger = logging.getLogger(__name__)

FRESH_SECONDS = 300.0
KEPT_SECONDS = 3600.0
PAUSE_SECONDS = 10.0
READ_SECONDS = 5.0
_CONFIGURATION = "/.well-known/openid-configuration"


class KeySet:
    """An issuer's keys, read at the first token and then every five minutes.

    A key that is not known is looked for anew, but nobody can have the issuer asked more often than every ten
    seconds. While it does not answer, the keys that are known are good for an hour.
    """

    def __init__(self, issuer: str, url: str | None = None, *, pause: float = PAUSE_SECONDS) -> None:
        """Take the issuer, and where its key set is; none asks its OpenID configuration."""
        self._issuer = issuer
        self._url = url
        self._pause = pause
        self._keys: Mapping[str, PyJWK] = {}
        self._read_at = float("-inf")
        self._asked_at = float("-inf")
        self._reading = asyncio.Lock()

    async def key(self, key_id: str) -> PyJWK:
        """Return a key. Raises NotAuthenticated if the issuer has none of that id, IssuerUnavailable."""
        if key_id not in self._keys or self._age() > FRESH_SECONDS:
            async with self._reading:
                if self._wants(key_id):
                    await self._read()
        if self._age() > KEPT_SECONDS:
            raise IssuerUnavailable("Tokens cannot be checked: the key set of their issuer cannot be read")
        if key_id not in self._keys:
            raise NotAuthenticated("The token is signed with a key that its issuer does not have")
        return self._keys[key_id]

    def _age(self) -> float:
        return time.monotonic() - self._read_at

    def _wants(self, key_id: str) -> bool:
        wanted = key_id not in self._keys or self._age() > FRESH_SECONDS
        return wanted and time.monotonic() - self._asked_at >= self._pause

    async def _read(self) -> None:
        try:
            async with asyncio.timeout(2 * READ_SECONDS):  # an answer that trickles in passes any limit of a socket
                keys = await asyncio.to_thread(self._fetched)
        except (httpx.HTTPError, PyJWTError, OSError, ValueError) as error:
            logger.warning("The key set of %s cannot be read (%r)", self._issuer, error)
        else:
            self._keys, self._read_at = keys, time.monotonic()
        self._asked_at = time.monotonic()  # not when this is cancelled: who waits for it tries next

    def _fetched(self) -> Mapping[str, PyJWK]:
        client = PyJWKClient(self._url or self._found(), cache_jwk_set=False, timeout=READ_SECONDS)
        return {str(key.key_id): key for key in client.get_signing_keys()}

    def _found(self) -> str:
        answer = httpx.get(self._issuer.rstrip("/") + _CONFIGURATION, timeout=READ_SECONDS)
        configuration = answer.raise_for_status().json()
        if not isinstance(configuration, dict) or configuration.get("issuer") != self._issuer:
            raise ValueError("its OpenID configuration is another issuer's")
        return str(configuration.get("jwks_uri"))
