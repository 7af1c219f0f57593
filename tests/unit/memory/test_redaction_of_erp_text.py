"""Ordinary ERP text is left as it is: at most one line in a hundred is taken for a secret."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.canaries import filled, seeded
from twofold.memory.redaction import redact_json, redact_text

DATA = Path(__file__).parents[2] / "data"
AIRLINE = Path(__file__).parents[3] / "src" / "twofold" / "demo" / "data" / "airline"
TEMPLATES = [line for line in (DATA / "erp" / "lines.txt").read_text(encoding="utf-8").splitlines() if line]
MOST_CHANGED = 0.01


def erp_lines(times: int = 20) -> Iterator[str]:
    """Yield each line with other numbers, amounts, dates and periods."""
    rng = seeded("erp")
    for _ in range(times):
        for template in TEMPLATES:
            line = template
            while (slot := next((name for name in SLOTS if name in line), None)) is not None:
                line = line.replace(slot, SLOTS[slot](rng), 1)
            yield filled(line, rng)


SLOTS = {
    "{date}": lambda rng: rng.choice(
        (
            f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
            f"{rng.randint(1, 28):02}.{rng.randint(1, 12):02}.2026",
        )
    ),
    "{amount}": lambda rng: rng.choice(("{:,.2f}", "{:.2f}", "-{:,.2f}")).format(
        rng.uniform(0.01, 10 ** rng.randint(2, 9))
    ),
    "{period}": lambda rng: rng.choice(
        (
            f"{rng.randint(1, 12):02}/2026",
            f"2026-{rng.randint(1, 12):02}",
            f"{rng.randint(1, 12):02}-26",
            "March 2026",
            "Mar-26",
        )
    ),
    "{ledger}": lambda rng: rng.choice(("US_PRIMARY", "0L", "EU Primary Ledger", "2L")),
}


def changed(lines: Iterable[str]) -> tuple[list[str], int]:
    """Return the lines that are redacted, and how many there are in all."""
    lines = list(lines)
    return [line for line in lines if redact_text(line) != line], len(lines)


def test_of_erp_text_at_most_one_line_in_a_hundred_is_changed(capsys: pytest.CaptureFixture[str]) -> None:
    wrong, total = changed(erp_lines())
    with capsys.disabled():
        print(f"\n{len(wrong)} of {total} ERP lines changed ({len(wrong) / total:.2%})", *sorted(wrong)[:5], sep="\n  ")  # noqa: T201
    assert total >= 20 * 120
    assert len(wrong) / total <= MOST_CHANGED


def test_no_kind_of_line_is_taken_for_a_secret_as_a_rule() -> None:
    """A rate over all lines could hide one that is always wrong."""
    rng = seeded("kinds")
    for template in TEMPLATES:
        lines = [filled(one, rng) for one in [template] * 20]
        assert len(changed(lines)[0]) <= 4, template


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from (line for line in value.splitlines() if line.strip())
    elif isinstance(value, dict):
        yield from (found for item in value.values() for found in strings(item))
    elif isinstance(value, list):
        yield from (found for item in value for found in strings(item))


@pytest.mark.parametrize("folder", [DATA / "adk_sessions", AIRLINE], ids=lambda folder: folder.name)
def test_recorded_conversations_hold_no_secret_and_are_not_changed(folder: Path) -> None:
    files = sorted(folder.glob("*.json*"))
    values = [json.loads(text) for file in files for text in _documents(file)]
    wrong, total = changed(line for value in values for line in strings(value))
    assert total >= 100
    assert len(wrong) / total <= MOST_CHANGED, wrong[:5]
    assert sum(redact_json(value) != value for value in values) <= len(values) * MOST_CHANGED


def _documents(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8")
    return text.splitlines() if file.suffix == ".jsonl" else [text]
