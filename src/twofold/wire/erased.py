"""The body that tells what was erased, and what is left."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from twofold.wire.parts import Body


class ErasedBody(Body):
    """What was erased, and the proof: the rows that are left of it in each table, counted afterwards.

    A server that is none of LangGraph's has no threads.
    """

    memories: int = Field(description="Memories.")
    sessions: int = Field(description="Accepted sessions.")
    audit_entries: int = Field(description="Changes of memories that lost their words.")
    jobs: int = Field(description="Saves that waited or were given up.")
    vectors: int = Field(default=0, description="Vectors of memories.")
    entries: int = Field(default=0, description="Entries of accepted sessions.")
    extractions: int = Field(default=0, description="Extractions kept for a retry.")
    ledger: int = Field(default=0, description="Sessions whose events were noted as extracted.")
    spared: int = Field(
        default=0, description="Entries the memory rested on that stay: other memories rest on them too."
    )
    people: int = Field(default=0, description="People of a tenant.")
    threads: int = Field(default=0, description="Threads of a LangGraph server, with their checkpoints and runs.")
    runs: int = Field(default=0, description="Runs of threads that were under way and were cancelled.")
    schedules: int = Field(default=0, description="Scheduled runs of a LangGraph server.")
    threads_left: list[str] = Field(
        default_factory=list, description="What could not be erased of a LangGraph server, and why; erase again."
    )
    at: datetime | None = Field(default=None, description="When; null if there was nothing to erase.")
    remaining: dict[str, int] = Field(
        default_factory=dict, description="The rows that are left, by table; those of others are not counted."
    )
    tombstones: int = Field(default=0, description="Notes that keep it out, without its words.")
    running: int = Field(default=0, description="Saves that were under way; they end without effect.")
