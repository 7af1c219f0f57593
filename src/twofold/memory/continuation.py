"""A session handed over in part does not shorten its episode."""

from __future__ import annotations

from twofold.memory.splitting import episode_of
from twofold.memory.steps import Episode


def continued(episode: Episode, stored: Episode, given: frozenset[str]) -> Episode:
    """Return an episode with those runs of the stored one that the hand-over does not hold, or only in part.

    `given` are the ids of all events that were handed over: what is missing among them was not undone.
    """
    missing = tuple(run for run in stored.runs if not given.issuperset(run.event_ids))
    if not missing:
        return episode
    known = frozenset[str]().union(*(run.event_ids for run in missing))
    new = tuple(run for run in episode.runs if known.isdisjoint(run.event_ids))
    runs = sorted((*missing, *new), key=lambda run: run.started_at)
    return episode_of(episode.session_id, tuple(runs)) or episode
