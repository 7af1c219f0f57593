"""The memory on a twofold server, for this process: reached from any thread, over connections of its own."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from http import HTTPMethod
from typing import TypeVar

from pydantic import BaseModel, SecretStr, ValidationError

from twofold.health import Backlog, Health
from twofold.memory.clean import clean_text
from twofold.memory.errors import InvalidInput, NotAccepted, NotFound, ServerUnavailable, TwofoldError
from twofold.memory.keys import body_id, url_key
from twofold.memory.memories import Recall
from twofold.memory.redaction import Redactor
from twofold.memory.scope import Scope
from twofold.memory.transcript import Transcript
from twofold.memory.verbatim import VerbatimText
from twofold.nodes.read.validate import MAX_QUERY
from twofold.remote.client import ServerClient
from twofold.remote.client_thread import Action, ClientThread
from twofold.remote.parts import backlog_of, recall_of
from twofold.remote.place import checked_key, checked_url
from twofold.remote.sessions import Sessions
from twofold.settings import Settings
from twofold.wire import (
    MOST_TEXTS,
    ErasedBody,
    HealthBody,
    Question,
    RecallBody,
    Retried,
    Stored,
    Text,
    Texts,
)

logger = logging.getLogger(__name__)

T = TypeVar("T")
Answer = TypeVar("Answer", bound=BaseModel)

FIRST_SECONDS = 10.0
ANSWER_SECONDS = 30.0
STORED_SECONDS = 300.0
LOOK_SECONDS = 10.0
CLOSE_SECONDS = 5.0


class RemoteMemory:
    """Accepts sessions and recalls on a twofold server, which does the work.

    All requests run on one event loop that no caller can block or close.
    """

    def __init__(self, settings: Settings, url: str, *, key: SecretStr | None = None) -> None:
        """Take the server's address and the service key, else the setting `server_key`; nothing is sent yet.

        Raises SettingsInvalid for an address or a key that cannot be used.
        """
        shown = checked_url(url, unencrypted=settings.server_unencrypted)
        self.health = Health(database=shown)
        self._settings = settings
        self._server = ClientThread(shown, checked_key(key or settings.server_key))
        self._sessions = Sessions()
        self._learning: asyncio.Task[None] | None = None
        self._looked_at = 0.0

    @property
    def redactor(self) -> Redactor:
        """What takes secrets out before they leave this process, as its own settings say; the server has its own."""
        return self._settings.redactor

    def patience(self) -> float:
        """Return the seconds a search may take: the deadline, and ten until the server was reached once."""
        deadline = self._settings.recall_deadline
        return deadline if self.health.opened else max(deadline, FIRST_SECONDS)

    async def accept(
        self, scope: Scope, transcript: Transcript, *, wait: bool = False, within: float | None = None
    ) -> None:
        """Accept a session durably; with `wait`, return when it is stored.

        Raises NotAccepted when the server did not accept it, or not `within` so many seconds, and InvalidInput
        when it never will. A session that is not stored after five minutes of `wait` stays accepted, which is
        logged.
        """
        session_id = transcript.session_id
        try:
            async with asyncio.timeout(within):
                revision = await self._call(
                    lambda client: self._sessions.hand_over(client, scope, transcript, at_once=wait)
                )
        except InvalidInput:
            raise
        except (TwofoldError, TimeoutError) as error:
            self.health.not_accepted(error)
            raise NotAccepted(
                f"Session {session_id!r} was not accepted ({str(error) or 'it took too long'}); hand the whole"
                " session over again"
            ) from error
        if wait and not await self._call(
            lambda client: self._sessions.stored(client, scope, session_id, revision, STORED_SECONDS)
        ):
            logger.warning("Session %s is accepted but not stored yet", session_id)

    def recall(self, scope: Scope, query: str, except_session: str | None = None) -> Future[Recall]:
        """Start a search; its future raises what went wrong."""
        return self._submit(lambda client: self._recalled(client, scope, query, except_session))

    async def add(self, scope: Scope, texts: Sequence[VerbatimText]) -> None:
        """Store facts in the host's own words, after redaction. Raises InvalidInput for what no server takes."""
        worded = [_worded(position, text, self.redactor) for position, text in enumerate(texts)]
        for first in range(0, len(worded), MOST_TEXTS):
            body = Texts(memories=worded[first : first + MOST_TEXTS])
            await self._ask(HTTPMethod.POST, "/memory", Stored, scope=scope, body=body)

    async def erase_memory(self, scope: Scope, key: str) -> None:
        """Erase one memory with its traces; an unknown key changes nothing."""
        await self._erase(scope, f"/memory/{url_key(key)}")

    async def erase_session(self, scope: Scope, session_id: str) -> None:
        """Erase what rests on one session, with its traces. Raises ServerUnavailable if its threads are left."""
        await self._erase(scope, f"/memory/sessions/{url_key(session_id)}")

    async def erase_user(self, scope: Scope) -> None:
        """Erase all memory of one person, with its traces. Raises ServerUnavailable if their threads are left."""
        await self._erase(scope, "/memory")

    async def flush(self, *, timeout: float) -> int:
        """Have the sessions accepted here worked on now; return how many are not done after `timeout` seconds."""
        if not self._sessions:
            return 0
        return await self._call(lambda client: self._sessions.finish(client, timeout))

    async def backlog(self) -> Backlog:
        """Ask the server what waits and what was given up; `health` tells it from then on."""
        return await self._call(self._asked_health)

    async def retry(self) -> int:
        """Have what waits and what was given up worked on anew; return how many sessions that are."""
        return (await self._ask(HTTPMethod.POST, "/memory/retry", Retried)).sessions

    def close(self) -> None:
        """Wait for what was accepted here, for at most five seconds, and release everything."""
        if self._sessions:
            with suppress(TwofoldError, FutureTimeout):
                finishing = self._submit(lambda client: self._sessions.finish(client, CLOSE_SECONDS))
                if left := finishing.result(2 * CLOSE_SECONDS):
                    logger.info("%d accepted session(s) are not stored yet; the server goes on with them", left)
        self._server.close()
        self.health.opened = False

    async def _erase(self, scope: Scope, path: str) -> None:
        with suppress(NotFound):
            erased = await self._ask(HTTPMethod.DELETE, path, ErasedBody, scope=scope)
            if erased.threads_left:
                raise ServerUnavailable(
                    f"{self.health.database} erased the memory, and not all threads: {'; '.join(erased.threads_left)};"
                    " erase again"
                )

    async def _ask(
        self,
        method: HTTPMethod,
        path: str,
        answer: type[Answer],
        *,
        scope: Scope | None = None,
        body: BaseModel | None = None,
    ) -> Answer:
        return await self._call(
            lambda client: client.ask(method, path, answer, scope=scope, body=body, seconds=ANSWER_SECONDS)
        )

    async def _recalled(self, client: ServerClient, scope: Scope, query: str, except_session: str | None) -> Recall:
        # Bounded and without secrets as the server would make it: what it does not use is not sent.
        question = Question(
            query=self.redactor.text(clean_text(query).strip()[-MAX_QUERY:]),
            except_session=None if except_session is None else body_id(except_session),
        )
        body = await client.ask(
            HTTPMethod.POST, "/memory/search", RecallBody, scope=scope, body=question, seconds=self.patience()
        )
        return recall_of(body)

    async def _asked_health(self, client: ServerClient) -> Backlog:
        body = await client.ask(HTTPMethod.GET, "/memory/health", HealthBody, seconds=ANSWER_SECONDS)
        self.health.extractor, self.health.embedder = body.extractor, body.embedder
        self._looked_at = time.monotonic()
        self.health.saw(backlog := backlog_of(body))
        return backlog

    async def _call(self, action: Action[T]) -> T:
        return await self._server.call(lambda client: self._reached(client, action))

    def _submit(self, action: Action[T]) -> Future[T]:
        return self._server.submit(lambda client: self._reached(client, action))

    async def _reached(self, client: ServerClient, action: Action[T]) -> T:
        result = await action(client)
        self.health.down = ""
        if not self.health.opened:
            self.health.opened = True
            self._learning = asyncio.create_task(self._learn(client), name="twofold-health")
        elif time.monotonic() - self._looked_at >= LOOK_SECONDS and (self._learning is None or self._learning.done()):
            self._learning = asyncio.create_task(self._look(client), name="twofold-health")
        return result

    async def _learn(self, client: ServerClient) -> None:
        """Ask which models the server uses, once, behind the answer that showed that it is there."""
        told = self.health
        try:
            await self._asked_health(client)
        except TwofoldError as error:
            logger.info("Memory is on %s, which does not say how it is: %s", told.database, error)
        else:
            logger.info("Memory is on %s, extractor %s, embedder %s", told.database, told.extractor, told.embedder)

    async def _look(self, client: ServerClient) -> None:
        """Ask how the server's memory is doing, behind an answer: a memory in use stays up to date about it."""
        self._looked_at = time.monotonic()
        try:
            await self._asked_health(client)
        except TwofoldError as error:
            self.health.lost(error)


def _worded(position: int, text: VerbatimText, redactor: Redactor) -> Text:
    try:
        return Text(text=redactor.text(clean_text(text.text)), at=text.at)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise InvalidInput(f"memories[{position}].{wrong['loc'][0]}: {wrong['msg']}") from None
