"""What the brokers ask clients for, as the mounted file has it or as the operator told since."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Self

from kwitness.contracts.broker_configs import BrokerSubscriptionConfig
from kwitness.contracts.envelopes import ClusterSubscriptions
from kwitness.subscriptions.broker_subscription import BrokerSubscription

__all__ = ["KnownSubscriptions", "ToldSubscriptions"]

_UNDER_WAY_S: Final = 180.0
"""Seconds that a file may be under way: a kubelet looks every minute, at what it has cached for as long."""


@dataclass(frozen=True, slots=True)
class KnownSubscriptions:
    """All subscriptions of the broker: as observers are told them, with their hash, and as clients are matched."""

    written: ClusterSubscriptions
    read: tuple[BrokerSubscription, ...]

    @classmethod
    def of(cls, subscriptions: tuple[BrokerSubscriptionConfig, ...]) -> Self:
        """As a file or a request has them."""
        read = tuple(
            BrokerSubscription(
                id=one.id, metrics=one.metrics, interval_ms=one.interval_ms, match=tuple(sorted(one.match.items()))
            )
            for one in subscriptions
        )
        return cls(ClusterSubscriptions.of(subscriptions), read)


class ToldSubscriptions:
    """What was told comes before the file, until the file changes to something that was not known before.

    The operator writes the file and tells at the same time, and the file comes later: what was replaced by telling may
    still be under way, and is not taken for news. Nothing of this is remembered when the process ends.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._told: KnownSubscriptions | None = None
        self._file_then = ""
        self._replaced: dict[str, float] = {}

    def tell(self, told: KnownSubscriptions, file: KnownSubscriptions) -> None:
        """Take these for the newest; ``file`` has others, or the same."""
        now = self._clock()
        before = self.newest(file)
        self._replaced = {name: until for name, until in self._replaced.items() if until > now}
        self._replaced[before.written.hash] = now + _UNDER_WAY_S
        self._replaced.pop(told.written.hash, None)
        self._told, self._file_then = told, file.written.hash

    def newest(self, file: KnownSubscriptions) -> KnownSubscriptions:
        """Those that count, while the file has these."""
        told, found = self._told, file.written.hash
        if told is None:
            return file
        if found in {told.written.hash, self._file_then} or self._clock() < self._replaced.get(found, 0.0):
            return told
        self._told = None
        return file
