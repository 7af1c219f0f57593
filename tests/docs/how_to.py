"""A how-to's commands as one shell script: what its reader would type, in that order."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SERVERS = {"twofold serve": 2025, "langgraph dev": 2024, "adk web": 8000, "adk api_server": 8000}
_WAIT_FOR = """
import socket, sys, time
deadline = time.monotonic() + 90
while time.monotonic() < deadline:
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", int(sys.argv[1]))) == 0:
            sys.exit()
    time.sleep(0.1)
sys.exit(f"nothing listens on port {sys.argv[1]}")
"""
MARK = "@@ block"


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: its language, what follows the language, and its text."""

    language: str
    note: str
    text: str


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    return [Block(*found) for found in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def commands(page: Path) -> list[Block]:
    """Return the blocks a reader types: `sh`, and `sh server` for what goes on in a terminal of its own."""
    return [block for block in blocks(page) if block.language == "sh" and "not run" not in block.note]


def script(page: Path, ports: dict[int, int]) -> str:
    """Return the script of a page, with other ports where a machine may have the usual ones in use."""
    lines = ["set -euo pipefail", "trap 'trap - TERM; kill $(jobs -p) 2>/dev/null || true; wait' EXIT"]
    for number, block in enumerate(commands(page)):
        lines.append(f"echo {shlex.quote(f'{MARK} {number}')}")
        lines.extend(_server(block.text, number, ports) if "server" in block.note else [_elsewhere(block.text, ports)])
    return "\n".join(lines)


def expected(page: Path) -> dict[int, list[str]]:
    """Return the lines that the output of a command must hold: those of the `text` block after it; `…` is anything."""
    found: dict[int, list[str]] = {}
    number = -1
    for block in blocks(page):
        if block.language == "sh" and "not run" not in block.note:
            number += 1
        elif block.language == "text" and number >= 0:
            found[number] = [line.strip() for line in block.text.splitlines() if line.strip() not in {"", "…"}]
    return found


def shown(line: str, output: str) -> bool:
    """Whether a line stands in an output, whatever stands where it has `…`."""
    pattern = ".*".join(re.escape(part.strip()) for part in line.split("…"))
    return re.search(pattern, output, re.DOTALL if "…" in line else 0) is not None


def _server(text: str, number: int, ports: dict[int, int]) -> list[str]:
    name, usual = next((name, port) for name, port in _SERVERS.items() if name in text)
    port = ports[usual]
    command = re.sub(rf"({name})\b", rf"\1 --port {port}", _elsewhere(text, ports))
    return [f"( {command.strip()}\n) > server-{number}.log 2>&1 &", f"python -c {shlex.quote(_WAIT_FOR)} {port}"]


def _elsewhere(text: str, ports: dict[int, int]) -> str:
    for usual, port in ports.items():
        text = re.sub(rf"(?<=:){usual}\b", str(port), text)
    return text
