"""What a backfill would hand over, counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from twofold.cli.backfill_progress import told_progress
from twofold.cli.output import Listing, many, print_document, print_listing, said

if TYPE_CHECKING:
    from twofold.adk.scopes import ScopeOf
    from twofold.adk.stored.sessions import SessionPart
    from twofold.adk.stored.source import SessionSource


@dataclass(slots=True)
class _Counted:
    """What there is of one app."""

    tenants: set[str] = field(default_factory=set)
    users: set[str] = field(default_factory=set)
    sessions: int = 0
    events: int = 0
    unreadable: int = 0

    def count(self, part: SessionPart, tenant: str) -> None:
        self.tenants.add(tenant)
        self.users.add(part.user_id)
        self.sessions += part.first
        self.events += part.events
        self.unreadable += part.unreadable


def rehearse(source: SessionSource, scope_of: ScopeOf, *, as_json: bool) -> bool:
    """Read everything, print what there is of each app, and return whether some of it cannot be read."""
    from twofold.adk.backfill import Tally

    tally, apps = Tally(), dict[str, _Counted]()
    with told_progress(source.count(), saves=False) as tell:
        for part in source.parts():
            tenant = scope_of(part.app_name, part.user_id).tenant_id
            apps.setdefault(part.app_name, _Counted()).count(part, tenant)
            tally.read(part)
            tell(tally)
    rows = [
        {
            "app": app,
            "tenant": ", ".join(sorted(counted.tenants)),
            "users": len(counted.users),
            "sessions": counted.sessions,
            "events": counted.events,
            "unreadable": counted.unreadable,
        }
        for app, counted in apps.items()
    ]
    if as_json:
        print_document({"dry_run": True, "apps": rows, "sessions": tally.sessions, "events": tally.events})
    else:
        columns = ("app", "tenant", "users", "sessions", "events", "unreadable")
        print_listing(Listing(columns=columns, rows=[tuple(str(row[name]) for name in columns) for row in rows]))
        said(f"{many(tally.sessions, 'session')} with {many(tally.events, 'event')} would be handed over")
    return tally.unreadable > 0
