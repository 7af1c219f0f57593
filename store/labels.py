"""The labels by which our tables name a person and a session."""

from __future__ import annotations

from twofold.memory.scope import Kind, Scope, label


def whose(scope: Scope) -> dict[str, str]:
    """Return the parameters `tenant` and `user` of a statement."""
    return {"tenant": label(scope.tenant_id), "user": label(scope.user_id)}


def which(scope: Scope, session_id: str) -> dict[str, str]:
    """Return the parameters `tenant`, `user` and `session` of a statement."""
    return {**whose(scope), "session": label(session_id)}


def prefix_named(tenant_label: str, kind: Kind, user_label: str) -> str:
    """Return the prefix of one kind of memories of the person of these labels, in LangGraph's text form."""
    return f"{tenant_label}.{kind}.{user_label}"
