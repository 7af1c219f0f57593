"""Every error twofold raises on purpose.

TwofoldError
├── InvalidInput          what was handed over cannot be used; names the field and the limit
├── NotFound              there is no such memory or session of this person
├── NotAuthenticated      nobody knows who is calling
├── NotAllowed            the caller is known, and may not do this
├── IssuerUnavailable     the keys that tokens are checked with cannot be had right now
├── NotAccepted           a session could not be accepted durably; hand it over again
├── Conflict              the memory changed while it was being updated; run the graph again
├── ExtractionFailed      a part could not be extracted; nothing was written
├── ModelFailed           a chat or embedding model failed or answered unusably
├── StoreUnavailable      the database cannot be reached or refuses us
│   ├── StoreUnsuitable   it answers, but lacks what twofold needs (pgvector, version, rights)
│   └── ServerUnavailable the memory is on a server, which cannot be reached or is none of ours
├── EmbedderMismatch      the database was filled with another embedding model
└── SettingsInvalid       a setting has an unusable value; names the setting
"""

from __future__ import annotations

from collections.abc import Sequence


class TwofoldError(Exception):
    """Something twofold refused or could not do."""


class InvalidInput(TwofoldError):
    """The input names a field that cannot be used; nothing was read or written."""


class NotFound(TwofoldError):
    """There is nothing of that key or id that is this person's."""


class NotAuthenticated(TwofoldError):
    """The request does not say who is calling, or what it says does not hold."""


class NotAllowed(TwofoldError):
    """The caller may not do this, or not for this person."""


class IssuerUnavailable(TwofoldError):
    """Nobody's token can be checked: the issuer's key set cannot be read."""


class NotAccepted(TwofoldError):
    """The session was not accepted; the next hand-over of the whole session repeats it."""


class Conflict(TwofoldError):
    """This person's memory changed since it was read; run the graph again, what was extracted is kept."""


class ExtractionFailed(TwofoldError):
    """At least one part of the session could not be extracted; nothing of it was stored.

    `failures` are the parts and why, without advice.
    """

    def __init__(self, message: str, *, failures: Sequence[str] = ()) -> None:
        """Take the message, and each part that failed with its cause."""
        super().__init__(message)
        self.failures = tuple(failures)


class ModelFailed(TwofoldError):
    """A model could not be reached, refused, or answered with something that cannot be used."""


class StoreUnavailable(TwofoldError):
    """The database cannot be reached or refuses the connection."""


class StoreUnsuitable(StoreUnavailable):
    """The database answers but lacks something twofold needs."""


class ServerUnavailable(StoreUnavailable):
    """The twofold server cannot be reached, fails, or what answers there is none."""


class EmbedderMismatch(TwofoldError):
    """The database holds vectors of another embedding model."""


class SettingsInvalid(TwofoldError):
    """A setting has a value that cannot be used."""
