"""Which subscriptions match a client, looked at once for each identity and each set of subscriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kwitness.collector.inventory.client_record import ClientRecord, Matched
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
            known = record.matched = self._found(record)
        return known.mask

    def unknown(self, record: ClientRecord) -> int:
        """Return likewise whether it may match, by what the identity was before it was treated."""
        if record.raw is not None or not record.treated:
            return 0
        self.mask(record)
        return record.matched.unknown if record.matched is not None else 0

    def _found(self, record: ClientRecord) -> Matched:
        keys = match_keys(record.who)
        if record.raw is not None or not record.treated:
            return Matched(self._matcher, self._matcher.matches(keys).certain)
        hidden = match_keys(dict.fromkeys(record.treated, "")).keys()
        told = {key: value for key, value in keys.items() if key not in hidden}
        certain, possible = self._matcher.matches(told)
        # What only Java can read is possible by that, too, and was never counted.
        return Matched(self._matcher, certain, self._matcher.matches(told, hidden).possible & ~possible)


def places(mask: int) -> Iterator[int]:
    """Yield the places of the bits that are set."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
