"""The threads that a server keeps beside the memory: erased with their person, session or tenant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Protocol, cast
from urllib.parse import quote

from fastapi import Depends, FastAPI
from starlette.requests import Request

from twofold.api.identity import name_of
from twofold.memory.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose threads: of a person, those of one session of a person, or of all people of a tenant."""

    tenant_id: str
    user_id: str | None = None
    session_id: str | None = None

    @property
    def name(self) -> str | None:
        """The owner as a server notes it, None for a tenant."""
        return None if self.user_id is None else name_of(Scope(tenant_id=self.tenant_id, user_id=self.user_id))

    def has(self, owner: object) -> bool:
        """Whether what has this owner is meant."""
        if self.name is not None:
            return owner == self.name
        return isinstance(owner, str) and owner.startswith(f"{quote(self.tenant_id, safe='', errors='surrogatepass')}/")


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedThreads:
    """How many threads and schedules were erased and runs cancelled; `threads_left` tells what was not, and why."""

    threads: int = 0
    runs: int = 0
    schedules: int = 0
    threads_left: tuple[str, ...] = ()

    def and_then(self, later: ErasedThreads) -> ErasedThreads:
        """Return both together; what is left is what the later attempt left."""
        return ErasedThreads(
            threads=self.threads + later.threads,
            runs=self.runs + later.runs,
            schedules=self.schedules + later.schedules,
            threads_left=later.threads_left,
        )


class Threads(Protocol):
    """What erases the threads of a server."""

    async def erase(self, owner: Owner, headers: Mapping[str, str]) -> ErasedThreads:
        """Erase an owner's threads, in the name of whoever sent these headers; what cannot be is told, not raised."""
        ...


class NoThreads:
    """A server without threads."""

    async def erase(self, owner: Owner, headers: Mapping[str, str]) -> ErasedThreads:
        """Return that there was nothing."""
        return ErasedThreads()


def erase_threads_by(app: FastAPI, threads: Callable[[FastAPI], Threads]) -> None:
    """Have the routes of `app` erase threads by what `threads` returns for it."""
    app.state.twofold_threads = threads(app)


@dataclass(frozen=True, slots=True)
class _Callers:
    """The threads, in the name of the caller of a request."""

    threads: Threads
    headers: Mapping[str, str]

    async def erase(self, owner: Owner) -> ErasedThreads:
        """Erase an owner's threads."""
        return await self.threads.erase(owner, self.headers)


async def callers_threads(request: Request) -> _Callers:
    """Return what erases threads for the caller of a request."""
    threads = getattr(request.app.state, "twofold_threads", None)
    return _Callers(NoThreads() if threads is None else cast("Threads", threads), request.headers)


CallersThreads = Annotated[_Callers, Depends(callers_threads)]
