"""The memory of a service that ADK's own servers make before they have read the agent's settings."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from twofold.memory.errors import SettingsInvalid
from twofold.memory_access import MemoryAccess

logger = logging.getLogger(__name__)


class LateMemory:
    """Makes a memory, and where it is `late` makes it again for its first use.

    `adk web` makes its memory service when it starts and reads an agent's `.env` when somebody first talks to the
    agent; `adk run` does both the other way round. A key or a database named there counts in both.
    """

    def __init__(self, make: Callable[[], MemoryAccess], *, late: bool) -> None:
        """Make it, which does no I/O. Raises SettingsInvalid."""
        self._make = make
        self._made = make()
        self._late = late
        self._making = threading.Lock()

    @property
    def made(self) -> MemoryAccess:
        """The memory as it is, to look at it or to close it, neither of which is a use."""
        return self._made

    def used(self) -> MemoryAccess:
        """Return the memory, now that it is used. Settings that became unusable meanwhile are logged and ignored."""
        with self._making:
            if self._late:
                self._late = False
                try:
                    self._made = self._make()
                except SettingsInvalid as error:
                    logger.error("Memory goes on with the settings the server was started with: %s", error)  # noqa: TRY400 - it says all
            return self._made
