"""The guards every test runs under, and the databases it can ask for."""

import os
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.database import DatabaseServer, running_server
from tests.guards import NetworkGuard, clean_environment


def pytest_configure(config: pytest.Config) -> None:
    """Clean the environment before a test module is imported: libraries read it then, and remember it."""
    clean_environment(os.environ)  # noqa: TID251 - the guard of the environment
    # Time is no promise of a property; a hundred examples of each find no more here than forty, and take longer.
    settings.register_profile("twofold", max_examples=40, deadline=None)
    settings.load_profile("twofold")
    if not hasattr(config, "workerinput"):  # a worker of xdist inherits the folder, and so shares its locks
        runtime = tempfile.TemporaryDirectory(prefix="twofold-run-")
        config.add_cleanup(runtime.cleanup)
        os.environ["XDG_RUNTIME_DIR"] = runtime.name  # noqa: TID251 - unset, platformdirs warns: an error here


@pytest.fixture(autouse=True)
def own_environment() -> Iterator[None]:
    """Give each test the same clean environment, whatever the one before it left there."""
    before = dict(os.environ)  # noqa: TID251
    yield
    os.environ.clear()  # noqa: TID251
    os.environ.update(before)  # noqa: TID251


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[NetworkGuard]:
    """Fail a test that reached for another machine, even where the code under test swallowed the refusal."""
    guard = NetworkGuard()
    guard.install(monkeypatch)
    yield guard
    assert not guard.refused, f"tried to reach {guard.refused}"


@pytest.fixture(scope="session")
def database_server() -> Iterator[DatabaseServer]:
    """Run one PostgreSQL for the whole run (for each worker, with xdist)."""
    with running_server() as server:
        yield server


@pytest.fixture
def database_url(database_server: DatabaseServer) -> Iterator[str]:
    """Lend an empty database that only this test sees.

    A migrated one is a copy: a session fixture makes and migrates the template once, and a test's own fixture
    calls `database_server.database(template=...)`.
    """
    with database_server.database() as url:
        yield url
