"""What no test may do: read the shell it was started from, or reach another machine."""

import ipaddress
import socket
from collections.abc import MutableMapping
from typing import Any, NoReturn

import pytest

# Settings of the product and of the libraries below it. A test sets what it needs, with monkeypatch.
FOREIGN_SETTINGS = (
    "ANTHROPIC_",
    "GEMINI_",
    "GOOGLE_",
    "LANGCHAIN_",
    "LANGGRAPH_",
    "LANGSMITH_",
    "OPENAI_",
    "OTEL_",
    "PG",
    "TWOFOLD_",
)


def clean_environment(environment: MutableMapping[str, str]) -> None:
    """Drop every setting that could change what a test sees, and switch tracing off."""
    for name in [name for name in environment if name.startswith(FOREIGN_SETTINGS)]:
        del environment[name]
    environment["LANGSMITH_TRACING"] = "false"


class NetworkReached(OSError):
    """A test tried to reach another machine."""


class NetworkGuard:
    """Refuses every address that is not this machine's own, and remembers it.

    It sees what Python's sockets do in this process: a child process and libpq pass it by.
    """

    def __init__(self) -> None:
        self.refused: list[str] = []

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Stand in front of connecting and of name look-up."""
        connect, connect_ex, getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

        def guarded_connect(own: socket.socket, address: Any) -> None:
            self._check_peer(own, address)
            connect(own, address)

        def guarded_connect_ex(own: socket.socket, address: Any) -> int:
            self._check_peer(own, address)
            return connect_ex(own, address)

        def guarded_getaddrinfo(host: Any, *args: Any, **options: Any) -> Any:
            self._check_host(host)
            return getaddrinfo(host, *args, **options)

        monkeypatch.setattr(socket.socket, "connect", guarded_connect)
        monkeypatch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        monkeypatch.setattr(socket, "getaddrinfo", guarded_getaddrinfo)

    def _check_peer(self, own: socket.socket, address: Any) -> None:
        if own.family in {socket.AF_INET, socket.AF_INET6}:
            self._check_host(address[0])

    def _check_host(self, host: Any) -> None:
        name = host.decode() if isinstance(host, bytes) else host
        if not is_local(name):
            self._refuse(name)

    def _refuse(self, host: str) -> NoReturn:
        self.refused.append(host)
        message = f"A test tried to reach {host!r}. Tests talk to this machine only: start a double on 127.0.0.1."
        raise NetworkReached(message)


def is_local(host: str | None) -> bool:
    """Tell whether a host name or an address is this machine's own."""
    if host in {None, "", "localhost", "0.0.0.0", "::"}:  # noqa: S104 - compared, not bound
        return True
    try:
        address = ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
