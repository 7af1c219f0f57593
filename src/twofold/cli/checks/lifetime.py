"""Whether memory lives longer than people usually stay away."""

from __future__ import annotations

from twofold.cli.checks.subject import Subject, ok, warning
from twofold.memory.findings import Finding

MONTH_END = 31
SAFE_DAYS = 65
_NAMED = 3


async def check_lifetime(subject: Subject) -> list[Finding]:
    """Compare the time to live with the usual pauses of the people known."""
    days = subject.settings.ttl_days
    if not subject.is_usable:
        return []
    async with subject.opened() as database:
        pauses = await database.overview.long_pauses(days / 2)
    if not pauses:
        return [ok("time to live", f"{days} days; nobody usually stays away for over half of that{_trap(days)}")]
    named = ", ".join(
        f"{tenant} / {user} ({pause.days:.0f} days)" for pause in pauses[:_NAMED] for tenant, user in [pause.shown]
    )
    more = f" and {len(pauses) - _NAMED} more" if len(pauses) > _NAMED else ""
    enough = max(SAFE_DAYS, round(2 * pauses[0].days) + 1)
    return [
        warning(
            "time to live",
            f"{days} days, but these usually stay away for over half of that: {named}{more}. One pause that is longer"
            " than usual, and they are forgotten",
            f"set TWOFOLD_TTL_DAYS={enough}; a month-end job runs every {MONTH_END} days at worst",
        )
    ]


def _trap(days: int) -> str:
    if days > 2 * MONTH_END:
        return ""
    return f". A month-end job, which runs every {MONTH_END} days at worst, needs TWOFOLD_TTL_DAYS={SAFE_DAYS}"
