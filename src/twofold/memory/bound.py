"""Ports that serve one person only, whatever a step asks of them.

The state of a graph is no proof of whose memory it may touch: on a LangGraph server its owner can edit it between
two steps, or start at any of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from twofold.memory.errors import NotAllowed
from twofold.memory.jsontypes import Json
from twofold.memory.memories import Applied, Memory, Part, Progress, Retraction, Save, Vector
from twofold.memory.ports import KeptExtractions, Memories, ReadPorts, WritePorts
from twofold.memory.rewinds import Undone
from twofold.memory.scope import Kind, Scope


def write_ports_of(ports: WritePorts, scope: Scope) -> WritePorts:
    """Return the ports of a write graph that is bound to one person."""
    return replace(ports, memories=_Memories(ports.memories, scope), kept=_Kept(ports.kept, scope))


def read_ports_of(ports: ReadPorts, scope: Scope) -> ReadPorts:
    """Return the ports of a read graph that is bound to one person."""

    def recalled(asked: Scope) -> None:
        ports.recalled(_same(asked, scope))

    return replace(ports, memories=_Memories(ports.memories, scope), recalled=recalled)


def _same(asked: Scope, bound: Scope) -> Scope:
    if asked != bound:
        raise NotAllowed("scope: this graph is bound to another person; its state may not name one")
    return bound


@dataclass(frozen=True, slots=True)
class _Memories:
    memories: Memories
    bound: Scope

    async def search(
        self,
        scope: Scope,
        kind: Kind,
        *,
        query: str,
        vector: Vector,
        limit: int,
        except_session: str | None = None,
    ) -> Sequence[Memory]:
        return await self.memories.search(
            _same(scope, self.bound), kind, query=query, vector=vector, limit=limit, except_session=except_session
        )

    async def get(self, scope: Scope, key: str) -> Memory | None:
        return await self.memories.get(_same(scope, self.bound), key)

    async def progress(self, scope: Scope, session_id: str) -> Progress:
        return await self.memories.progress(_same(scope, self.bound), session_id)

    async def retractions(self, scope: Scope, session_id: str, undone: Undone) -> Sequence[Retraction]:
        return await self.memories.retractions(_same(scope, self.bound), session_id, undone)

    async def save(self, save: Save, vectors: Mapping[str, Vector]) -> Sequence[Applied]:
        _same(save.scope, self.bound)
        return await self.memories.save(save, vectors)


@dataclass(frozen=True, slots=True)
class _Kept:
    kept: KeptExtractions
    bound: Scope

    async def get(self, scope: Scope, session_id: str, part: Part, input_hash: str) -> Json:
        return await self.kept.get(_same(scope, self.bound), session_id, part, input_hash)

    async def keep(self, scope: Scope, session_id: str, part: Part, input_hash: str, result: Json) -> None:
        await self.kept.keep(_same(scope, self.bound), session_id, part, input_hash, result)
