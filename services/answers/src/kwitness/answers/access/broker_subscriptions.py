"""Reads which subscriptions the brokers of a KafkaCluster have, ours and foreign."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from kwitness.answers.access.serving_collector import parsed
from kwitness.answers.failure import CommandFailedError
from kwitness.answers.views.subscription_facts import Subscription, of_collector, of_status
from kwitness.contracts.endpoints import SUBSCRIPTIONS_PATH
from kwitness.contracts.envelopes import SubscriptionList
from kwitness.contracts.resources.kafka_cluster import KafkaCluster

if TYPE_CHECKING:
    from kwitness.answers.access.collector_access import CollectorRoute

__all__ = ["AtBrokers", "subscriptions_at_brokers"]


class AtBrokers(NamedTuple):
    """Subscriptions at the brokers of a cluster, and in sentences what is not known of them."""

    rows: list[Subscription]
    lacks: list[str]


def subscriptions_at_brokers(body: Mapping[str, Any], route: Callable[[KafkaCluster], CollectorRoute]) -> AtBrokers:
    """Return all of them: those of the status, or of the collector where the status does not have all.

    Parameters
    ----------
    body
        The KafkaCluster.
    route
        Finds the collector that acts for it.
    """
    cluster = parsed(KafkaCluster, body)
    name = cluster.metadata.name
    held = None if cluster.status is None else cluster.status.subscriptions
    if held is None:
        return AtBrokers(
            [], [f"what others ask at the brokers of {name} is not known (yet): the operator has not said it"]
        )
    left_out = held.ours + held.other_installations + held.foreign - len(held.first)
    if not left_out:
        return AtBrokers(list(of_status(cluster.metadata, held)), [])
    from kwitness.answers.access.collector_access import CollectorAccess  # noqa: PLC0415 - needed where there are many alone

    try:
        with CollectorAccess(route(cluster)) as collector:
            answer = collector.get(SUBSCRIPTIONS_PATH, SubscriptionList)
    except CommandFailedError as error:
        lack = f"{left_out} more subscriptions at the brokers of {name} are not listed: {error}"
        return AtBrokers(list(of_status(cluster.metadata, held)), [lack])
    return AtBrokers(list(of_collector(cluster.metadata, held, answer.items)), [])
