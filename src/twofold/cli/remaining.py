"""What is left of something that was forgotten, as the command prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twofold.cli.output import Listing, many, print_document, print_listing, print_text

if TYPE_CHECKING:
    from twofold.store.remains import Remains


def print_remains(remains: Remains) -> None:
    """Print how many rows are left, and in which tables."""
    apart = [many(remains.tombstones, "tombstone")]
    if remains.running:
        apart.append(f"{many(remains.running, 'save')} under way, to end without effect")
    rows = f"{many(remains.total, 'row')} {'remains' if remains.total == 1 else 'remain'}"
    print_text(f"{rows} in {len(remains.rows)} tables; apart from {' and '.join(apart)}")
    left = [(table, str(count)) for table, count in remains.rows.items() if count]
    print_listing(Listing(columns=("table", "rows"), rows=left))


def print_remains_document(remains: Remains) -> None:
    """Print what is left as one JSON document."""
    print_document({"remaining": dict(remains.rows), "tombstones": remains.tombstones, "running": remains.running})
