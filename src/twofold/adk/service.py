"""ADK's memory service, over the memory of this process or over one on a server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from typing_extensions import override

from twofold.adk.accepted import AcceptedEvents
from twofold.adk.address import ServerPlace, place_of
from twofold.adk.call_clock import timed
from twofold.adk.late_memory import LateMemory
from twofold.adk.recall_cache import Asked, RecallCache
from twofold.adk.recalled import entry_of
from twofold.adk.scopes import ScopeOf, scopes, tenant_of
from twofold.adk.transcript import transcript_of
from twofold.adk.turn import current_turn
from twofold.adk.verbatim import texts_of
from twofold.health import Backlog, Health
from twofold.in_process import InProcessMemory
from twofold.loop_thread import finished
from twofold.memory.errors import SettingsInvalid
from twofold.memory.scope import Scope
from twofold.memory_access import MemoryAccess
from twofold.models.open import Models
from twofold.remote import RemoteMemory
from twofold.settings import load_settings
from twofold.telemetry import searching

logger = logging.getLogger(__name__)

NO_SESSION = "events"


class MemoryService(BaseMemoryService):
    """Long-term memory for ADK agents: what the user said, and what the agent did.

    Hand it to a `Runner`, give the agent ADK's `PreloadMemoryTool`, and the runner a `MemoryPlugin`. Making
    one does no I/O; the first call opens the database or reaches the server. It may be used from any thread and
    event loop.
    """

    def __init__(
        self,
        uri: str | None = None,
        *,
        service_key: str | None = None,
        chat_model: str | None = None,
        embedding_model: str | None = None,
        models: Models | None = None,
        scope: ScopeOf | None = None,
        min_messages: int | None = None,
        wait: bool = False,
        relevance_floor: float | None = None,
        agents_dir: str | None = None,
        **unknown: object,
    ) -> None:
        """Take where the memories are kept and how they are made; what is not given is a setting.

        `uri`: none or `twofold:///` for the setting `database_url`, else the embedded server;
        `postgresql://…` or `twofold+postgresql://…` for a database; `https://…` or `twofold+https://…` for a
        twofold server, with a `service_key` of it. `models` are opened models and win over `chat_model` and
        `embedding_model`; they, `min_messages` and `relevance_floor` are the server's own where there is one.
        `scope` maps ADK's `(app_name, user_id)` to whose memory it is; none makes each app a tenant, and
        `?tenant=acme` at the end of `uri` makes one tenant of all apps. `wait`: `add_session_to_memory` returns
        when the session is stored, not when it is accepted. With `agents_dir`, which ADK's own servers pass,
        settings are read again when memory is first used: they read an agent's `.env` late. Other keywords ADK
        passes to every memory service are ignored. Raises SettingsInvalid.
        """
        if unknown:
            logger.debug("Ignored keywords of the memory service: %s", ", ".join(sorted(unknown)))
        extraction = {
            "chat_model": chat_model,
            "embedding_model": embedding_model,
            "min_messages": min_messages,
            "relevance_floor": relevance_floor,
        }
        address, tenant = tenant_of(uri)
        make = partial(_memory, address, service_key, models, extraction)
        self._late = LateMemory(make, late=agents_dir is not None)
        self._scope = scopes(scope, tenant)
        self._wait = wait
        self._searches = RecallCache()
        self._accepted = AcceptedEvents()

    @override
    async def add_session_to_memory(self, session: Session) -> None:
        """Accept a session durably, in a few milliseconds; its memories follow. Raises NotAccepted."""
        await self.accept(session)

    async def accept(
        self, session: Session, *, seconds: Mapping[str, float] | None = None, within: float | None = None
    ) -> None:
        """Accept a session, with the exact `seconds` of its tool calls by call id.

        Events that were accepted before are not read again. Raises NotAccepted, also when an open memory does
        not accept it `within` so many seconds.
        """
        scope = self._scope(session.app_name, session.user_id)
        events = self._accepted.unseen(scope, session.id, session.events)
        part = session.model_copy(update={"events": list(events)})
        # On a thread: what a tool returned may be large, and it is searched for secrets.
        transcript = timed(await asyncio.to_thread(transcript_of, part, self._memory.redactor), seconds or {})
        await self._memory.accept(scope, transcript, wait=self._wait, within=within)
        self._accepted.note(scope, session.id, events)
        if self._wait:
            self._searches.clear(scope)

    @override
    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Accept a part of a session; it is merged with what is known of it. Raises NotAccepted.

        Events without a session are kept together as one session of their own.
        """
        del custom_metadata
        session = Session(id=session_id or NO_SESSION, app_name=app_name, user_id=user_id, events=list(events))
        await self.accept(session)

    @override
    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store memories as they are worded, after redaction; no model reads them."""
        del custom_metadata
        scope = self._scope(app_name, user_id)
        await self._memory.add(scope, texts_of(memories))
        self._searches.clear(scope)

    @override
    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return what is remembered for a query, newest first; nothing when memory is down or too slow.

        `health` tells "memory is down" from "nothing known".
        """
        try:
            if not query.strip():
                return SearchMemoryResponse()
            asked = self._asked(self._scope(app_name, user_id), query)
            with searching():
                start = partial(self._memory.recall, asked.scope, asked.query, asked.except_session)
                search = finished(self._searches.search(asked, start))
                recall = await asyncio.wait_for(search, self._memory.patience())
            return SearchMemoryResponse(memories=[entry_of(memory) for memory in (*recall.facts, *recall.episodes)])
        except Exception as error:  # noqa: BLE001 - the read edge: recall never hurts the agent
            self.health.search_failed(error)
            return SearchMemoryResponse()

    @override
    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Erase one memory by the id of its entry; an unknown id or another person's changes nothing."""
        with self._forgetting(app_name, user_id) as scope:
            if memory_id:
                await self._memory.erase_memory(scope, memory_id)

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Erase what came from one session; handing it over again does not bring it back."""
        with self._forgetting(app_name, user_id) as scope:
            await self._memory.erase_session(scope, session_id)

    async def delete_user(self, *, app_name: str, user_id: str) -> None:
        """Erase all that is remembered of one user; handing old sessions over again does not bring it back."""
        with self._forgetting(app_name, user_id) as scope:
            await self._memory.erase_user(scope)

    @property
    def health(self) -> Health:
        """How memory is doing, as last seen, without a request; `str(service.health)` is one sentence."""
        return self._late.made.health

    async def backlog(self) -> Backlog:
        """Look at what waits to be stored and what was given up after ten attempts; `health` tells it too."""
        return await self._memory.backlog()

    async def retry(self) -> int:
        """Have what was given up worked on anew, and what waits at once; return how many sessions that are."""
        return await self._memory.retry()

    async def flush(self, *, timeout: float = 30.0) -> int:
        """Work on all accepted sessions now; return how many are not done after `timeout` seconds."""
        return await self._memory.flush(timeout=timeout)

    async def close(self) -> None:
        """Finish what is due, for at most five seconds, and release everything; twice does no harm."""
        await asyncio.to_thread(self._late.made.close)

    @property
    def _memory(self) -> MemoryAccess:
        return self._late.used()

    @contextmanager
    def _forgetting(self, app_name: str, user_id: str) -> Iterator[Scope]:
        """Serve nothing from before afterwards, also where not all could be erased."""
        scope = self._scope(app_name, user_id)
        try:
            yield scope
        finally:
            self._searches.clear(scope)
            self._accepted.forget(scope)

    def _asked(self, scope: Scope, query: str) -> Asked:
        turn = current_turn.get()
        if turn is None:
            return Asked(scope, query, None)
        if turn.asks(query):
            return Asked(scope, turn.widened, turn.session_id, turn.invocation_id)
        return Asked(scope, query, turn.session_id)


def _memory(
    uri: str | None, service_key: str | None, models: Models | None, extraction: Mapping[str, object]
) -> MemoryAccess:
    """Return the memory that an address names. Raises SettingsInvalid for arguments that are not for its kind."""
    place = place_of(uri)
    if isinstance(place, ServerPlace):
        given = [name for name, value in (("models", models), *extraction.items()) if value is not None]
        if given:
            raise SettingsInvalid(f"{', '.join(given)}: a twofold server decides this itself; set it there")
        return RemoteMemory(load_settings(server_key=service_key), place.url)
    if service_key is not None:
        raise SettingsInvalid("service_key: is for a memory on a server, and this uri names none; use https://…")
    return InProcessMemory(load_settings(database_url=place.url, **extraction), models=models)
