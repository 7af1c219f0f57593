"""Variables that look like settings and are none."""

from __future__ import annotations

from twofold.cli.checks.subject import Subject, warning
from twofold.memory.findings import Finding
from twofold.settings import unknown_variables


async def check_names(_subject: Subject) -> list[Finding]:
    """Look for settings whose name is misspelt: they are not set."""
    return misspelt()


def misspelt() -> list[Finding]:
    """Return a warning for each variable that is none of the settings."""
    return [
        warning(
            "settings",
            f"{name} is no setting, and does nothing",
            f"call it {meant}, if that is meant" if meant else "see the settings in the README, or unset it",
        )
        for name, meant in unknown_variables().items()
    ]
