"""A database prepared for the local model, and the command on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import CliRunner, Result

from tests.cli.seeds import NAMED, Seeds
from tests.database import DatabaseServer
from twofold.cli.main import app
from twofold.store.migrate import migrate

Twofold: TypeAlias = Callable[..., Result]


@pytest.fixture(scope="session")
def cli_template(database_server: DatabaseServer) -> str:
    """Migrate one database, of which each test gets a copy."""
    name = "cli_template"
    database_server.create(name)
    asyncio.run(migrate(database_server.url(name), dims=NAMED.dims, embedder=NAMED.name))
    return name


@pytest.fixture
def prepared_url(database_server: DatabaseServer, cli_template: str) -> Iterator[str]:
    """Lend a migrated database that only this test sees."""
    with database_server.database(template=cli_template) as url:
        yield url


@pytest.fixture
def seeds(prepared_url: str) -> Seeds:
    """Return what fills the database."""
    return Seeds(prepared_url)


@pytest.fixture
def environment(tmp_path: Path, prepared_url: str) -> dict[str, str]:
    """Return the environment of the real command: a database, and a home of its own."""
    return {"TWOFOLD_DATABASE_URL": prepared_url, "HOME": str(tmp_path), "PATH": "", "LANG": "C.UTF-8"}


@pytest.fixture
def twofold(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Twofold:
    """Return the command, to be called in this process with its arguments: what it writes is no terminal's."""
    for name, value in environment.items():
        if name != "PATH":
            monkeypatch.setenv(name, value)
    runner = CliRunner()

    def call(*arguments: str, typed: str | None = None) -> Result:
        return runner.invoke(app, list(arguments), input=typed)

    return call
