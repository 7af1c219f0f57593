"""What the parts of twofold report while a command runs, on stderr."""

from __future__ import annotations

import logging
import sys
import warnings


def quiet_libraries(*, debug: bool) -> None:
    """Show warnings of twofold and of no library; with `debug`, everyone's."""
    if debug:
        _add_handler("%(levelname)s %(name)s: %(message)s", logging.getLogger())
        return
    warnings.simplefilter("ignore")
    logging.getLogger().addHandler(logging.NullHandler())  # else the last resort prints what libraries warn of
    _add_handler("%(message)s", logging.getLogger("twofold"))


def tell_progress() -> None:
    """Also show what twofold reports of its progress, each line with its time."""
    logger = logging.getLogger("twofold")
    logger.setLevel(logging.INFO)
    for handler in (*logger.handlers, *logging.getLogger().handlers):
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))


def _add_handler(form: str, logger: logging.Logger) -> None:
    handler = _Stderr()
    handler.setFormatter(logging.Formatter(form))
    logger.addHandler(handler)


class _Stderr(logging.StreamHandler[object]):  # type: ignore[type-var]
    """Writes to stderr as it is at that moment: a progress bar stands in front of it meanwhile."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        self.stream = sys.stderr
        super().emit(record)
