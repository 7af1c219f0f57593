"""The command as a whole: help at once, versions, and how it ends when something is wrong."""

from __future__ import annotations

import itertools
import resource
import signal
import subprocess
import sys

import pytest

from tests.cli.command import TWOFOLD, run, running
from tests.cli.conftest import Twofold
from tests.cli.seeds import ANNA, Seeds
from twofold import __version__

COMMANDS = ("demo", "doctor", "show", "search", "forget", "history", "export", "serve", "worker", "jobs", "migrate")
HEAVY = ("google", "langgraph", "langmem", "langchain_core", "onnxruntime", "openai", "psycopg", "fastapi")
LOADED = f"""
import sys
from twofold.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    print("code", ended.code)
print("loaded", *[name for name in {HEAVY} if name in sys.modules])
"""


@pytest.mark.parametrize("arguments", [("--help",), ("-h",), ("--version",), ("jobs", "list", "--help")])
def test_help_opens_and_loads_nothing(environment: dict[str, str], arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", LOADED, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-2:] == ["code 0", "loaded"]


def test_help_is_there_at_once(environment: dict[str, str]) -> None:
    """Half a second of work, the best of three: an idle machine needs a third."""
    took = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(environment, "--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(took) < 0.5


def test_help_names_every_command(environment: dict[str, str]) -> None:
    text = run(environment, "--help").stdout
    assert [command for command in COMMANDS if f" {command} " not in text] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_what_it_does(environment: dict[str, str], command: str) -> None:
    done = run(environment, command, "--help")
    assert done.returncode == 0
    assert "Usage" in done.stdout


@pytest.mark.parametrize("command", ["worker", "migrate", "jobs drop", "show"])
def test_help_is_broken_by_the_terminal_and_not_as_it_was_written(environment: dict[str, str], command: str) -> None:
    """No line of a paragraph is left short while the next word would fit."""
    text = run({**environment, "COLUMNS": "80"}, *command.split(), "--help").stdout.partition("╭")[0]
    lines = [line.strip() for line in text.splitlines()]
    pairs = [(line, after) for line, after in itertools.pairwise(lines) if line and after]
    assert [line for line, after in pairs if len(f"{line} {after.split()[0]}") <= 78] == []


def test_the_version_is_told(environment: dict[str, str]) -> None:
    assert run(environment, "--version").stdout == f"twofold {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [(), ("unknown",), ("show", "--unknown"), ("search",), ("show", "--limit", "0"), ("show", "--since", "soon")],
)
def test_wrong_usage_ends_with_2(environment: dict[str, str], arguments: tuple[str, ...]) -> None:
    done = run(environment, *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def down(environment: dict[str, str]) -> dict[str, str]:
    """Return an environment whose database does not answer."""
    return {**environment, "TWOFOLD_DATABASE_URL": "postgresql://anna:secret-of-mine@127.0.0.1:1/erp"}


@pytest.mark.parametrize(
    "command",
    [
        ("show",),
        ("search", "x"),
        ("history",),
        ("export",),
        ("forget", "--everything", "--yes"),
        ("jobs", "list"),
        ("jobs", "drop", "s"),
        ("migrate",),
        ("migrate", "--check"),
        ("worker",),
        ("serve",),
        ("demo",),
    ],
)
def test_a_database_that_is_down_is_told_in_one_line(environment: dict[str, str], command: tuple[str, ...]) -> None:
    done = run(down(environment), *command)
    assert done.returncode == 1
    assert "127.0.0.1:1" in done.stderr
    assert "Start the server, or check host and port" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "secret-of-mine" not in done.stdout + done.stderr


@pytest.mark.parametrize("arguments", [("--debug", "show"), ("show", "--debug")])
def test_debug_shows_where_an_error_comes_from(environment: dict[str, str], arguments: tuple[str, ...]) -> None:
    done = run(down(environment), *arguments)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "StoreUnavailable" in done.stderr
    assert "secret-of-mine" not in done.stderr


def test_a_setting_that_cannot_be_used_is_named_without_its_value(environment: dict[str, str]) -> None:
    done = run({**environment, "TWOFOLD_TTL_DAYS": "s3cret"}, "show")
    assert done.returncode == 1
    assert "TWOFOLD_TTL_DAYS must be a whole number" in done.stderr
    assert "s3cret" not in done.stderr


def test_what_nobody_expected_is_told_without_its_words(environment: dict[str, str]) -> None:
    """The words of an error that is not ours may quote anything."""
    script = """
import sys
import twofold.cli.opening
from twofold.cli.main import main
def broken(settings): raise ZeroDivisionError("secret-of-mine")
import twofold.cli.show
twofold.cli.show.opened_database = broken
main(sys.argv[1:])
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, "show"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "twofold: Unexpected ZeroDivisionError; `twofold --debug …` shows where\n"


def test_ctrl_c_ends_quietly(environment: dict[str, str], seeds: Seeds) -> None:
    with running({**environment, "TWOFOLD_MODEL_TIMEOUT": "30"}, "worker") as command:
        command.wait_for("Working on")
        assert command.stop(signal.SIGINT) == 130
        assert "Traceback" not in command.said


@pytest.mark.timeout(120)
def test_a_reader_that_goes_away_is_no_failure_to_shout_about(environment: dict[str, str], seeds: Seeds) -> None:
    seeds.facts(ANNA, *[f"Report {number} " + "x" * 500 for number in range(200)])
    with subprocess.Popen(
        [TWOFOLD, "export"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("{")
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(60) != 0
    assert "Traceback" not in said


def test_output_is_text_in_any_encoding(environment: dict[str, str], seeds: Seeds) -> None:
    seeds.facts(ANNA, "Größe → 3")
    done = run({**environment, "PYTHONIOENCODING": "ascii"}, "show")
    assert done.returncode == 0
    assert "Gr??e ? 3" in done.stdout


def test_commands_know_the_two_kinds_only(twofold: Twofold) -> None:
    done = twofold("show", "--kind", "fact")
    assert done.exit_code == 2
    assert "semantic" in done.stderr
