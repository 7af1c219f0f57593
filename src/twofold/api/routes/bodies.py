"""Values of the store as bodies."""

from __future__ import annotations

from twofold.store.erase import Erased
from twofold.wire import ErasedBody


def erased_body(erased: Erased) -> ErasedBody:
    """Return how much was erased."""
    return ErasedBody(
        memories=erased.memories,
        sessions=erased.sessions,
        audit_entries=erased.audit_entries,
        jobs=erased.jobs,
    )
