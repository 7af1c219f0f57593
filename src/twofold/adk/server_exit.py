"""Whether the web server of this process was told to end."""

from __future__ import annotations

import signal


def server_is_ending() -> bool:
    """Whether a uvicorn server runs in this process and was told to end.

    It ends the process by the signal it was sent, so that interpreter exit never comes. Until then its method
    handles the signal, and the server says that it should exit.
    """
    handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    return any(getattr(getattr(handler, "__self__", None), "should_exit", False) is True for handler in handlers)
