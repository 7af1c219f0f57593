"""`twofold export`."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from tests.cli.command import run_on_terminal
from tests.cli.conftest import Twofold
from tests.cli.seeds import ANNA, BEN, Seeds, failed_close


def test_everything_of_one_person_is_printed_a_line_each(twofold: Twofold, seeds: Seeds) -> None:
    seeds.remember(ANNA, "s1", *failed_close())
    seeds.facts(BEN, "of Ben")
    done = twofold("export", "--user", ANNA.user_id)
    assert done.exit_code == 0
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert {line["type"] for line in lines} == {"memory", "change", "session"}
    assert "of Ben" not in done.stdout
    assert [line["entries"][0]["text"] for line in lines if line["type"] == "session"] == ["My ledger is US Primary."]


def test_a_file_is_the_owners_alone_and_whole(twofold: Twofold, seeds: Seeds, tmp_path: Path) -> None:
    seeds.facts(ANNA, "Größe: 3 µm")
    target = tmp_path / "anna.ndjson"
    done = twofold("export", "--output", str(target))
    assert (done.exit_code, done.stdout) == (0, "")
    assert "2 lines in" in done.stderr
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert "Größe: 3 µm" in target.read_text(encoding="utf-8")
    assert list(tmp_path.glob("*.part")) == []


def test_a_file_that_is_there_stays(twofold: Twofold, tmp_path: Path) -> None:
    target = tmp_path / "anna.ndjson"
    target.write_text("precious")
    assert twofold("export", "--output", str(target)).exit_code == 2
    assert target.read_text() == "precious"


def test_a_place_that_cannot_be_written_is_told_in_one_line(twofold: Twofold, seeds: Seeds, tmp_path: Path) -> None:
    seeds.facts(ANNA, "one")
    done = twofold("export", "--output", str(tmp_path / "no" / "such" / "folder"))
    assert done.exit_code == 2
    assert "cannot be written" in " ".join(done.stderr.split())


def test_on_a_terminal_it_shows_how_far_it_is(environment: dict[str, str], seeds: Seeds, tmp_path: Path) -> None:
    seeds.facts(ANNA, "one")
    code, shown = run_on_terminal(environment, "export", "--output", str(tmp_path / "x"))
    assert code == 0
    assert "exporting" in shown
    assert "2 lines in" in shown


def test_of_nobody_there_is_nothing_to_export(twofold: Twofold) -> None:
    done = twofold("export")
    assert (done.exit_code, done.stdout) == (0, "")
