"""Asks for subscriptions: resources of Kubernetes, and what else the brokers have."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from kwitness.answers.access.broker_subscriptions import subscriptions_at_brokers
from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.cluster_reference import cluster_of
from kwitness.answers.access.options import AccessOptions
from kwitness.answers.access.serving_collector import find_cluster
from kwitness.answers.failure import NotPermittedError
from kwitness.answers.views.subscription_facts import Subscription, subscriptions
from kwitness.contracts.resources.kafka_cluster import KafkaCluster

if TYPE_CHECKING:
    from kwitness.answers.access.collector_access import CollectorRoute

__all__ = ["all_subscriptions"]

_KIND: Final = "ClientMetricsSubscription"


def all_subscriptions(
    access: ClusterAccess,
    options: AccessOptions,
    *,
    namespace: str | None,
    cluster: str | None,
    notify: Callable[[str], None],
) -> list[Subscription]:
    """Return all subscriptions of a namespace, or of one cluster.

    Parameters
    ----------
    namespace
        None is all of them.
    notify
        Called with a sentence about each thing that the answer lacks.

    Raises
    ------
    CommandFailedError
        The API server does not answer, or permissions are missing.
    """
    resources = access.items(_KIND, namespace)
    if cluster is not None:
        found = find_cluster(access, cluster).metadata
        named = access.get("KafkaCluster", found.name, found.namespace)
        clusters = [] if named is None else [named]
        resources = [body for body in resources if cluster_of(body) == (found.namespace, found.name)]
    else:
        try:
            clusters = access.items("KafkaCluster", namespace)
        except NotPermittedError as error:
            notify(f"what others ask at the brokers is not seen: {error}")
            clusters = []
    of_brokers: list[Subscription] = []
    for body in clusters:
        held = subscriptions_at_brokers(body, functools.partial(_route, access, options))
        of_brokers += held.rows
        for lack in held.lacks:
            notify(lack)
    return subscriptions(resources, of_brokers)


def _route(access: ClusterAccess, options: AccessOptions, cluster: KafkaCluster) -> CollectorRoute:
    from kwitness.answers.access.kubernetes_route import route_to  # noqa: PLC0415 - needed where there are many alone

    return route_to(access, cluster, options.collector)
