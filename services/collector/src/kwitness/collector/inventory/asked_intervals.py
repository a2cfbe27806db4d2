"""How often brokers ask a client to push now, as far as their subscriptions tell."""

from __future__ import annotations

from collections.abc import Callable

from kwitness.collector.inventory.client_record import ClientRecord
from kwitness.collector.inventory.matched import SubscriptionMatcher, places
from kwitness.subscriptions.broker_subscription import BrokerSubscription
from kwitness.subscriptions.matching import effective


class AskedIntervals:
    """Reads them off the newest subscriptions."""

    def __init__(self, subscriptions: Callable[[], tuple[BrokerSubscription, ...]]) -> None:
        self._subscriptions = subscriptions
        self._matcher = SubscriptionMatcher(())

    def of(self, record: ClientRecord) -> int | None:
        """Return the interval in milliseconds; None where no subscription matches for certain."""
        subscriptions = self._subscriptions()
        if subscriptions is not self._matcher.subscriptions:
            self._matcher = SubscriptionMatcher(subscriptions)
        found = effective(subscriptions[place] for place in places(self._matcher.mask(record)))
        return None if found is None else found.interval_ms
