"""Where a server is, and whether its key may be sent there."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

from twofold.memory.errors import SettingsInvalid


def checked_url(url: str, *, unencrypted: bool = False) -> str:
    """Return the server's address without a slash at the end; a path, as of a proxy, stays.

    Raises SettingsInvalid for what is no address of a server, for an address that carries a secret, and for
    `http://` to another machine, unless `unencrypted` allows it.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise SettingsInvalid("uri: this address of a server cannot be read; use https://HOST[:PORT][/PATH]") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise SettingsInvalid("uri: an address of a server is https://HOST[:PORT][/PATH], or http:// on this machine")
    if _carries_more(parts):
        raise SettingsInvalid(
            f"uri: the address of {host!r} has a user, a query or a fragment, which would be shown; the key belongs"
            " into service_key or TWOFOLD_SERVER_KEY"
        )
    if parts.scheme == "http" and not is_loopback(host) and not unencrypted:
        raise SettingsInvalid(
            f"uri: http:// would send the service key and the memories to {host!r} for anyone to read; use https://,"
            " or, in a network you trust, set TWOFOLD_SERVER_UNENCRYPTED=true"
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def checked_key(key: SecretStr | None) -> SecretStr:
    """Return the service key. Raises SettingsInvalid if there is none, or it cannot be sent in a header."""
    if key is None or not key.get_secret_value():
        raise SettingsInvalid(
            "service_key: a memory on a server needs one of the keys in the server's TWOFOLD_SERVICE_KEYS; set"
            " service_key or TWOFOLD_SERVER_KEY"
        )
    if any(not "!" <= character <= "~" for character in key.get_secret_value()):
        raise SettingsInvalid("service_key: holds a space, a line end or another character that no header can carry")
    return key


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _carries_more(parts: SplitResult) -> bool:
    return bool("@" in parts.netloc or parts.query or parts.fragment)
