"""How a command ends, by its exit code."""

from __future__ import annotations

FAILED = 1
WRONG_USAGE = 2
FOUND_WANTING = 3
INTERRUPTED = 130
