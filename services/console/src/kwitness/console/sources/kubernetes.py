"""Reads our resources from the API server, and with those the subscriptions that brokers have."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from kwitness.answers.access.broker_subscriptions import subscriptions_at_brokers
from kwitness.answers.access.cluster_access import ClusterAccess, ItemPage, UnknownKindError
from kwitness.answers.access.collector_access import CollectorRoute
from kwitness.answers.access.kubernetes_route import route_to
from kwitness.answers.failure import CommandFailedError, NotPermittedError
from kwitness.answers.permissions import Permission, refusal
from kwitness.answers.views.subscription_facts import Subscription, matched, subscriptions
from kwitness.console.backends import Backends
from kwitness.console.index.database import Database
from kwitness.console.index.resource_tables import RESOURCES, SUBSCRIPTIONS
from kwitness.console.sources.installation import CHECKED_EVERY_S, Installation
from kwitness.console.sources.own_clusters import own_clusters
from kwitness.console.sources.source import Source
from kwitness.contracts.resources import KINDS, KindInfo
from kwitness.contracts.resources.client_metrics_subscription import ClientMetricsSubscription
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.meta import GROUP

__all__ = ["MOST_BYTES", "MOST_OF_A_KIND", "Resources", "kubernetes_sources"]

MOST_OF_A_KIND: Final = 2_000
"""Resources of a kind that are read."""
MOST_BYTES: Final = 16 * 1024 * 1024
"""Bytes of all resources together, as JSON, that are kept."""
_PERIOD_S: Final = 30.0
_COUNTS: Final = ("matching", "pushing", "silent")
_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


def kubernetes_sources(backends: Backends, database: Database, changed: Callable[[], None]) -> dict[str, Source]:
    """Return the sources by their keys; none without Kubernetes."""
    if backends.cluster is None:
        return {}
    resources = Resources(backends.cluster, backends.collector, database)
    installation = Installation(backends.cluster, backends.collector, database)
    return {
        "resources": Source("resources of Kubernetes", resources.read, changed=changed, period_s=_PERIOD_S),
        "installation": Source("the installation", installation.read, changed=changed, period_s=CHECKED_EVERY_S),
    }


class _Kept:
    """Resources that are kept, and in sentences which are not."""

    def __init__(self, most_of_a_kind: int, most_bytes: int) -> None:
        self.items: list[dict[str, Any]] = []
        self.lacks: list[str] = []
        self._most_of_a_kind = most_of_a_kind
        self._free = most_bytes

    def add(self, info: KindInfo, pages: Iterable[ItemPage]) -> None:
        """Keep resources of a kind as long as there is space; later pages are not read."""
        count = left_out = 0
        for page in pages:
            for item in page.items:
                bare = _bare(info.kind, item)
                size = len(json.dumps(bare))
                if count == self._most_of_a_kind or size > self._free:
                    left_out += 1
                    continue
                self._free -= size
                count += 1
                self.items.append(bare)
            if left_out or count == self._most_of_a_kind:
                left_out += page.left
                break
        if left_out:
            self.lacks.append(
                f"{left_out} or more {info.plural} are left out, since they are many or large: kubectl has them"
            )


class Resources:
    """Fills the tables of resources and subscriptions.

    Parameters
    ----------
    collector
        The console's own, which is asked about its cluster; those of other clusters are found as the command does.
    """

    def __init__(
        self,
        access: ClusterAccess,
        collector: CollectorRoute,
        database: Database,
        *,
        most_of_a_kind: int = MOST_OF_A_KIND,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._access = access
        self._collector = collector
        self._database = database
        self._most_of_a_kind = most_of_a_kind
        self._most_bytes = most_bytes

    def read(self) -> Sequence[str]:
        """Read all kinds, of all namespaces or of those that may be listed.

        Raises
        ------
        CommandFailedError
            The API server cannot be reached, knows none of our kinds, or lets none be listed.
        """
        kept = _Kept(self._most_of_a_kind, self._most_bytes)
        refusals = self._list_into(kept)
        of_brokers, unknown = self._at_brokers(item for item in kept.items if item["kind"] == KafkaCluster.__name__)
        resources = [_resource_row(item) for item in kept.items]
        rows = _subscription_rows(kept.items, of_brokers)
        self._database.write(RESOURCES.filled(json.dumps(resources)), SUBSCRIPTIONS.filled(json.dumps(rows)))
        return [*kept.lacks, *refusals, *unknown]

    def _list_into(self, kept: _Kept) -> list[str]:
        """List all kinds, and return in sentences what may not be listed or has no definition."""
        own = self._access.namespace
        unknown: list[UnknownKindError] = []
        refused: dict[str | None, list[str]] = {None: [], own: []}
        user: str | None = None
        for info in KINDS:
            for place, resources in refused.items():
                try:
                    kept.add(info, self._access.pages(info.kind, place))
                except NotPermittedError as error:
                    resources.append(f"{info.plural}.{GROUP}")
                    user = error.user or user
                    continue
                except UnknownKindError as error:
                    unknown.append(error)
                break
        if unknown and len(unknown) == len(KINDS):
            raise unknown[0]
        nowhere = refused[own]
        if len(nowhere) + len(unknown) == len(KINDS):
            raise refusal(Permission("list", ",".join(nowhere), own), user)
        lacks = [str(error) for error in unknown]
        if nowhere:
            lacks.append(str(refusal(Permission("list", ",".join(nowhere), own), user)))
        if others := [resource for resource in refused[None] if resource not in nowhere]:
            refusal_of_all = refusal(Permission("list", ",".join(others), None), user)
            lacks.append(f"resources outside of namespace {own}: {refusal_of_all}")
        return lacks

    def _at_brokers(self, clusters: Iterable[Mapping[str, Any]]) -> tuple[list[Subscription], list[str]]:
        """Return the subscriptions of brokers, and in sentences what is not known of them."""
        rows: list[Subscription] = []
        lacks: list[str] = []
        own = own_clusters(self._collector, self._database)

        def route(cluster: KafkaCluster) -> CollectorRoute:
            if cluster.status is not None and cluster.status.cluster_id in own:
                return self._collector
            return route_to(self._access, cluster, None)

        for body in clusters:
            try:
                held = subscriptions_at_brokers(body, route)
            except CommandFailedError as error:
                lacks.append(str(error))
                continue
            rows += held.rows
            lacks += held.lacks
        return rows, lacks


def _bare(kind: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resource with its kind, which lists leave out, and without what only programs read."""
    metadata = {name: value for name, value in item["metadata"].items() if name != "managedFields"}
    if annotations := metadata.get("annotations"):
        metadata["annotations"] = {name: text for name, text in annotations.items() if name != _APPLIED}
    return {**item, "kind": kind, "metadata": metadata}


