"""Sessions on their way to the server: handed over in parts, hurried, and waited for."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Iterable
from contextlib import asynccontextmanager
from http import HTTPMethod

from twofold.memory.errors import NotFound, ServerUnavailable, TwofoldError
from twofold.memory.keys import body_id, url_key
from twofold.memory.scope import Scope
from twofold.memory.transcript import Transcript
from twofold.remote.client import ServerClient
from twofold.remote.parts import handed_over, parts_of, shortened
from twofold.remote.refusals import TooLarge
from twofold.wire import LONGEST_WAIT, Accepted, HandedOver, SessionProgress

logger = logging.getLogger(__name__)

MOST_UNFINISHED = 10_000
AT_ONCE = 8
PART_SECONDS = 30.0
ASK_SECONDS = 10.0
LATE_SECONDS = 0.5
PAUSE = 0.5


class Sessions:
    """The sessions that this process handed over, until they are known to be stored. Used on one event loop."""

    def __init__(self) -> None:
        """Know none yet."""
        self._unfinished: dict[tuple[Scope, str], int] = {}

    def __len__(self) -> int:
        """Return how many are not known to be stored."""
        return len(self._unfinished)

    async def hand_over(self, client: ServerClient, scope: Scope, transcript: Transcript, *, at_once: bool) -> int:
        """Hand a session over, in as many requests as its size needs; return the revision that holds all of it.

        It is safe when the last request is answered: one that fails leaves the parts before it on the server,
        which the next hand-over repeats. An entry that is refused for its size is handed over without what is long
        in it, so that it costs neither the others nor the next hand-over.
        """
        parts, revision = deque(parts_of(transcript.entries)), 0
        while parts:
            part = parts.popleft()
            body = handed_over(transcript.session_id, part, at_once=at_once and not parts)
            try:
                accepted = await client.ask(
                    HTTPMethod.POST, "/memory/sessions", Accepted, scope=scope, body=body, seconds=PART_SECONDS
                )
            except TooLarge:
                smaller = _smaller(transcript.session_id, part)
                if not smaller:
                    raise
                parts.extendleft(reversed(smaller))  # each goes to the front
            else:
                revision = max(revision, accepted.revision)
        self._note(scope, transcript.session_id, revision)
        return revision

    async def stored(self, client: ServerClient, scope: Scope, session_id: str, revision: int, timeout: float) -> bool:
        """Wait until a revision is stored, also while the server is restarted; False after `timeout` seconds.

        False at once when its save was given up. An erased session needs no storing.
        """
        if revision == 0:
            return True
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            try:
                progress = await _progress(client, scope, session_id, revision, left)
            except NotFound:
                return True
            except ServerUnavailable:
                await asyncio.sleep(min(PAUSE, left))
                continue
            if progress.stored or progress.given_up:
                return progress.stored
        return False

    async def finish(self, client: ServerClient, timeout: float) -> int:
        """Hurry what was handed over here and wait for it; return how many are not stored in time.

        What the server refuses of a session is logged, and the session counts as not stored.
        """
        deadline = time.monotonic() + timeout
        busy = asyncio.Semaphore(AT_ONCE)

        async def hurried(accepted: tuple[Scope, str]) -> None:
            async with busy, _attended(accepted):
                await _hurry(client, *accepted, deadline - time.monotonic())

        async def waited(accepted: tuple[Scope, str], revision: int) -> None:
            async with busy, _attended(accepted):
                if await self.stored(client, *accepted, revision, deadline - time.monotonic()):
                    self._forget(accepted, revision)

        waiting = list(self._unfinished.items())
        await _all(hurried(accepted) for accepted, _ in waiting)
        await _all(waited(accepted, revision) for accepted, revision in waiting)
        return len(self._unfinished)

    def _note(self, scope: Scope, session_id: str, revision: int) -> None:
        if revision == 0:
            return
        if len(self._unfinished) >= MOST_UNFINISHED:
            self._unfinished.pop(next(iter(self._unfinished)), None)
        self._unfinished[scope, session_id] = revision

    def _forget(self, accepted: tuple[Scope, str], revision: int) -> None:
        if self._unfinished.get(accepted) == revision:  # else it grew meanwhile
            del self._unfinished[accepted]


def _smaller(session_id: str, part: list[bytes]) -> list[list[bytes]]:
    """Return a part that was too large as two, or its one entry shortened; nothing if it cannot be any smaller."""
    if len(part) > 1:
        half = len(part) // 2
        return [part[:half], part[half:]]
    short = [shortened(entry) for entry in part]
    if sum(map(len, short)) >= sum(map(len, part)):
        return []
    logger.warning(
        "An entry of session %s has %d bytes, more than the server or a proxy before it takes in one request; it is"
        " handed over with a note in the place of what is long in it",
        session_id,
        sum(map(len, part)),
    )
    return [short]


@asynccontextmanager
async def _attended(accepted: tuple[Scope, str]) -> AsyncIterator[None]:
    """Log what is refused of one session, so that the others are attended to."""
    try:
        yield
    except TwofoldError as error:
        logger.warning("Session %s is accepted, and it is not known whether it is stored: %s", accepted[1], error)


async def _all(actions: Iterable[Awaitable[None]]) -> None:
    """Await all of them, and only then raise what nobody expected of one."""
    for result in await asyncio.gather(*actions, return_exceptions=True):
        if result is not None:
            raise result


async def _hurry(client: ServerClient, scope: Scope, session_id: str, seconds: float) -> None:
    """Have a session worked on now. A server that cannot be reached does so when it has settled."""
    if seconds <= 0:
        return
    body = HandedOver(session_id=body_id(session_id), entries=[], at_once=True)
    try:
        await client.ask(
            HTTPMethod.POST, "/memory/sessions", Accepted, scope=scope, body=body, seconds=min(seconds, ASK_SECONDS)
        )
    except ServerUnavailable:
        return


async def _progress(client: ServerClient, scope: Scope, session_id: str, revision: int, left: float) -> SessionProgress:
    wait = min(left, LONGEST_WAIT)
    return await client.ask(
        HTTPMethod.GET,
        f"/memory/sessions/{url_key(session_id)}",
        SessionProgress,
        scope=scope,
        params={"revision": revision, "wait": round(wait, 3)},
        seconds=min(wait + ASK_SECONDS, left + LATE_SECONDS),
    )
