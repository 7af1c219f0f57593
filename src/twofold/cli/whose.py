"""Whose memory a command is about, where `--tenant` or `--user` is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from twofold.cli.exits import WRONG_USAGE
from twofold.cli.output import Listing, print_listing, said
from twofold.memory.scope import Scope

if TYPE_CHECKING:
    from twofold.store.database import Database
    from twofold.store.people import Person

MOST_LISTED = 50


async def chosen_scope(database: Database, tenant: str | None, user: str | None, *, known_only: bool = True) -> Scope:
    """Return whose memory it is about; the only person that fits where an option is left out, which is said.

    Where several fit, or none, the people known are listed and the command ends as wrongly used. A database
    that knows nobody has nothing to choose from, and nothing to show. Without `known_only` whoever is named is taken:
    what has expired, or was never listed, can be forgotten too.
    """
    fitting: Sequence[Person] = ()
    if tenant is not None and user is not None:
        named = Scope(tenant_id=tenant, user_id=user)
        if not known_only or await _is_known(database, named):
            return named
    else:
        fitting = await database.overview.people(tenant_id=tenant, user_id=user)
    if len(fitting) == 1 and (scope := fitting[0].scope) is not None:
        said(f"Of tenant {scope.tenant_id!r}, user {scope.user_id!r}:")
        return scope
    known = fitting or await database.overview.people()
    if not known:
        said("Nothing is known of anyone yet")
        return Scope(tenant_id=tenant or "local", user_id=user or "local")
    said(f"Whose memory? Give --tenant and --user. {'These fit' if fitting else 'Nobody fits; these are known'}:")
    list_people(known)
    raise typer.Exit(WRONG_USAGE)


async def _is_known(database: Database, scope: Scope) -> bool:
    """Whether there is anything of a person, be it the story of what was erased."""
    if await database.overview.people(tenant_id=scope.tenant_id, user_id=scope.user_id):
        return True
    if await database.memories.history(scope, None, limit=1):
        return True
    return bool((await database.memories.page(scope, limit=1)).memories)


def list_people(people: Sequence[Person]) -> None:
    """Print people on stderr, the last used first."""
    rows = [(*person.shown, str(person.memories), person.last_used.isoformat()) for person in people[:MOST_LISTED]]
    columns = ("tenant", "user", "memories", "last used")
    print_listing(Listing(columns=columns, rows=rows), to_stderr=True)
    if len(people) > MOST_LISTED:
        said(f"… and {len(people) - MOST_LISTED} more")
