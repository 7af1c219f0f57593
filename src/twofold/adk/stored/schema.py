"""Whether a database holds ADK's sessions in a form that can be read."""

from __future__ import annotations

from twofold.adk.stored.rows import Rows
from twofold.memory.errors import InvalidInput

VERSION = "1"
_VERSION = "SELECT value FROM adk_internal_metadata WHERE key = 'schema_version'"
_SESSIONS = frozenset({"app_name", "user_id", "id", "update_time"})
_EVENTS = frozenset({"app_name", "user_id", "session_id", "id", "invocation_id", "timestamp", "event_data"})


def check_schema(rows: Rows) -> None:
    """Raise InvalidInput, naming the way out, for any schema but v1 and that of the `.adk` files."""
    sessions, events = rows.columns("sessions"), rows.columns("events")
    if not sessions or not events:
        raise InvalidInput(
            f"SOURCE: {rows.shown} holds no sessions of ADK: it lacks the tables `sessions` and `events`"
        )
    if "actions" in events and "event_data" not in events:
        raise InvalidInput(
            f"SOURCE: {rows.shown} has ADK's schema v0, which holds pickles, and those are never loaded. Run"
            " `adk migrate session --source_db_url … --dest_db_url …` and backfill from the database that makes."
        )
    if rows.columns("adk_internal_metadata"):
        versions = [row[0] for row in rows.all(_VERSION, {})]
        if versions != [VERSION]:
            raise InvalidInput(
                f"SOURCE: {rows.shown} has ADK's schema version {', '.join(map(str, versions)) or 'unknown'}; only"
                f" version {VERSION} can be read"
            )
    if missing := sorted((_SESSIONS - set(sessions)) | (_EVENTS - set(events))):
        raise InvalidInput(f"SOURCE: {rows.shown} is no session database of ADK: it lacks the columns {missing}")
