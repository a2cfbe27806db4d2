"""Reads which subscriptions the brokers of a KafkaCluster have, ours and foreign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.serving_collector import parsed
from kwitness.answers.failure import CommandFailedError
from kwitness.cli.output import warn
from kwitness.cli.subscription_rows import Subscription, of_collector, of_status
from kwitness.contracts.endpoints import SUBSCRIPTIONS_PATH
from kwitness.contracts.envelopes import SubscriptionList
from kwitness.contracts.resources.kafka_cluster import KafkaCluster

__all__ = ["subscriptions_of_brokers"]


def subscriptions_of_brokers(access: ClusterAccess, body: Mapping[str, Any], address: str | None) -> list[Subscription]:
    """Return all of them: those of the status, or of the collector where the status does not have all.

    ``address`` is the collector's, None where a port is to be forwarded to it. What cannot be found out is a warning.
    """
    cluster = parsed(KafkaCluster, body)
    held = None if cluster.status is None else cluster.status.subscriptions
    if held is None:
        name = cluster.metadata.name
        warn(f"what others ask at the brokers of {name} is not known (yet): the operator has not said it")
        return []
    left_out = held.ours + held.other_installations + held.foreign - len(held.first)
    if not left_out:
        return list(of_status(cluster.metadata.name, held))
    from kwitness.answers.access.collector_access import CollectorAccess  # noqa: PLC0415 - needed where there are many alone
    from kwitness.answers.access.kubernetes_route import route_to  # noqa: PLC0415 - likewise

    try:
        with CollectorAccess(route_to(access, cluster, address)) as collector:
            answer = collector.get(SUBSCRIPTIONS_PATH, SubscriptionList)
    except CommandFailedError as error:
        warn(f"{left_out} more subscriptions at the brokers of {cluster.metadata.name} are not listed: {error}")
        return list(of_status(cluster.metadata.name, held))
    return list(of_collector(cluster.metadata.name, held, answer.items))
