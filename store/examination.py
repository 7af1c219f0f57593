"""A look at a server and a database, as they are: nothing is prepared, changed or locked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import LiteralString

import psycopg

from twofold.store.langgraph_tables import has_vectors
from twofold.store.migrate import Prepared, prepared
from twofold.store.pool import Connection, connect
from twofold.store.refusals import told
from twofold.store.suitability import Facts, facts_of, problem_of

_LACKING: LiteralString = """
SELECT n.nspname || '.' || c.relname AS name
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r'
  AND (n.nspname = 'twofold' OR (n.nspname = 'public' AND c.relname IN ('store', 'store_vectors')))
  AND NOT (has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
           AND has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE')
           AND has_table_privilege(c.oid, 'DELETE'))
ORDER BY name
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """The server's facts, what makes it unsuitable if anything does, and what the database was prepared for.

    `lacking` are the tables this role may not read and write; `holds_vectors`: another embedder cannot be set.
    """

    facts: Facts
    problem: str
    prepared: Prepared | None
    lacking: tuple[str, ...] = ()
    holds_vectors: bool = False


async def examine(url: str) -> Examined:
    """Look at a database. Raises StoreUnavailable."""
    found = await prepared(url)
    connection = await connect(url)
    try:
        return await _examined(connection, found)
    except psycopg.Error as error:
        raise told(error) from error
    finally:
        await connection.close()


async def _examined(connection: Connection, found: Prepared | None) -> Examined:
    facts = await facts_of(connection)
    if found is None:
        return Examined(facts=facts, problem=problem_of(facts), prepared=None)
    # A role that only uses what is there need not make anything.
    suited = replace(facts, may_create=facts.may_create or found.current)
    lacking = tuple(row["name"] for row in await (await connection.execute(_LACKING)).fetchall())
    readable = not {"public.store_vectors"} & set(lacking)
    return Examined(
        facts=facts,
        problem=problem_of(suited),
        prepared=found,
        lacking=lacking,
        holds_vectors=readable and await has_vectors(connection),
    )
