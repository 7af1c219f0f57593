"""The image of the LangGraph server: what the CLI's Dockerfile does, done here, gives a server with both graphs."""

import json
import os
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client

from tests.packaging.context import copy_of_archive, copy_of_context
from tests.packaging.langgraph_image import Image, built, dockerfile, variables_of
from tests.packaging.project import LINKS, ROOT
from tests.server.dev import answering

SECTIONS = ("auth", "checkpointer", "http", "store", "webhooks")
BUILD_KEYS = ("api_version", "dependencies", "dockerfile_lines", "env", "image_distro", "python_version")
WAYS = {"build": copy_of_context, "deploy": copy_of_archive}
MODULE_SETTINGS = {"LANGGRAPH_AUTH": "path", "LANGGRAPH_CHECKPOINTER": "path", "LANGGRAPH_HTTP": "app"}
IN_MEMORY = {  # in place of the image's own PostgreSQL and Redis
    "DATABASE_URI": ":memory:",
    "LANGGRAPH_DISABLE_FILE_PERSISTENCE": "true",
    "LANGGRAPH_RUNTIME_EDITION": "inmem",
    "LANGSMITH_LANGGRAPH_API_VARIANT": "local_dev",
    "MIGRATIONS_PATH": "__inmem",
    "N_JOBS_PER_WORKER": "1",
    "REDIS_URI": "fake",
}
IMPORT = """
import importlib, sys
for named in sys.argv[1:]:
    module, _, attribute = named.partition(":")
    print(importlib.import_module(module).__file__, getattr(importlib.import_module(module), attribute) is not None)
print(*(module.__file__ for name, module in sys.modules.items() if name.partition(".")[0] == "twofold"), sep="\\n")
"""


@pytest.fixture(scope="module", params=WAYS)
def image(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Image:
    """Build the image from what `langgraph build` sends, and from what `langgraph deploy` uploads."""
    folder = tmp_path_factory.mktemp(request.param)
    return built(dockerfile(folder), folder, WAYS[request.param])


def test_the_archive_of_a_deployment_holds_no_link(tmp_path: Path) -> None:
    """Why `setup.py` makes the package's links: the upload has lost them."""
    tree = copy_of_archive(ROOT, tmp_path / "tree")
    assert not [path for path in tree.rglob("*") if path.is_symlink()]
    assert not [name for name in LINKS if (tree / "src" / "twofold" / name).exists()]


def test_the_installation_makes_the_links(image: Image) -> None:
    """Whatever reached the build, `twofold.graphs` is the folder `graphs` again."""
    for name in LINKS:
        assert (image.workdir / "src" / "twofold" / name).resolve() == image.workdir / name


def test_each_setting_of_the_image_says_where_its_code_is(tmp_path: Path) -> None:
    """The image knows our graphs, routes, identities and store by these variables, and has no other word of us."""
    config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    wanted = {"LANGSERVE_GRAPHS": config["graphs"]}
    wanted |= {f"LANGGRAPH_{name.upper()}": config[name] for name in SECTIONS if name in config}
    text = dockerfile(tmp_path)
    assert {name: json.loads(value) for name, value in variables_of(text).items()} == wanted
    assert set(config) <= {"graphs", *SECTIONS, *BUILD_KEYS}


def test_the_image_gets_an_opentelemetry_that_suits_both_adk_and_the_server() -> None:
    """ADK takes an older one than the server's image may have; without its exporters the server does not start."""
    *pinned, own = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["dependencies"]
    locked = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    assert own == "."
    assert {pin.partition("==")[0] for pin in pinned} == {
        "opentelemetry-exporter-otlp-proto-http",
        "opentelemetry-exporter-prometheus",
    }
    assert [pin for pin in pinned if f"\n{pin} " not in locked] == []
    assert [pin for pin in pinned if re.search(r"[<>~*; ]", pin)] == []  # a shell reads the Dockerfile's line


def test_all_that_langgraph_json_names_is_imported_from_the_image(image: Image) -> None:
    """Each module path leads to an object, in the copied tree, without build tools."""
    command = [str(image.python), "-c", IMPORT, *named(image)]
    done = subprocess.run(command, cwd=image.workdir, env=container(image), check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    places = [line.partition(" ")[0] for line in done.stdout.splitlines()]
    assert [place for place in places if not place.startswith(f"{image.workdir}/")] == []


def named(image: Image) -> list[str]:
    """List what the variables name, each as `module:attribute`; only the store's path has dots all the way."""
    configs = image.configs()
    found = [graph["path"] if isinstance(graph, dict) else graph for graph in configs["LANGSERVE_GRAPHS"].values()]
    found += [configs[name][key] for name, key in MODULE_SETTINGS.items() if key in configs.get(name, {})]
    assert not [path for path in found if path.count(":") != 1 or "/" in path]
    if store := configs.get("LANGGRAPH_STORE", {}).get("path"):
        assert ":" not in store
        assert "/" not in store
        found.append(":".join(store.rsplit(".", 1)))
    return found


@pytest.mark.timeout(240)
async def test_the_server_of_the_image_runs_both_graphs(image: Image, database_url: str, tmp_path: Path) -> None:
    """Started as a container starts it, by those variables alone, the server loads everything and remembers."""
    with serving(image, database_url, tmp_path / "server.log") as url:
        async with get_client(url=url) as client:
            said = {"event_id": "u1", "kind": "said", "author": "user", "text": "I prefer the US Primary Ledger."}
            answered = {"event_id": "a1", "kind": "said", "author": "agent", "text": "Noted."}
            entries = [entry | {"at": "2026-04-01T12:00:00Z"} for entry in (said, answered)]
            given: dict[str, Any] = {"session_id": "s1", "entries": entries}
            saved = await client.runs.wait(None, "memory_write", input=given)
            assert isinstance(saved, dict)
            assert [item["kind"] for item in saved["saved"]] == ["semantic"], saved
            found = await client.runs.wait(None, "memory_read", input={"query": "Which ledger?"})
            assert isinstance(found, dict)
            assert "US Primary Ledger" in found["recall"]["facts"][0]["text"], found


def container(image: Image) -> dict[str, str]:
    """Return the environment of a container: what the image sets, and what an operator gives."""
    return {**os.environ, **image.variables, **IN_MEMORY, "LANGGRAPH_NO_VERSION_CHECK": "1"}  # noqa: TID251


@contextmanager
def serving(image: Image, database_url: str, log: Path) -> Iterator[str]:
    """Start the server of the image on a free port, and end it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [str(image.python), "-m", "uvicorn", "langgraph_api.server:app", "--port", str(port)]
    environment = container(image) | {"TWOFOLD_DATABASE_URL": database_url}
    with (
        log.open("w") as out,
        subprocess.Popen(command, cwd=image.workdir, env=environment, stdout=out, stderr=out) as process,
    ):
        try:
            yield answering(f"http://127.0.0.1:{port}", process, log)
        finally:
            process.terminate()
