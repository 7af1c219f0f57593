"""The packages that twofold works with, and the agents they serve."""

from __future__ import annotations

import asyncio
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from twofold.cli.checks.subject import Subject, ok, problem
from twofold.memory.findings import Finding

_EXTRAS = {
    "adk-db": (("sqlalchemy", "aiosqlite"), "ADK keeps sessions in a database"),
    "server": (("langgraph_api", "langgraph_cli"), "the graphs run on the LangGraph server"),
}
_VERTEX = "GOOGLE_CLOUD_AGENT_ENGINE_ID"


async def check_packages(_subject: Subject) -> list[Finding]:
    """Look at ADK, LangGraph and the extras."""
    findings = [_installed(package) for package in ("twofold", "google-adk", "langgraph")]
    for extra, (modules, means) in _EXTRAS.items():
        missing = [module for module in modules if find_spec(module) is None]
        state = f"not installed: `pip install 'twofold[{extra}]'` where" if missing else "installed:"
        findings.append(ok(f"extra {extra}", f"{state} {means}"))
    return findings


async def check_agents(subject: Subject) -> list[Finding]:
    """Look at a folder of agents as ADK's own servers will."""
    if subject.agents is None:
        return []
    if not subject.agents.is_dir():
        return [problem(str(subject.agents), "there is no such folder", "give --agents a folder that is there")]
    from twofold.adk.wiring import check_agents as check_wiring
    from twofold.settings import set_beside

    findings = await asyncio.to_thread(check_wiring, subject.agents, environment=set_beside(_VERTEX))
    return list(findings)


def _installed(package: str) -> Finding:
    try:
        return ok(package, f"version {version(package)}")
    except PackageNotFoundError:
        return problem(package, "is not installed", "install twofold again, with what it requires")
