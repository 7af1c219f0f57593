"""The files for self-hosting name only what exists: commands, settings, files, roles and one another."""

import re
from typing import Any

import pytest
import typer.main

from tests.packaging.compose import DEPLOY, FILES, GIVEN, environment_of, example, services, variables
from tests.packaging.context import context
from tests.packaging.project import ROOT
from twofold.cli.main import app
from twofold.settings import Settings
from twofold.store.worker import CONCURRENCY

SETTINGS = {f"TWOFOLD_{name.upper()}" for name in Settings.model_fields}
SERVICES = [(file, name) for file in FILES for name in services(file)]
OURS = [("compose.yaml", name) for name in ("migrate", "serve", "worker")]
KEYS = set(
    "build cap_drop command depends_on deploy environment healthcheck image ports read_only restart security_opt"
    " shm_size stop_grace_period tmpfs volumes".split()
)
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize(("file", "name"), SERVICES)
def test_a_service_says_only_what_compose_understands(file: str, name: str) -> None:
    service = services(file)[name]
    assert set(service) <= KEYS
    together = services("compose.yaml") | services(file)
    for other, wanted in service.get("depends_on", {}).items():
        assert other in together
        assert wanted["condition"] in {"service_healthy", "service_completed_successfully"}
    for volume in service.get("volumes", ()):
        source = volume.partition(":")[0]
        assert source == "database" or (DEPLOY / source).is_file()


@pytest.mark.parametrize(("file", "name"), [*OURS, ("compose.langgraph.yaml", "langgraph")])
def test_a_container_gets_only_settings_that_exist(file: str, name: str) -> None:
    named = set(services(file)[name]["environment"])
    assert {variable for variable in named if variable.startswith("TWOFOLD_")} <= SETTINGS
    assert "TWOFOLD_MIGRATOR_PASSWORD" not in named
    assert "POSTGRES_PASSWORD" not in named


@pytest.mark.parametrize(("file", "name"), OURS)
def test_a_command_is_one_of_the_command_line_with_its_options(file: str, name: str) -> None:
    parsed(services(file)[name]["command"])


def parsed(command: list[str]) -> dict[str, Any]:
    """Have the command line take the words; a command or an option that it lacks is an error of click's."""
    program, name, *arguments = command
    assert program == "twofold"
    group = typer.main.get_group(app)
    return group.commands[name].make_context(name, arguments).params


def test_the_image_starts_a_server_that_containers_can_reach() -> None:
    (command,) = re.findall(r"^CMD \[(.*)\]$", DOCKERFILE, re.MULTILINE)
    given = parsed([word.strip(' "') for word in command.split(",")])
    assert (given["host"], given["port"]) == ("0.0.0.0", 2025)  # noqa: S104 - in a container
    assert services("compose.yaml")["serve"]["command"] == [word.strip(' "') for word in command.split(",")]
    assert services("compose.yaml")["serve"]["ports"][0].endswith(":2025")


def test_the_image_is_built_from_what_the_context_holds() -> None:
    arriving = {path.relative_to(ROOT).as_posix() for path in context(ROOT)}
    copied = [
        line.split()[1:-1] for line in DOCKERFILE.splitlines() if line.startswith("COPY ") and "--from" not in line
    ]
    for source in (name for names in copied for name in names):
        assert any(path == source or path.startswith(f"{source}/") for path in arriving), source
    assert {"requirements/base.txt"} <= {name for names in copied for name in names}


def test_the_image_runs_as_nobody_in_particular_with_locked_versions() -> None:
    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) == ["python:3.11-slim"] * 2
    assert re.findall(r"^USER (\S+)", DOCKERFILE, re.MULTILINE) == ["10001"]
    assert "--require-hashes -r requirements/base.txt" in DOCKERFILE
    assert DOCKERFILE.count("pip install") == DOCKERFILE.count("--require-hashes") + DOCKERFILE.count("--no-deps")


def test_servers_and_workers_use_the_role_that_changes_no_table() -> None:
    found = services("compose.yaml")
    users = {name: re.findall(r"//(\w+)@", found[name]["environment"]["TWOFOLD_DATABASE_URL"]) for _, name in OURS}
    assert users == {"migrate": ["twofold_migrator"], "serve": ["twofold_app"], "worker": ["twofold_app"]}
    roles = (DEPLOY / "database" / "10-roles.sql").read_text(encoding="utf-8")
    assert set(re.findall(r"CREATE ROLE (\w+)", roles)) == {"twofold_migrator", "twofold_app"}


def test_servers_and_workers_wait_for_the_migration() -> None:
    found = services("compose.yaml")
    for name in ("serve", "worker"):
        assert found[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    assert found["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert found["serve"]["environment"]["TWOFOLD_WORKER"] == "false"


def test_the_example_names_every_variable_and_no_other() -> None:
    filled_in = {name for file in FILES for name in variables(file)}
    passed_on = {
        name
        for file in FILES
        for service in services(file).values()
        for name, value in service.get("environment", {}).items()
        if value is None
    }
    assert filled_in <= set(example())
    assert set(example()) <= filled_in | passed_on
    assert passed_on <= SETTINGS


@pytest.mark.parametrize("name", GIVEN)
def test_a_needed_variable_that_is_missing_stops_compose(name: str) -> None:
    file = next(file for file in FILES if name in variables(file))
    with pytest.raises(LookupError, match=name):
        services(file, {other: value for other, value in GIVEN.items() if other != name})


def test_a_variable_is_passed_on_where_it_is_set_and_is_absent_elsewhere() -> None:
    serve = services("compose.yaml")["serve"]
    assert "TWOFOLD_AUTH_ISSUER" not in environment_of(serve, GIVEN)
    given = {**GIVEN, "TWOFOLD_AUTH_ISSUER": "https://login.example.com/"}
    assert environment_of(serve, given)["TWOFOLD_AUTH_ISSUER"] == "https://login.example.com/"


def test_the_database_takes_the_connections_of_all_processes() -> None:
    found = services("compose.yaml")
    most = int(found["postgres"]["command"][-1].partition("=")[2])
    pool = Settings.model_fields["pool_size"].default
    at_once = parsed(found["worker"]["command"])["concurrency"]
    worker = max(4, at_once + 2) + at_once + 2 + 1
    servers, workers = (int(found[name]["deploy"]["replicas"]) for name in ("serve", "worker"))
    assert servers * pool + workers * worker + 10 < most
    assert CONCURRENCY == 2
