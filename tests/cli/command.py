"""The command as tests run it."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

TWOFOLD = str(Path(sys.executable).with_name("twofold"))
SECONDS = 60.0
WIDTH = 100


def run(environment: Mapping[str, str], *arguments: str, timeout: float = SECONDS) -> subprocess.CompletedProcess[str]:
    """Run the command to its end; nobody is at the keyboard."""
    return subprocess.run(
        [TWOFOLD, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def run_on_terminal(
    environment: Mapping[str, str], *arguments: str, typed: str = "", interrupted_at: str | None = None
) -> tuple[int, str]:
    """Run the command on a terminal of 100 columns, with what is typed; return exit code and what is shown.

    It is interrupted once the text `interrupted_at` is shown.
    """
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, WIDTH, 0, 0))
    with subprocess.Popen(
        [TWOFOLD, *arguments], env={**environment, "TERM": "xterm"}, stdin=its, stdout=its, stderr=its
    ) as process:
        os.close(its)
        try:
            os.write(ours, typed.encode())
            shown = b""
            for part in _read(ours):
                shown += part
                if interrupted_at is not None and interrupted_at in shown.decode(errors="replace"):
                    time.sleep(0.5)  # a signal between the prompt and the read would be seen after the read only
                    process.send_signal(signal.SIGINT)
                    interrupted_at = None
            return process.wait(SECONDS), shown.decode()
        finally:
            process.kill()
            os.close(ours)


def _read(terminal: int) -> Iterator[bytes]:
    """Yield what is written until the last writer is gone, which Linux tells by an error."""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            return
        if not part:
            return
        yield part


class Running:
    """A command that runs until it is told to stop."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: list[str] = []
        self._changed = threading.Condition()
        threading.Thread(target=self._collect, daemon=True).start()

    def wait_for(self, text: str, timeout: float = SECONDS) -> str:
        """Wait until a line on stderr holds `text`, and return it."""
        with self._changed:
            self._changed.wait_for(lambda: self._found(text) or self._process.poll() is not None, timeout)
        found = self._found(text)
        assert found, f"{text!r} was not said: {self.said}"
        return found

    def stop(self, number: int = signal.SIGTERM, timeout: float = SECONDS) -> int:
        """Send a signal and return the exit code."""
        self.tell(number)
        return self.ended(timeout)

    def tell(self, number: int) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    def ended(self, timeout: float = SECONDS) -> int:
        """Wait for the end and return the exit code."""
        return self._process.wait(timeout)

    @property
    def said(self) -> str:
        """What was written to stderr so far."""
        return "".join(self._lines)

    def _found(self, text: str) -> str:
        return next((line for line in self._lines if text in line), "")

    def _collect(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            with self._changed:
                self._lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()


@contextmanager
def running(environment: Mapping[str, str], *arguments: str) -> Iterator[Running]:
    """Start the command; it is killed at the end if it still runs."""
    command = [TWOFOLD, *arguments]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield Running(process)
        finally:
            process.kill()
