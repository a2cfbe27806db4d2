"""What is known of a cluster: this replica's part, and how the parts of all replicas become one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kwitness.collector.core import CoreCounts
from kwitness.collector.inventory.brokers import Brokers
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.header_report import merged_headers
from kwitness.collector.inventory.observer_report import with_observed_connections
from kwitness.collector.ledger import Ledger
from kwitness.contracts.envelopes import (
    BrokerState,
    ClusterState,
    HopState,
    InterceptorState,
    ObserverState,
    SoftwareState,
)
from kwitness.contracts.software import is_ours


def cluster_part(
    clients: Clients, brokers: Brokers, counts: CoreCounts, ledger: Ledger, cluster_id: str
) -> ClusterState:
    """Return what this replica knows of a cluster; ``counts`` are of its series."""
    connected = brokers.connected_software(cluster_id)
    return ClusterState(
        cluster_id=cluster_id,
        brokers=tuple(
            BrokerState(
                broker_id=one.snapshot.broker_id,
                plugin_version=one.snapshot.plugin_version,
                kafka_version=one.snapshot.kafka_version,
                last_heartbeat_ms=one.heard_ms,
                gauge_truncated=one.snapshot.gauge_truncated,
                listeners=one.snapshot.listeners,
                inter_broker_listener=one.snapshot.inter_broker_listener,
                warnings=one.snapshot.warnings,
                client_instances=None if one.snapshot.sensors is None else one.snapshot.sensors.instances,
                ledger=one.snapshot.ledger,
            )
            for one in brokers.of_cluster(cluster_id)
        ),
        software=tuple(
            SoftwareState(
                client_software_name=name,
                client_software_version=version,
                connections=connected.get((name, version), 0),
                first_seen_ms=seen.first_seen_ms,
                last_seen_ms=seen.last_seen_ms,
                ours=is_ours(None, name, version),
            )
            for (cluster, name, version), seen in brokers.software.items()
            if cluster == cluster_id
        ),
        series=counts.series,
        overflowed=sum(counts.overflowed.values()),
        clients=sum(record.identity.get("cluster_id") == cluster_id for record in clients.records()),
        ledger=tuple(
            HopState(
                hop=hop.name,
                accepted=hop.accepted,
                delivered=hop.delivered,
                queued=hop.queued,
                dropped=dict(hop.dropped),
            )
            for hop in ledger.hops()
        ),
    )


def merge_clusters(parts: Sequence[ClusterState], missing: tuple[int, ...]) -> ClusterState:
    """Merge the replicas' parts: newest heartbeats, widest span per software, sums of everything else.

    ``missing`` are the ordinals of replicas without a part.
    """
    merged = ClusterState(
        cluster_id=parts[0].cluster_id,
        refusing=next((part.refusing for part in parts if part.refusing is not None), None),
        brokers=tuple(_by_key(parts, lambda part: part.brokers, lambda one: one.broker_id, _newer_broker)),
        observers=tuple(
            _by_key(parts, lambda part: part.observers, lambda one: (one.pod_namespace, one.pod), _newer_observer)
        ),
        interceptors=tuple(
            _by_key(
                parts,
                lambda part: part.interceptors,
                lambda one: (one.pod_namespace, one.pod, one.reporter),
                _newer_reporter,
            )
        ),
        software=tuple(
            _by_key(
                parts,
                lambda part: part.software,
                lambda one: (one.client_software_name, one.client_software_version),
                _wider_software,
            )
        ),
        headers=merged_headers(parts),
        headers_left_out=sum(part.headers_left_out for part in parts),
        series=sum(part.series for part in parts),
        overflowed=sum(part.overflowed for part in parts),
        clients=sum(part.clients for part in parts),
        clients_in_pods=sum(part.clients_in_pods for part in parts),
        pods_listed_at_ms=min(part.pods_listed_at_ms for part in parts),
        missing=missing,
        ledger=tuple(_by_key(parts, lambda part: part.ledger, lambda one: one.hop, _summed_hop)),
    )
    return with_observed_connections(merged)


def _by_key(
    parts: Iterable[ClusterState],
    entries: Callable[[ClusterState], Iterable[Any]],
    key: Callable[[Any], Any],
    merge: Callable[[Any, Any], Any],
) -> list[Any]:
    merged: dict[Any, Any] = {}
    for entry in (one for part in parts for one in entries(part)):
        merged[key(entry)] = merge(merged[key(entry)], entry) if key(entry) in merged else entry
    return [merged[one] for one in sorted(merged)]


def _newer_broker(one: BrokerState, other: BrokerState) -> BrokerState:
    return max(one, other, key=lambda broker: broker.last_heartbeat_ms)


def _newer_observer(one: ObserverState, other: ObserverState) -> ObserverState:
    return max(one, other, key=lambda observer: observer.last_heard_ms)


def _newer_reporter(one: InterceptorState, other: InterceptorState) -> InterceptorState:
    return max(one, other, key=lambda reporter: reporter.last_heard_ms)


def _wider_software(one: SoftwareState, other: SoftwareState) -> SoftwareState:
    return one.model_copy(
        update={
            # Only one replica has a cluster's brokers; after a change of owner the other one's count is old.
            "connections": max(one.connections, other.connections),
            "first_seen_ms": min(one.first_seen_ms, other.first_seen_ms),
            "last_seen_ms": max(one.last_seen_ms, other.last_seen_ms),
        }
    )


def _summed_hop(one: HopState, other: HopState) -> HopState:
    reasons = {*one.dropped, *other.dropped}
    return HopState(
        hop=one.hop,
        accepted=one.accepted + other.accepted,
        delivered=one.delivered + other.delivered,
        queued=one.queued + other.queued,
        dropped={reason: one.dropped.get(reason, 0) + other.dropped.get(reason, 0) for reason in sorted(reasons)},
    )
