"""`adk run`, and `adk web` for one agent: they read the agent's own folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.adk_servers.server import (
    CLOSE,
    FACT,
    REASON,
    RUN,
    RUN_ONCE,
    RUN_TENANT,
    WEB_ONE,
    WHY,
    address_of,
    arguments,
    ended,
    environment_of,
    running,
    stored,
    url_of,
)
from twofold.adk.wiring import check_agents


@pytest.fixture
def month_end(home: Path) -> Path:
    return home / "examples" / "agents" / "month_end"


def test_one_agents_env_file_leads_run_and_web_to_the_same_memory(
    home: Path, month_end: Path, database_url: str
) -> None:
    """`adk run` reads `.env` before it makes the memory service, `adk web` after."""
    environment = environment_of(home)
    (month_end / ".env").write_text(f"TWOFOLD_DATABASE_URL={url_of(database_url)}\n")
    typed = ended(arguments(RUN), cwd=home, environment=environment, typed=f"{FACT}\n{CLOSE}\nexit\n")
    assert typed.returncode == 0, typed.stderr
    assert "[month_end]: close_period failed: open subledgers exist." in typed.stdout
    assert len(stored(database_url, "episodic", user_id="test_user")) == 1

    asked = ended(arguments(RUN_ONCE), cwd=home, environment=environment)
    assert asked.stdout.splitlines()[-1].endswith(REASON), asked.stdout + asked.stderr

    with running(arguments(WEB_ONE), cwd=home, environment=environment, log=home / "one.log") as server:
        assert server.person("test_user").say("one", WHY).endswith(REASON)
    assert not (home / "data").exists()


@pytest.mark.long
def test_a_tenant_in_the_address_joins_what_two_names_would_part(
    home: Path, month_end: Path, database_url: str
) -> None:
    """An agent known by two names, as `adk web` and `adk run` know one whose App is called otherwise."""
    renamed = month_end.with_name("closing")
    shutil.copytree(month_end, renamed)
    agent = renamed / "agent.py"
    agent.write_text(agent.read_text().replace('App(name="month_end"', 'App(name="books"'))
    command = arguments(RUN_TENANT, uri=address_of(database_url, tenant="acme"))
    ended([*command, CLOSE], cwd=home, environment=environment_of(home))
    asked = ended([*command[:-1], str(renamed), WHY], cwd=home, environment=environment_of(home))
    assert asked.stdout.splitlines()[-1].endswith(REASON), asked.stdout + asked.stderr
    assert stored(database_url, "episodic", user_id="test_user", tenant="month_end") == []
    assert len(stored(database_url, "episodic", user_id="test_user", tenant="acme")) == 1


@pytest.mark.long
def test_a_folder_without_the_services_file_is_refused_and_the_check_tells_the_way_out(
    home: Path, month_end: Path, database_url: str
) -> None:
    environment = environment_of(home, TWOFOLD_DATABASE_URL=url_of(database_url))
    plain = month_end.with_name("plain")
    command = [*arguments(RUN)[:-1], str(plain), "Good morning."]
    refused = ended(command, cwd=home, environment=environment)
    assert refused.returncode != 0
    assert "Unsupported memory service URI: twofold:" in refused.stderr
    (missing,) = [finding for finding in check_agents(plain) if "Unsupported memory service URI" in finding.found]
    assert missing.level == "problem"
    (plain / "services.yaml").write_text(missing.remedy.split("`")[1])
    assert ended(command, cwd=home, environment=environment).returncode == 0
