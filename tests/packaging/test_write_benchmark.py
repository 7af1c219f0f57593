"""`make bench` still runs: a save beside the two managers alone, its parts, the queue and the growth."""

import subprocess
import sys

import pytest

from tests.packaging.project import ROOT

BENCHMARK = [sys.executable, str(ROOT / "benchmarks" / "write.py"), *"--rounds 1 --users 1 --sessions 1".split()]


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_save_is_measured_beside_the_managers_alone() -> None:
    done = subprocess.run(BENCHMARK, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for told in ("managers alone", "ratio", "redaction", "accept to stored", "A core", "1 user"):
        assert told in done.stdout