def _resource_row(item: Mapping[str, Any]) -> dict[str, Any]:
    metadata = item["metadata"]
    return {
        "kind": item["kind"],
        "k8s_namespace": metadata["namespace"],
        "name": metadata["name"],
        "created_ms": _created_ms(item),
        "item": item,
    }


def _created_ms(item: Mapping[str, Any]) -> int:
    return int(datetime.fromisoformat(item["metadata"]["creationTimestamp"]).timestamp() * 1000)


def _subscription_rows(items: Iterable[Mapping[str, Any]], of_brokers: Iterable[Subscription]) -> list[dict[str, Any]]:
    """Return rows of the table of subscriptions, those of this installation first."""
    own = {_name_of(item): item for item in items if item["kind"] == ClientMetricsSubscription.__name__}
    rows = []
    for found in subscriptions(own.values(), of_brokers):
        body = own.get((found.namespace, found.name)) if found.owner == "Ours" else None
        rows.append(
            {
                "k8s_namespace": found.cluster_namespace if body is None else found.namespace,
                "namespace": found.namespace,
                "name": found.name,
                "cluster": found.cluster,
                "made_by": found.owner,
                "interval": found.interval,
                "metrics": found.metrics,
                "metrics_left_out": found.metrics_left_out,
                "unsent": found.unsent,
                "match": matched(found.match),
                "ready": found.ready,
                "reason": found.reason,
                **{name: found.clients.get(name) for name in _COUNTS},
                "expires_at": found.expires_at,
                "created_ms": None if body is None else _created_ms(body),
                "ending": body is not None and "deletionTimestamp" in body["metadata"],
                "broker_resource": found.broker_resource,
            }
        )
    return rows


def _name_of(item: Mapping[str, Any]) -> tuple[str | None, str]:
    return item["metadata"]["namespace"], item["metadata"]["name"]
