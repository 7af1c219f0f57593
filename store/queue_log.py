"""What procrastinate says to the host's log: its problems, and nothing that names people."""

from __future__ import annotations

import logging

_FAILED = "job_error"
_OURS = "twofold."


def quiet() -> None:
    """Have procrastinate log from WARNING on, unless the host set a level; a save that failed is told by the worker.

    At INFO it names whose session it works on, and each failed save comes with a traceback. May be called again.
    """
    ours = logging.getLogger("procrastinate")
    if ours.level == logging.NOTSET:
        ours.setLevel(logging.WARNING)
    # The same function each time: a logger keeps it once.
    logging.getLogger("procrastinate.worker").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """Whether it is anything but the end of one of our jobs that failed; a host may have jobs of its own."""
    job = getattr(record, "job", None)
    ended = str(getattr(record, "action", "")).startswith(_FAILED)
    return not (ended and isinstance(job, dict) and str(job.get("task_name")).startswith(_OURS))
