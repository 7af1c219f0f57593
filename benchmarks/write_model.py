"""A chat model that answers at once, in a process of its own: `python benchmarks/write_model.py` prints its address."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from twofold.testing import OpenAIDouble


@contextmanager
def instant_model() -> Iterator[str]:
    """Run the model beside this process and lend its address."""
    command = [sys.executable, __file__]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ours
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("a pipe is missing")
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def main() -> None:
    """Answer until the other end of the pipe is closed."""
    with OpenAIDouble() as double:
        print(double.base_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
