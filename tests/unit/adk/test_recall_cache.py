"""Searches that run or just ran."""

from __future__ import annotations

from concurrent.futures import Future

from twofold.adk.recall_cache import MOST, SECONDS, TURN_SECONDS, Asked, RecallCache
from twofold.memory.memories import Recall
from twofold.memory.scope import Scope

ANNA = Scope(tenant_id="acme", user_id="anna")
BEN = Scope(tenant_id="acme", user_id="ben")
NOTHING = Recall(facts=(), episodes=())


class Searches:
    """Starts searches, counts them, and moves the clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.started: list[Future[Recall]] = []
        self.cache = RecallCache(clock=lambda: self.now)

    def ask(self, asked: Asked) -> Future[Recall]:
        return self.cache.search(asked, self.start)

    def start(self) -> Future[Recall]:
        self.started.append(Future())
        return self.started[-1]


def asked(query: str = "ledger", scope: Scope = ANNA, invocation: str | None = None) -> Asked:
    return Asked(scope, query, None, invocation)


def test_a_search_that_runs_is_shared_and_one_that_just_ran_is_reused() -> None:
    searches = Searches()
    first = searches.ask(asked())
    assert searches.ask(asked()) is first
    first.set_result(NOTHING)
    assert searches.ask(asked()) is first
    assert len(searches.started) == 1


def test_a_query_is_asked_anew_after_five_seconds() -> None:
    searches = Searches()
    searches.ask(asked())
    searches.now = SECONDS
    searches.ask(asked())
    assert len(searches.started) == 2


def test_the_search_of_a_turn_is_kept_for_the_turn_and_not_for_the_next() -> None:
    searches = Searches()
    searches.ask(asked(invocation="i1"))
    searches.now = TURN_SECONDS - 1
    searches.ask(asked(invocation="i1"))
    assert len(searches.started) == 1
    searches.ask(asked(invocation="i2"))
    assert len(searches.started) == 2


def test_queries_and_scopes_do_not_share_searches() -> None:
    searches = Searches()
    searches.ask(asked())
    searches.ask(asked("period"))
    searches.ask(asked(scope=BEN))
    assert len(searches.started) == 3


def test_a_failed_search_is_forgotten_at_once() -> None:
    searches = Searches()
    searches.ask(asked()).set_exception(RuntimeError("down"))
    searches.ask(asked())
    assert len(searches.started) == 2


def test_forgetting_clears_the_scope_and_leaves_others() -> None:
    searches = Searches()
    searches.ask(asked())
    searches.ask(asked(scope=BEN))
    searches.cache.clear(ANNA)
    searches.ask(asked(scope=BEN))
    assert len(searches.started) == 2
    searches.ask(asked())
    assert len(searches.started) == 3


def test_it_never_holds_more_than_its_limit_and_drops_the_oldest() -> None:
    searches = Searches()
    for number in range(MOST + 1):
        searches.ask(asked(str(number), invocation="i1"))
    searches.ask(asked(str(MOST), invocation="i1"))
    assert len(searches.started) == MOST + 1
    searches.ask(asked("0", invocation="i1"))
    assert len(searches.started) == MOST + 2
