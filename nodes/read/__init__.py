"""The steps of `memory_read`, in the order they run."""

from twofold.nodes.read.embed import embed
from twofold.nodes.read.rank import rank
from twofold.nodes.read.redact import redact
from twofold.nodes.read.search_episodic import search_episodic
from twofold.nodes.read.search_semantic import search_semantic
from twofold.nodes.read.state import ReadInput, ReadOutput, ReadState
from twofold.nodes.read.validate import validate

__all__ = [
    "ReadInput",
    "ReadOutput",
    "ReadState",
    "embed",
    "rank",
    "redact",
    "search_episodic",
    "search_semantic",
    "validate",
]
