"""What the parts of a server share: the settings of the process, and who it lets in."""

from __future__ import annotations

from functools import cache

from twofold.api.apps import Apps
from twofold.api.authenticator import Authenticator
from twofold.settings import Settings, load_settings


@cache
def settings() -> Settings:
    """Return the settings of this process, read once. Raises SettingsInvalid."""
    return load_settings()


@cache
def authenticator() -> Authenticator:
    """Return what tells who is calling. Raises SettingsInvalid."""
    return Authenticator(settings())


@cache
def apps() -> Apps:
    """Return the memories of this process, one for each event loop."""
    return Apps(settings)
