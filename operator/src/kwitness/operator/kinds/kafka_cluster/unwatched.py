"""Report subscriptions on the brokers of namespaces that have left the Helm value watchNamespaces."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.resources.kafka_cluster import KafkaClusterStatus
from kwitness.operator.desired.subscription_plan import own_key
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.listed_names import some_of
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import AskedFor
from kwitness.operator.shapes.work import View

__all__ = ["unwatched_condition"]

_TYPE: Final = "NamespacesWatched"


def unwatched_condition(key: Key, before: KafkaClusterStatus, view: View) -> Verdict | None:
    """Return the condition; None where nothing is left. While subscriptions are not read, it stays as ``before``."""
    subscriptions = view[AskedFor(key)].value
    if subscriptions is None:
        former = [cond for cond in before.conditions if cond.type == _TYPE]
        return Verdict(_TYPE, former[0].status, former[0].reason, former[0].message) if former else None
    installation = view.settings.installation or ""
    owners = {found.id: own_key(installation, found.id) for found in subscriptions}
    left = sorted(id_ for id_, owner in owners.items() if owner and not view.settings.watches(owner.namespace))
    if not left:
        return None
    message = (
        f"{some_of(left)} stay on the brokers, of namespaces that this installation does not watch any more: add these"
        " to the Helm value watchNamespaces, or remove them with kafka-client-metrics.sh --delete --name"
    )
    return Verdict(_TYPE, "False", "SubscriptionsLeft", message)
