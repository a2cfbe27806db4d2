"""What is on the brokers of a cluster, and what our writes there came to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from kwitness.operator.desired.orphans import Remaining, orphans, own_names
from kwitness.operator.desired.subscription_plan import own_key
from kwitness.operator.kinds.client_metrics_subscription.needs import KIND, installation_of, is_of_last_read
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Body, Watched
from kwitness.operator.shapes.subscription_facts import (
    BrokerConfigs,
    BrokerWrites,
    CompleteNames,
    Deleted,
    KnownId,
    SetConfigs,
    WriteRecord,
)
from kwitness.operator.shapes.work import View
from kwitness.subscriptions.broker_subscription import BrokerSubscription, UnreadableSubscriptionError, parse

__all__ = ["Brokers", "known_names", "readable"]


@dataclass(frozen=True, slots=True)
class Brokers:
    """``record`` has how all writes ended, ``last`` only those since the brokers were read."""

    found: SetConfigs
    record: WriteRecord
    last: WriteRecord

    @classmethod
    def of(cls, at: Key, view: View) -> Brokers:
        """Read it.

        Raises
        ------
        OperatorError
            The brokers could not be asked, or refused a write as a whole.
        """
        answer = view[BrokerConfigs(at)]
        if answer.failure is not None:
            raise answer.failure
        record = view[BrokerWrites(at)].value or WriteRecord()
        last = record if is_of_last_read(record, answer) else WriteRecord()
        if last.failure is not None:
            raise last.failure
        return cls(answer.value or SetConfigs(), record, last)

    def lost(
        self, at: Key, cluster_id: str | None, bodies: Mapping[Key, Body], refused: Collection[Key], view: View
    ) -> frozenset[str]:
        """Names of configs that have no resource any more that may ask for them; those of ``refused`` may not."""
        names = own_names(self.found.configs, installation_of(view), view.settings.watches)

        def body(key: Key) -> Body | None:
            return bodies[key] if key in bodies else view[Watched(KIND, key)].value

        def complete(namespace: str) -> frozenset[str] | None:
            answer = view.get(CompleteNames(namespace))
            return None if answer is None or answer.failure is not None else answer.value

        def id_of(cluster: Key) -> str | None:
            answer = view.get(KnownId(cluster))
            return None if answer is None else answer.value

        deleted = view[Deleted(KIND)].value or frozenset()
        return orphans(names, Remaining(at, cluster_id, body, deleted, complete, id_of, refused))

    def refusals(self, changes: Mapping[str, Mapping[str, str] | None]) -> dict[str, OperatorError]:
        """Why those of ``changes`` were not carried out that have been tried already."""
        if self.found.refused is not None:
            return dict.fromkeys(changes, self.found.refused)
        tried = {name: self.last.results[name] for name in changes if name in self.last.results}
        return {name: one.error for name, one in tried.items() if one.error is not None and one.target == changes[name]}

    def has_removed(self, name: str) -> bool:
        """Whether the last that we did about a name was to take it away."""
        result = self.record.results.get(name)
        return result is not None and result.target is None and result.error is None


def readable(configs: Mapping[str, Mapping[str, str]]) -> tuple[BrokerSubscription, ...]:
    """Those that can be read; Kafka would not have taken others."""
    found = []
    for name, values in sorted(configs.items()):
        try:
            found.append(parse(name, values))
        except UnreadableSubscriptionError:
            continue
    return tuple(found)


def known_names(installation: str, standing: Collection[BrokerSubscription]) -> dict[str, str]:
    """By which people know those that are ours, by id."""
    keys = {one.id: own_key(installation, one.id) for one in standing}
    return {name: str(key) for name, key in keys.items() if key is not None}
