"""Options that several commands have."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, TypeAlias

import typer

JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]
LimitOption: TypeAlias = Annotated[
    int, typer.Option("--limit", metavar="NUMBER", min=1, max=10_000, help="Print at most so many.")
]
TenantOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--tenant", metavar="TENANT", help="Whose memory: the tenant, for ADK agents the app's name."),
]
UserOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--user", metavar="USER", help="Whose memory: the user. The only one may be left out."),
]


def in_paragraphs(command: Callable[..., None]) -> str:
    """Return what a command's docstring says, a line for each paragraph, so that a terminal breaks it by its width."""
    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
