"""The labels by which our tables name a person and a session."""

from __future__ import annotations

from twofold.memory.scope import Scope, label


def whose(scope: Scope) -> dict[str, str]:
    """Return the parameters `tenant` and `user` of a statement."""
    return {"tenant": label(scope.tenant_id), "user": label(scope.user_id)}


def which(scope: Scope, session_id: str) -> dict[str, str]:
    """Return the parameters `tenant`, `user` and `session` of a statement."""
    return {**whose(scope), "session": label(session_id)}
