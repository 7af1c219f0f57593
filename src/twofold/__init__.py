"""twofold: long-term memory for Google ADK agents, semantic and episodic, in one Postgres."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("twofold")
