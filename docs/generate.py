"""Write anew what comes from code: the blocks of README.md and the pages of docs/reference/.

`python docs/generate.py` writes, `--check` only says whether it would change anything.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from pages import HEAD, NO_PARTS, pages, settings_table

from twofold.graphs.read import build_read
from twofold.graphs.write import build_write

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
REFERENCE = ROOT / "docs" / "reference"


def blocks() -> dict[str, str]:
    """Return each generated block of the README by its name."""
    return {
        "memory_write": _mermaid(build_write(NO_PARTS)),
        "memory_read": _mermaid(build_read(NO_PARTS)),
        "settings": settings_table(of_servers=False),
    }


def rewritten(text: str) -> str:
    """Return the README with each generated block made anew."""
    for name, block in blocks().items():
        pattern = re.compile(rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text, found = pattern.subn(lambda match, block=block: f"{match[1]}{block}\n{match[2]}", text)
        if found != 1:
            raise SystemExit(f"README.md has {found} blocks named {name!r}, expected one")
    return text


def files() -> dict[Path, str]:
    """Return the text that each file should have."""
    made = {REFERENCE / f"{name}.md": text for name, text in pages().items()}
    return {README: rewritten(README.read_text(encoding="utf-8")), **made}


def _mermaid(graph: Any) -> str:
    return f"```mermaid\n{graph.compile().get_graph().draw_mermaid(with_styles=False).strip()}\n```"


def main() -> None:
    """Write the files, or with `--check` end with 1 when one is not up to date."""
    wanted = files()
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    left = [path for path in REFERENCE.glob("*.md") if path not in wanted and path.read_text().startswith(HEAD)]
    if "--check" in sys.argv:
        if stale or left:
            names = ", ".join(str(path.relative_to(ROOT)) for path in (*stale, *left))
            raise SystemExit(f"{names}: not up to date; run `python docs/generate.py`")
        return
    for path in left:
        path.unlink()
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")


if __name__ == "__main__":
    main()
