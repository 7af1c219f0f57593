"""The embedded server: starts once for all processes, outlives any of them, and survives being killed."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from twofold.memory.errors import StoreUnavailable
from twofold.store import embedded, postmaster
from twofold.store.embedded import release_embedded, start_embedded
from twofold.store.migrate import migrate, recorded_embedder

CHILD = Path(__file__).with_name("embedded_child.py")


class Child:
    """A process that uses the server in a folder."""

    def __init__(self, folder: Path) -> None:
        pipe = subprocess.PIPE
        command = [sys.executable, str(CHILD), str(folder)]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    def url(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        if not line:
            raise AssertionError(self.process.communicate()[1])
        return line

    def end(self) -> tuple[str, str]:
        said, complained = self.process.communicate(timeout=30)
        return said, complained

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """Make one data folder, with its server stopped, of which tests take copies: making takes seconds."""
    with tempfile.TemporaryDirectory(prefix="tf-") as home:
        Path(home).chmod(0o755)
        folder = Path(home) / "made"
        child = Child(folder)
        child.url()
        assert child.end() == ("closed\n", "")
        yield folder


@pytest.fixture
def folder(made: Path) -> Iterator[Path]:
    """Lend a data folder of its own, whose server is stopped at the end."""
    copy = made.with_name(f"f{time.monotonic_ns()}")
    subprocess.run(["/bin/cp", "-a", str(made), str(copy)], check=True)
    yield copy
    if postmaster.serves(copy):
        os.kill(server_pid(copy), signal.SIGQUIT)
        wait_until_gone(copy)
    shutil.rmtree(copy)


def server_pid(folder: Path) -> int:
    return int((folder / "postmaster.pid").read_text().split()[0])


def wait_until_gone(folder: Path, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while postmaster.serves(folder):
        assert time.monotonic() < deadline, "the server still runs"
        time.sleep(0.05)


def test_the_server_runs_for_the_first_process_and_stops_after_the_last(folder: Path) -> None:
    first, second = Child(folder), Child(folder)
    assert first.url() == second.url()
    pid = server_pid(folder)
    assert first.end() == ("closed\n", "")
    assert postmaster.serves(folder)
    assert server_pid(folder) == pid
    assert second.end() == ("closed\n", "")
    assert not postmaster.serves(folder)


def test_four_processes_make_and_start_an_empty_folder_at_once(folder: Path) -> None:
    empty = folder.with_name("empty")
    children = [Child(empty) for _ in range(4)]
    try:
        assert len({child.url() for child in children}) == 1
    finally:
        ends = [child.end() for child in children]
    assert ends == [("closed\n", "")] * 4
    assert not postmaster.serves(empty)


def test_who_lets_go_stops_the_server_and_may_start_it_anew(folder: Path) -> None:
    release_embedded(folder)
    url = start_embedded(folder)
    release_embedded(folder)
    assert not postmaster.serves(folder)
    release_embedded(folder)
    assert start_embedded(folder) == url
    child = Child(folder)
    child.url()
    child.end()
    assert postmaster.serves(folder), "this process still uses it"
    release_embedded(folder)
    assert not postmaster.serves(folder)


def test_who_lets_go_leaves_the_server_to_the_others(folder: Path) -> None:
    child = Child(folder)
    child.url()
    start_embedded(folder)
    release_embedded(folder)
    assert postmaster.serves(folder)
    child.end()
    assert not postmaster.serves(folder)


def test_a_process_that_was_killed_does_not_keep_the_server_running_for_ever(folder: Path) -> None:
    killed = Child(folder)
    killed.url()
    killed.kill()
    assert postmaster.serves(folder)
    heir = Child(folder)
    heir.url()
    heir.end()
    assert not postmaster.serves(folder)


def test_a_server_that_was_killed_is_started_anew(folder: Path) -> None:
    child = Child(folder)
    child.url()
    pid = server_pid(folder)
    os.kill(pid, signal.SIGKILL)
    heir = Child(folder)
    with psycopg.connect(heir.url()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert server_pid(folder) != pid
    child.kill()
    heir.end()


def test_a_process_starts_the_server_again_after_it_was_killed(folder: Path) -> None:
    start_embedded(folder)
    os.kill(server_pid(folder), signal.SIGKILL)
    with psycopg.connect(start_embedded(folder)) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_number_of_another_program_in_the_pid_file_is_not_taken_for_the_server(folder: Path) -> None:
    child = Child(folder)
    child.url()
    pidfile = folder / "postmaster.pid"
    text = pidfile.read_text()
    os.kill(server_pid(folder), signal.SIGKILL)
    child.kill()
    pidfile.write_text(text.replace(text.split()[0], str(os.getpid()), 1))  # as after the restart of a container
    heir = Child(folder)
    with psycopg.connect(heir.url()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    heir.end()


def test_control_c_ends_the_process_in_order_and_then_the_server(folder: Path) -> None:
    child = Child(folder)
    child.url()
    child.process.send_signal(signal.SIGINT)
    said, _ = child.end()
    assert said == "closed\n"
    assert not postmaster.serves(folder)


def test_a_second_start_in_one_process_is_cheap_also_from_threads(folder: Path) -> None:
    url = start_embedded(folder)
    started = time.monotonic()
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(start_embedded, [folder] * 8)) == {url}
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("name", ["with space", "l" * 90, "per%cent & ünï"], ids=["space", "long", "signs"])
def test_a_folder_of_any_name_can_be_used(made: Path, name: str) -> None:
    copy = made.with_name(name)
    subprocess.run(["/bin/cp", "-a", str(made), str(copy)], check=True)
    child = Child(copy)
    with psycopg.connect(child.url()) as connection:
        assert connection.execute("SELECT current_database()").fetchone() == ("twofold",)
    assert child.end() == ("closed\n", "")


def test_nobody_else_on_the_machine_can_reach_the_server(folder: Path) -> None:
    with psycopg.connect(start_embedded(folder)) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        host = connection.info.host
    assert Path(host).stat().st_mode & 0o077 == 0
    assert (Path(host) / ".s.PGSQL.5432").stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_used_is_told() -> None:
    with pytest.raises(StoreUnavailable, match=r"in /proc/nowhere/db could not be started: .*set a database URL"):
        start_embedded(Path("/proc/nowhere/db"))


def test_a_half_made_folder_is_told(made: Path) -> None:
    half = made.with_name("half")
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n")
    with pytest.raises(StoreUnavailable, match="left the folder half-made; delete it"):
        start_embedded(half)


def test_a_server_that_does_not_start_is_told_with_the_words_of_its_log(folder: Path) -> None:
    with (folder / "postgresql.conf").open("a") as settings:
        settings.write("\nshared_buffers = nonsense\n")
    with pytest.raises(StoreUnavailable, match=r"`pg_ctl` failed.*contains errors"):
        start_embedded(folder)


def test_a_folder_for_sockets_of_somebody_else_is_refused(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spaced = made.with_name("some space")
    spaced.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made.parent))
    other = embedded._socket_folder(spaced, spaced)
    other.rmdir()
    other.symlink_to(made.parent)
    with pytest.raises(RuntimeError, match="belongs to somebody else"):
        embedded._socket_folder(spaced, spaced)


def test_a_database_in_it_can_be_prepared(folder: Path) -> None:
    url = start_embedded(folder)
    asyncio.run(migrate(url, dims=8, embedder="e"))
    assert asyncio.run(recorded_embedder(url)) == ("e", 8)
