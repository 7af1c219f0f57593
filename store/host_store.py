"""LangGraph's own store on our database, for the graphs that a host runs beside ours."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langchain_core.embeddings import Embeddings
from langgraph.store.postgres import AsyncPostgresStore

from twofold.memory.ports import Embedder
from twofold.store.pool import open_pool
from twofold.store.ttl import ttl_minutes
from twofold.store.vectors import checked_vector

CONNECTIONS = 2
"""LangGraph's store works on one batch at a time."""


class PortEmbeddings(Embeddings):
    """Our embedder as LangChain calls one."""

    def __init__(self, embedder: Embedder) -> None:
        """Take the embedder, which belongs to the running loop."""
        self._embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Raise NotImplementedError: the store of a server is asked on its loop only."""
        raise NotImplementedError("This store works on its event loop: await `asearch`, `aput`")

    def embed_query(self, text: str) -> list[float]:
        """Raise NotImplementedError, as `embed_documents`."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors as pgvector's type. Raises ModelFailed for one that cannot be compared."""
        vectors = await self._embedder.embed(texts)
        return [checked_vector(vector, self._embedder.dims) for vector in vectors]  # type: ignore[misc]

    async def aembed_query(self, text: str) -> list[float]:
        """Return the vector of one text."""
        return (await self.aembed_documents([text]))[0]


@asynccontextmanager
async def host_store(url: str, embedder: Embedder, *, ttl_days: int | None) -> AsyncIterator[AsyncPostgresStore]:
    """Lend a store on a database that `migrate` has prepared; what is put there lives as long as a memory.

    Reading does not prolong it, and what has expired is not returned: LangGraph's refresh on reading deadlocks.
    Raises StoreUnavailable.
    """
    pool = await open_pool(url, max_size=CONNECTIONS)
    try:
        store = AsyncPostgresStore(
            pool,
            index={"dims": embedder.dims, "embed": PortEmbeddings(embedder)},
            ttl={"default_ttl": ttl_minutes(ttl_days), "refresh_on_read": False, "omit_expired": True},
        )
        try:
            yield store
        finally:
            if store._task is not None:  # noqa: SLF001 - it has no public end
                store._task.cancel()  # noqa: SLF001 - its batching task would complain when the loop ends
    finally:
        await pool.close()
