"""The steps of `memory_write`, in the order they run."""

from twofold.nodes.write.extract_episodic import extract_episodic
from twofold.nodes.write.extract_semantic import extract_semantic
from twofold.nodes.write.persist import persist
from twofold.nodes.write.redact import redact
from twofold.nodes.write.split import split
from twofold.nodes.write.state import WriteInput, WriteOutput, WriteState
from twofold.nodes.write.validate import validate

__all__ = [
    "WriteInput",
    "WriteOutput",
    "WriteState",
    "extract_episodic",
    "extract_semantic",
    "persist",
    "redact",
    "split",
    "validate",
]
