"""What each subscription asks for, or why it cannot be told."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from kwitness.contracts.resources.client_metrics_subscription import ClientMetricsSubscription
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.desired.subscription_expiry import expires_ms
from kwitness.operator.desired.subscription_plan import Wanted, broker_name, desired_subscription
from kwitness.operator.desired.subscription_reach import narrowing, reach_depends_on_labels
from kwitness.operator.environment.clusters import cluster_named, present
from kwitness.operator.environment.needs import known_cluster
from kwitness.operator.environment.ruling_clusters import ruling_cluster
from kwitness.operator.kinds.client_metrics_subscription.needs import installation_of
from kwitness.operator.kinds.client_metrics_subscription.verdicts import Judged
from kwitness.operator.model.conditions import failure
from kwitness.operator.model.errors import InternalError, OperatorError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.pause import paused, stands_still
from kwitness.operator.model.references import cluster_key, depends_on_labels
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Body, Labels
from kwitness.operator.shapes.work import View
from kwitness.subscriptions.risk_rule import tightest

__all__ = ["wanted_of"]


def wanted_of(at: Key, bodies: Mapping[Key, Body], view: View) -> tuple[list[Wanted], dict[Key, Judged]]:
    """Those of the KafkaCluster ``at`` that ask for something, and what the others are told.

    Nothing is written while it is not known what the KafkaCluster says that rules.
    """
    wanted: list[Wanted] = []
    told: dict[Key, Judged] = {}
    ruler = None
    with suppress(OperatorError):
        ruler = ruling_cluster(at, view)
    for key, body in bodies.items():
        if stands_still(body):
            told[key] = Judged.unchanged(body, paused("what is or is not on the broker stays as it is"))
            continue
        try:
            wanted.append(_one_wanted(key, body, ruler, view))
        except OperatorError as error:
            told[key] = Judged.unchanged(body, failure(error))
        except Exception as error:  # noqa: BLE001 - an unexpected one becomes a condition too
            told[key] = Judged.unchanged(body, failure(InternalError(error)), unexpected=error)
    return wanted, told


def _one_wanted(key: Key, body: Body, ruler: KafkaCluster | None, view: View) -> Wanted:
    resource = parse_resource(ClientMetricsSubscription, body)
    spec = resource.spec
    labels = _labels(cluster_key(key.namespace, spec.cluster_ref), ruler, key.namespace, view)
    cluster = cluster_named(spec.cluster_ref, key.namespace, view)
    bounds = [cluster] if ruler is None else [cluster, ruler]
    ends = expires_ms(body)
    return Wanted(
        key=key,
        subscription=desired_subscription(
            broker_name(installation_of(view), key),
            resource,
            restrictions=[narrowing(bound, key.namespace, labels) for bound in bounds],
            min_interval=view.settings.limits.min_interval,
        ),
        risk=tightest(bounds, resource),
        suspended=spec.suspend or cluster.spec.suspend or "deletionTimestamp" in body["metadata"],
        expired=ends is not None and ends <= view.now_ms,
    )


def _labels(at: Key, ruler: KafkaCluster | None, namespace: str, view: View) -> Mapping[str, str] | None:
    """Those of the namespace, where they matter; raises why they could not be found out, which forbids nothing."""
    cluster = known_cluster(view, at)
    if cluster is None:
        return None
    bounds = (cluster,) if ruler is None else (cluster, ruler)
    matter = depends_on_labels(cluster, namespace) or any(reach_depends_on_labels(bound, namespace) for bound in bounds)
    return present(view, Labels(namespace)) if matter else None
