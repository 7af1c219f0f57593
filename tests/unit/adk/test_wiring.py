"""What the check of an agents folder tells, by small folders that are wrong in one way each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from twofold.adk import MemoryService
from twofold.adk.services_file import SCHEMES
from twofold.adk.wiring import check_agents
from twofold.memory.findings import Finding

EXAMPLES = Path(__file__).parents[3] / "examples" / "agents"
YAML = "services:\n  - {scheme: twofold, type: memory, class: twofold.adk.MemoryService}\n"
AGENT = """
from google.adk.agents import LlmAgent
from google.adk.apps.app import App
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from twofold.adk import MemoryPlugin

root_agent = LlmAgent(name="clerk", tools=[PreloadMemoryTool()])
app = App(name="clerk", root_agent=root_agent, plugins=[MemoryPlugin()])
"""
WELL = {"services.yaml": YAML, "clerk/services.yaml": YAML, "clerk/agent.py": AGENT}


def written(folder: Path, files: Mapping[str, str | None]) -> Path:
    """Write the files of a folder that is well, with these instead; None leaves one out."""
    for name, text in {**WELL, **files}.items():
        if text is not None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return folder


def wrong(folder: Path) -> list[Finding]:
    """Return what is not well in a folder."""
    return [finding for finding in check_agents(folder) if finding.level != "ok"]


def entry(scheme: str = "twofold", kind: str = "memory", path: str = "twofold.adk.MemoryService") -> str:
    return f"services:\n  - {{scheme: {scheme}, type: {kind}, class: {path}}}\n"


@pytest.mark.parametrize("folder", [EXAMPLES, EXAMPLES / "month_end"], ids=["all agents", "one agent"])
def test_the_examples_are_well(folder: Path) -> None:
    assert wrong(folder) == []


def test_a_folder_that_is_well_is_told_in_full(tmp_path: Path) -> None:
    told = [finding.found for finding in check_agents(written(tmp_path, {}))]
    assert "it is a folder of 1 agent(s): clerk" in told
    assert told.count("ADK knows the addresses twofold") == 2
    assert "`adk web` and `adk run` both call it 'clerk'" in told
    one = [finding.found for finding in check_agents(tmp_path / "clerk")]
    assert "it is one agent, for `adk web` and `adk run`" in one


@pytest.mark.parametrize(
    ("files", "level", "found"),
    [
        ({"services.yaml": None}, "problem", "no such file"),
        ({"clerk/services.yaml": None}, "warning", "`adk run`, given this agent"),
        ({"services.yaml": "services: []"}, "problem", "does not register the scheme"),
        ({"services.yaml": "- x"}, "problem", "does not register the scheme"),
        ({"services.yaml": "services: twofold"}, "problem", "not a list of entries"),
        ({"services.yaml": "services:\n  - [twofold]"}, "problem", "not a list of entries"),
        ({"services.yaml": "services:\n  - {scheme: [}\n"}, "problem", "it is not YAML, line 2"),
        ({"services.yaml": "services:\n  - {scheme: twofold, type: memory}\n"}, "problem", "lacks its scheme, type or"),
        ({"services.yaml": entry("Twofold")}, "problem", "Twofold can stand in no address"),
        ({"services.yaml": entry("two_fold")}, "problem", "two_fold can stand in no address"),
        ({"services.yaml": entry("memories")}, "problem", "does not answer to the scheme memories"),
        ({"services.yaml": entry(kind="session")}, "problem", "the type of twofold is session"),
        ({"services.yaml": entry(path="twofold.MemoryService")}, "problem", "twofold.MemoryService cannot be imported"),
        ({"services.yaml": entry(path="nowhere.Service")}, "problem", "nowhere.Service cannot be imported"),
        ({"services.yaml": entry(path="MemoryService")}, "problem", "MemoryService cannot be imported"),
        ({"clerk/agent.py": AGENT.replace('App(name="clerk"', 'App(name="books"')}, "problem", "two memories"),
        ({"clerk/agent.py": AGENT.replace('App(name="clerk"', "App(name=NAME")}, "warning", "its App is computed"),
        ({"clerk/agent.py": "root_agent ="}, "problem", "agent.py, line 1: this is not Python"),
        ({"clerk/agent.py": AGENT.replace("PreloadMemoryTool", "x")}, "warning", "would not be shown any memory"),
        ({"clerk/agent.py": AGENT.replace("MemoryPlugin", "x")}, "warning", "--extra_plugins twofold.adk.MemoryPlugin"),
        ({"clerk/agent.py": None}, "problem", "no agent is in it"),
        ({"a-b/agent.py": AGENT, "a-b/services.yaml": YAML}, "problem", "ADK does not serve an agent"),
        ({"services/agent.py": AGENT, "services/services.yaml": YAML}, "problem", "would take this agent for it"),
        ({"group/clerk/agent.py": AGENT, "group/clerk/services.yaml": YAML}, "problem", "calls it 'group.clerk'"),
    ],
)
def test_each_way_to_be_wrong_is_told_with_what_to_do(
    files: dict[str, str | None], level: str, found: str, tmp_path: Path
) -> None:
    told = [finding for finding in wrong(written(tmp_path, files)) if found in finding.found]
    assert [finding.level for finding in told] == [level]
    assert told[0].remedy


@pytest.mark.parametrize(
    "files",
    [
        {"clerk/agent.py": 'NAME = "clerk"\n' + AGENT.replace('App(name="clerk"', "App(name=NAME")},
        {"clerk/agent.py": AGENT.replace("PreloadMemoryTool", "load_memory_tool")},
        {"clerk/agent.py": "from clerk.parts import app", "clerk/parts.py": AGENT},
        {"clerk/.env": "TWOFOLD_TTL_DAYS=65"},
        {"clerk/agent.py": None, "clerk/root_agent.yaml": "tools: [{name: preload_memory}]\n# MemoryPlugin"},
        {"services.yaml": "services:\n  - {scheme: x, type: session, class: own.Sessions}\n" + YAML[10:], "own.py": ""},
        {"services.yaml": None, "services.yml": YAML},
        {"services.yaml": None, "services.py": 'registry.register_memory_service("twofold", MemoryService)'},
        {"clerk/template.py": "not Python", "clerk/.venv/x.py": "not Python", "clerk/note.txt": "not Python"},
    ],
)
def test_other_ways_to_be_well_are_known(files: dict[str, str | None], tmp_path: Path) -> None:
    assert wrong(written(tmp_path, files)) == []


def test_a_folder_hides_the_services_module_beside_it(tmp_path: Path) -> None:
    code = 'registry.register_memory_service("twofold", MemoryService)'
    files = {"services.yaml": None, "services.py": code, "services/__init__.py": ""}
    (hidden,) = wrong(written(tmp_path, files))
    assert "never this file" in hidden.found


def test_two_names_are_told_with_the_tenant_that_joins_them(tmp_path: Path) -> None:
    (told,) = wrong(written(tmp_path, {"clerk/agent.py": AGENT.replace('App(name="clerk"', 'App(name="books"')}))
    assert told.remedy == "name the App 'clerk', or name one tenant in the address of both: twofold:///?tenant=books"


@pytest.mark.parametrize(
    ("parts", "found"),
    [(AGENT.replace('App(name="clerk"', 'App(name="books"'), "two memories"), ("app = made()", "its App is computed")],
)
def test_an_app_that_is_imported_is_looked_for(parts: str, found: str, tmp_path: Path) -> None:
    agent = AGENT.replace("app = App", "other = App") + "from clerk.parts import app"
    (told,) = wrong(written(tmp_path, {"clerk/agent.py": agent, "clerk/parts.py": parts}))
    assert found in told.found


def test_settings_of_one_agent_among_several_are_told_without_their_values(tmp_path: Path) -> None:
    second = {"other/agent.py": AGENT.replace('"clerk"', '"other"'), "other/services.yaml": YAML}
    env = {
        "other/.env": "GOOGLE_API_KEY=g\nOPENAI_API_KEY=s3cret\nexport TWOFOLD_DATABASE_URL=postgresql://u:s3cret@h/d\n"
    }
    (told,) = wrong(written(tmp_path, second | env))
    assert "OPENAI_API_KEY, TWOFOLD_DATABASE_URL" in told.found
    assert "s3cret" not in str(told)


def test_agents_are_read_and_not_run(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    check_agents(
        written(tmp_path, {"clerk/agent.py": f"open({str(ran)!r}, 'w')", "own.py": f"open({str(ran)!r}, 'w')"})
    )
    assert not ran.exists()


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    (told,) = check_agents(tmp_path / "nowhere")
    assert (told.level, told.found) == ("problem", "there is no such folder")


def test_what_stands_around_the_agents_is_told(tmp_path: Path) -> None:
    written(tmp_path, {})
    vertex = check_agents(tmp_path, environment={"GOOGLE_CLOUD_AGENT_ENGINE_ID": "1"})
    assert [finding.about for finding in vertex if finding.level != "ok"] == ["GOOGLE_CLOUD_AGENT_ENGINE_ID"]
    bare = check_agents(tmp_path, is_installed=lambda package: package != "sqlalchemy")
    (missing,) = [finding for finding in bare if finding.level != "ok"]
    assert "twofold[adk-db]" in missing.remedy


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_of_the_services_file_is_one_the_service_answers_to(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_SERVER_KEY", "k" * 24)
    place = {"twofold": "/", "twofold+postgresql": "/books"}.get(scheme, "127.0.0.1:2024")
    MemoryService(uri=f"{scheme}://{place}", agents_dir="/agents")
