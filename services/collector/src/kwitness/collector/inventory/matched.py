"""Which subscriptions match a client, looked at once for each identity and each set of subscriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kwitness.collector.inventory.clients import ClientRecord, Matched
from kwitness.subscriptions.broker_subscription import BrokerSubscription
from kwitness.subscriptions.matcher import Matcher


def match_keys(identity: Mapping[str, str]) -> dict[str, str]:
    """Return a client's identity under the names that Kafka's ``match`` uses."""
    keys = dict(identity)
    if "client_address" in keys:
        keys["client_source_address"] = keys["client_address"]
    return keys


class SubscriptionMatcher:
    """Finds, and remembers with each client, which of ``subscriptions`` match it."""

    def __init__(self, subscriptions: tuple[BrokerSubscription, ...]) -> None:
        self.subscriptions = subscriptions
        self._matcher = Matcher(subscriptions)

    def mask(self, record: ClientRecord) -> int:
        """Return a bit for each subscription, in their order: whether it matches for certain."""
        known = record.matched
        if known is None or known.by is not self._matcher:
            mask = self._matcher.matches(match_keys(record.identity)).certain
            known = record.matched = Matched(self._matcher, mask)
        return known.mask


def places(mask: int) -> Iterator[int]:
    """Yield the places of the bits that are set."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
