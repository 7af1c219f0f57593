"""A memory on a twofold server, reached over HTTP."""

from twofold.remote.memory import RemoteMemory

__all__ = ["RemoteMemory"]
