"""LangGraph's tables `public.store` and `public.store_vectors`, exactly as its own setup() makes them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from langchain_core.embeddings import Embeddings
from langgraph.store.postgres import AsyncPostgresStore
from pgvector import Vector as PgVector
from psycopg import sql

from twofold.memory.errors import StoreUnsuitable
from twofold.memory.memories import Vector
from twofold.store.pool import Connection

MOST_DIMS = 2000
"""pgvector's HNSW index takes no more for the type `vector`."""

_INVALID = """
SELECT c.relname AS name
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND NOT i.indisvalid
  AND c.relname IN ('store_prefix_idx', 'store_vectors_embedding_idx')
"""
_DIMS = """
SELECT a.atttypmod AS dims
FROM pg_attribute a
WHERE a.attrelid = to_regclass('public.store_vectors') AND a.attname = 'embedding'
"""
_ANY_VECTOR = "SELECT EXISTS (SELECT 1 FROM public.store_vectors) AS found"


class Known(Embeddings):
    """Vectors that were computed before, so that no model is called inside a transaction."""

    def __init__(self, vectors: Mapping[str, Vector]) -> None:
        """Take one checked vector for each text that will be stored."""
        self._vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors, as pgvector's own type: dumping a list of floats takes ten times as long."""
        return [PgVector(list(self._vectors[text])) for text in texts]  # type: ignore[misc]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of one text."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors without a detour over a thread."""
        return self.embed_documents(texts)


@asynccontextmanager
async def joined(connection: Connection, vectors: Mapping[str, Vector], dims: int) -> AsyncIterator[AsyncPostgresStore]:
    """Lend LangGraph's store on our connection, so that it takes part in our transaction. Use its `abatch` only."""
    store = AsyncPostgresStore(connection, index={"dims": dims, "embed": Known(vectors), "fields": ["text"]})
    try:
        yield store
    finally:
        if store._task is not None:  # noqa: SLF001 - it has no public end
            store._task.cancel()  # noqa: SLF001 - its batching task would outlive it and complain at exit


async def make(connection: Connection, *, dims: int) -> None:
    """Run LangGraph's setup(). Index builds that a killed process left invalid are made anew.

    Raises StoreUnsuitable if the vectors are too long for its index.
    """
    if dims > MOST_DIMS:
        raise StoreUnsuitable(
            f"Vectors of {dims} dimensions are too long for pgvector's index: set `embedding_dims` to"
            f" {MOST_DIMS} or less."
        )
    for row in await (await connection.execute(_INVALID)).fetchall():
        await connection.execute(sql.SQL("DROP INDEX public.{}").format(sql.Identifier(row["name"])))
    async with joined(connection, {}, dims) as store:
        await store.setup()


async def vector_dims(connection: Connection) -> int | None:
    """Return the length of stored vectors, None before setup()."""
    row = await (await connection.execute(_DIMS)).fetchone()
    return None if row is None else int(row["dims"])


async def has_vectors(connection: Connection) -> bool:
    """Whether any vector is stored; the table must exist."""
    row = await (await connection.execute(_ANY_VECTOR)).fetchone()
    return row is not None and bool(row["found"])


async def drop_vectors(connection: Connection) -> None:
    """Drop the table of vectors, so that setup() makes it for another length."""
    async with connection.transaction():
        await connection.execute("DROP TABLE public.store_vectors")
        await connection.execute("DELETE FROM public.vector_migrations WHERE v > 0")
