"""Requests to a twofold server: each bounded in time, repeated once where that helps, its errors ours."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cached_property
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, SecretStr, ValidationError

from twofold.memory.errors import InvalidInput, ServerUnavailable
from twofold.memory.scope import Scope
from twofold.remote.refusals import error_of
from twofold.telemetry import trace_headers
from twofold.wire import LONGEST_ID, TENANT_HEADER, USER_HEADER

Answer = TypeVar("Answer", bound=BaseModel)

CONNECT_SECONDS = 5.0
RETRY_PAUSE = 0.25
LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=60.0)

# Every request may be repeated: what was handed over is merged, what was erased stays erased.
_GONE = (httpx.ConnectTimeout, httpx.NetworkError, httpx.RemoteProtocolError)
_PASSING = {HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE}


class ServerClient:
    """One pool of connections to one server. Every call belongs on one event loop."""

    def __init__(self, url: str, key: SecretStr) -> None:
        """Take the server's address and the service key. Nothing is sent yet."""
        self._url = url
        self._key = key

    async def ask(
        self,
        method: str,
        path: str,
        answer: type[Answer],
        *,
        scope: Scope | None = None,
        body: BaseModel | bytes | None = None,
        params: Mapping[str, str | int | float] | None = None,
        seconds: float,
    ) -> Answer:
        """Send a request, for a person where there is a `scope`, and return its answer within `seconds`.

        Raises ServerUnavailable when there is none in time, InvalidInput for a person no server knows by that id,
        and else what the server's refusal means.
        """
        request = self._http.build_request(
            method,
            path,
            params=params,
            content=body.model_dump_json() if isinstance(body, BaseModel) else body,
            headers=_headers(scope, has_body=body is not None),
            timeout=httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
        )
        try:
            async with asyncio.timeout(seconds):
                response = await self._sent(request)
        except (TimeoutError, httpx.TimeoutException):
            raise ServerUnavailable(f"{self._url} did not answer within {seconds:g} s") from None
        except httpx.HTTPError as error:
            raise ServerUnavailable(f"{self._url} cannot be reached: {str(error) or type(error).__name__}") from error
        if not response.is_success:
            raise error_of(response, self._url)
        try:
            return answer.model_validate_json(response.content, extra="ignore")  # a newer server may say more
        except ValidationError:
            raise ServerUnavailable(
                f"{self._url} answers, but not as a twofold server does: is the address right, with its path?"
            ) from None

    async def close(self) -> None:
        """Close the connections, if there are any."""
        if "_http" in vars(self):
            await self._http.aclose()

    @cached_property
    def _http(self) -> httpx.AsyncClient:
        """Made by the first request: it reads the certificates of this machine."""
        return httpx.AsyncClient(
            base_url=self._url,
            headers={"Authorization": f"Bearer {self._key.get_secret_value()}", "Accept": "application/json"},
            limits=LIMITS,
            # A redirect would take the key elsewhere; so would a proxy, where it is not encrypted.
            follow_redirects=False,
            trust_env=self._url.startswith("https://"),
        )

    async def _sent(self, request: httpx.Request) -> httpx.Response:
        """Send it, and once more after a moment where the server was not there, as when it is restarted."""
        try:
            response = await self._http.send(request)
        except _GONE:
            pass
        else:
            if response.status_code not in _PASSING:
                return response
        await asyncio.sleep(RETRY_PAUSE)
        return await self._http.send(request)


def _headers(scope: Scope | None, *, has_body: bool) -> dict[str, str]:
    headers = trace_headers()
    if has_body:
        headers["Content-Type"] = "application/json"
    if scope is not None:
        headers[TENANT_HEADER] = _named("tenant", scope.tenant_id)
        headers[USER_HEADER] = _named("user", scope.user_id)
    return headers


def _named(what: str, identifier: str) -> str:
    if not 0 < len(identifier) <= LONGEST_ID:
        raise InvalidInput(
            f"{what}: a twofold server knows people by 1 to {LONGEST_ID} characters, and this id has {len(identifier)}"
        )
    return quote(identifier, safe="", errors="surrogatepass")
