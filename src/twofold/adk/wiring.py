"""Whether ADK's own servers will find twofold and its memories, told without running anybody's agent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from twofold.adk.agent_source import AgentSource, agents_in, is_agent, source_of
from twofold.adk.services_file import installed, services_findings
from twofold.memory.findings import Finding

RECALLING = ("PreloadMemoryTool", "preload_memory_tool", "preload_memory", "LoadMemoryTool", "load_memory_tool")
SAVING = ("MemoryPlugin", "add_session_to_memory", "add_events_to_memory")
VERTEX = "GOOGLE_CLOUD_AGENT_ENGINE_ID"
_MEMORY_SETTING = re.compile(r"^\s*(?:export\s+)?((?:TWOFOLD|OPENAI)_\w+)\s*=", re.MULTILINE)
NO_ENVIRONMENT: Mapping[str, str] = {}


def check_agents(
    folder: Path,
    *,
    environment: Mapping[str, str] = NO_ENVIRONMENT,
    is_installed: Callable[[str], bool] = installed,
) -> tuple[Finding, ...]:
    """Examine a folder as `adk web`, `adk api_server` and `adk run` are given one: of one agent, or of several.

    Nothing of the agents is imported and no database is opened. `environment` is where variables are looked up,
    and `is_installed` tells whether a package can be imported.
    """
    if not folder.is_dir():
        return (Finding(level="problem", about=str(folder), found="there is no such folder"),)
    single = is_agent(folder)
    agents = [folder] if single else list(agents_in(folder))
    findings = [_kind(folder, agents, single=single)]
    findings += _registration(folder, agents, single=single)
    for agent in agents:
        findings += _agent(agent, served_as=_served_as(folder, agent, single=single))
        findings += _env_file(agent) if len(agents) > 1 else ()
    findings += _surroundings(environment, is_installed)
    return tuple(findings)


def _kind(folder: Path, agents: list[Path], *, single: bool) -> Finding:
    if single:
        return Finding(level="ok", about=str(folder), found="it is one agent, for `adk web` and `adk run`")
    if agents:
        names = ", ".join(str(agent.relative_to(folder)) for agent in agents)
        return Finding(level="ok", about=str(folder), found=f"it is a folder of {len(agents)} agent(s): {names}")
    return Finding(
        level="problem",
        about=str(folder),
        found="no agent is in it: neither it nor a folder below has an `agent.py` or a `root_agent.yaml`",
        remedy="give the folder above your agent's, or the agent's own",
    )


def _registration(folder: Path, agents: list[Path], *, single: bool) -> Iterator[Finding]:
    if single:
        yield from services_findings(folder, needed_by="`adk web` and `adk run`, given this agent,")
        return
    yield from services_findings(folder, needed_by="`adk web` and `adk api_server`, given this folder,")
    for agent in agents:
        yield from services_findings(agent, needed_by="`adk run`, given this agent,", optional=True)
        if agent == folder / "services":
            yield Finding(
                level="problem",
                about=str(agent),
                found="ADK imports a module called `services` when it starts, and would take this agent for it",
                remedy="rename the agent's folder",
            )


def _served_as(folder: Path, agent: Path, *, single: bool) -> str:
    """Return the app name that `adk web` uses for an agent."""
    return folder.resolve().name if single else ".".join(agent.relative_to(folder).parts)


def _agent(folder: Path, *, served_as: str) -> Iterator[Finding]:
    if not all(part.isidentifier() for part in served_as.split(".")):
        yield Finding(
            level="problem",
            about=str(folder),
            found=f"ADK does not serve an agent whose folder is called {served_as!r}",
            remedy="use letters, digits and underscores only",
        )
    agent = source_of(folder)
    if agent.unreadable:
        yield Finding(
            level="problem",
            about=str(folder),
            found=f"{agent.unreadable}: this is not Python",
            remedy="correct it; ADK cannot load the agent either",
        )
        return
    yield from _name(agent, served_as)
    yield from _recalls(agent)
    yield from _saves(agent)


def _name(agent: AgentSource, served_as: str) -> Iterator[Finding]:
    folder = agent.folder.resolve().name
    if agent.has_app and agent.app_name is None:
        yield Finding(
            level="warning",
            about=str(agent.folder),
            found=f"the name of its App is computed; unless it comes to {served_as!r}, `adk run` and `adk web` keep"
            " two memories",
            remedy=f"write `App(name={served_as!r}, …)`",
        )
        return
    run_as = agent.app_name or folder
    if run_as == served_as:
        yield Finding(level="ok", about=str(agent.folder), found=f"`adk web` and `adk run` both call it {run_as!r}")
        return
    same = f"name the App {served_as!r}, or " if agent.app_name and served_as == folder else ""
    yield Finding(
        level="problem",
        about=str(agent.folder),
        found=f"`adk web` calls it {served_as!r} and `adk run` calls it {run_as!r}: two memories of the same person",
        remedy=f"{same}name one tenant in the address of both: twofold:///?tenant={run_as}",
    )


def _recalls(agent: AgentSource) -> Iterator[Finding]:
    if agent.uses(*RECALLING):
        yield Finding(level="ok", about=str(agent.folder), found="it is shown its memories by ADK's own tool")
        return
    yield Finding(
        level="warning",
        about=str(agent.folder),
        found="no `PreloadMemoryTool` or `load_memory` stands in its files: it would not be shown any memory",
        remedy="give the agent `tools=[PreloadMemoryTool(), …]`, or leave it if a package of yours does",
    )


def _saves(agent: AgentSource) -> Iterator[Finding]:
    if agent.uses(*SAVING):
        yield Finding(level="ok", about=str(agent.folder), found="its sessions are saved wherever it runs")
        return
    yield Finding(
        level="warning",
        about=str(agent.folder),
        found="no `MemoryPlugin` stands in its files: `adk run` would save nothing, and `adk web` and `adk api_server`"
        " only with `--extra_plugins twofold.adk.MemoryPlugin`",
        remedy=f"end agent.py with `app = App(name={agent.folder.resolve().name!r}, root_agent=root_agent,"
        " plugins=[MemoryPlugin()])`",
    )


def _env_file(agent: Path) -> Iterator[Finding]:
    path = agent / ".env"
    names = sorted(set(_MEMORY_SETTING.findall(path.read_text(errors="replace")))) if path.is_file() else []
    if names:
        yield Finding(
            level="warning",
            about=str(path),
            found=f"it sets {', '.join(names)}: for the memory of all agents here if this one is used first, else not",
            remedy="set them in the environment the server is started from",
        )


def _surroundings(environment: Mapping[str, str], is_installed: Callable[[str], bool]) -> Iterator[Finding]:
    if environment.get(VERTEX):
        yield Finding(
            level="warning",
            about=VERTEX,
            found="it is set: without `--memory_service_uri` ADK keeps memories and sessions in Vertex AI",
            remedy="always give `--memory_service_uri twofold:///`",
        )
    missing = [package for package in ("sqlalchemy", "aiosqlite") if not is_installed(package)]
    if missing:
        yield Finding(
            level="warning",
            about="sessions",
            found=f"{' and '.join(missing)} cannot be imported, which ADK needs to keep sessions in a database",
            remedy="install twofold[adk-db], or give no database as `--session_service_uri`",
        )
