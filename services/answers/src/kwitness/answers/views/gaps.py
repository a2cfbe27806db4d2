"""Sentences about what an answer lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from kwitness.contracts.envelopes import ObserverListing, ReplicasAnswer

from .advice import missing_text

__all__ = ["UNLISTED", "gaps_of", "left_out_of"]

UNLISTED: Final = "silent_clients"
"""Key of the number of silent clients that the collector does not list."""
_NAMED: Final = 5
"""Observers that a sentence names."""
_REASONS: Final = {
    "no_room": "the collector has no memory left for them",
    "no_length": "their observer is of an earlier release and does not send the start of its windows: upgrade it",
    "too_many": "an observer lists its oldest alone",
    "not_reported": "their ObserverDeployment does not report connections",
}


def gaps_of(answer: ReplicasAnswer) -> list[str]:
    """Return what replicas and scopes leave out of an answer."""
    gaps = []
    if answer.incomplete:
        gaps.append("the collector or its observers left something out that may be of this scope")
    if answer.missing:
        gaps.append(missing_text(answer.missing))
    return gaps


def left_out_of(left_out: Mapping[str, int], observers: Sequence[ObserverListing]) -> list[str]:
    """Return what observers and the collector's memory leave out of an answer: counts by reason, and listings."""
    return [*_counts(left_out, observers), *_listings(observers)]


def _counts(left_out: Mapping[str, int], observers: Sequence[ObserverListing]) -> Iterator[str]:
    for reason, count in left_out.items():
        if reason == UNLISTED:
            yield f"{count} more are not listed, those with the fewest connections"
            continue
        yield f"{count} counts of observers are in no row: {_REASONS.get(reason, reason)}"
    connections: Counter[str] = Counter()
    for listing in observers:
        connections.update(listing.left_out)
    for reason, count in connections.items():
        yield f"{count} connections are in no row: {_REASONS.get(reason, reason)}"


def _listings(observers: Sequence[ObserverListing]) -> Iterator[str]:
    texts = {"awaited": "have not listed their connections yet: ask again", "silent": "are silent, maybe gone"}
    for state, text in texts.items():
        if pods := sorted(listing.observer_pod for listing in observers if listing.answer == state):
            more = f" and {len(pods) - _NAMED} more" if len(pods) > _NAMED else ""
            yield f"observers {', '.join(pods[:_NAMED])}{more} {text}"
