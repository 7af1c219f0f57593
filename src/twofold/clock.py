"""The one place that asks for the time of day."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - this is the clock port's real side
