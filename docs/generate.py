"""Rewrite the parts of README.md that come from code: both graphs and the table of settings.

`python docs/generate.py` rewrites, `--check` only says whether it would change anything.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, cast

from twofold.graphs.read import build_read
from twofold.graphs.write import build_write
from twofold.settings import Settings

README = Path(__file__).parent.parent / "README.md"


def generated() -> dict[str, str]:
    """Return each generated block by its name."""
    no_ports = cast("Any", None)  # wiring only: no node runs
    return {
        "memory_write": _mermaid(build_write(no_ports).compile().get_graph().draw_mermaid(with_styles=False)),
        "memory_read": _mermaid(build_read(no_ports).compile().get_graph().draw_mermaid(with_styles=False)),
        "settings": "\n".join(["| variable | default | what it does |", "| --- | --- | --- |", *_rows()]),
    }


def rewritten(text: str) -> str:
    """Return the README with each generated block made anew."""
    for name, block in generated().items():
        pattern = re.compile(rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text, found = pattern.subn(lambda match, block=block: f"{match[1]}{block}\n{match[2]}", text)
        if found != 1:
            raise SystemExit(f"README.md has {found} blocks named {name!r}, expected one")
    return text


def _mermaid(drawn: str) -> str:
    return f"```mermaid\n{drawn.strip()}\n```"


def _rows() -> list[str]:
    return [
        f"| `{_variable(name)}` | {_default(name)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    ]


def _variable(name: str) -> str:
    alias = Settings.model_fields[name].validation_alias
    choices = getattr(alias, "choices", None)
    return f"TWOFOLD_{name.upper()}` or `{choices[1]}" if choices else f"TWOFOLD_{name.upper()}"


def _default(name: str) -> str:
    field = Settings.model_fields[name]
    if field.default_factory is not None:
        return "none" if field.default_factory is dict else "the user's data folder"
    if isinstance(field.default, tuple):
        return f"`{json.dumps(field.default)}`"
    return "none" if field.default is None else f"`{field.default}`".lower()


def main() -> None:
    """Rewrite, or with `--check` end with 1 when the README is not up to date."""
    before = README.read_text(encoding="utf-8")
    after = rewritten(before)
    if "--check" not in sys.argv:
        README.write_text(after, encoding="utf-8")
    elif before != after:
        raise SystemExit("README.md is not up to date: run `python docs/generate.py`")


if __name__ == "__main__":
    main()
