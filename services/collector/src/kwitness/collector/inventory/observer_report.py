"""Observers in the answers of the inventory API, and what they add to what brokers count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from kwitness.collector.inventory.observers import Observer, Observers
from kwitness.collector.inventory.software import SoftwareKey
from kwitness.collector.origin import believed
from kwitness.contracts.envelopes import ClusterState, ObserverState, SoftwareConnections


def with_observers(
    part: ClusterState, observers: Observers, shown: Callable[[SoftwareKey], SoftwareKey], now_ms: int
) -> ClusterState:
    """Add this replica's observers of the cluster; of a silent one its connections are not known.

    ``shown`` says under which name and version a software is counted.
    """
    heard = {one.head.source for one in observers.heard(now_ms)}
    states = tuple(
        _state(one, shown, silent=one.head.source not in heard)
        for one in observers.known()
        if one.head.cluster_id == part.cluster_id
    )
    return with_observed_connections(part.model_copy(update={"observers": states}))


def with_observed_connections(part: ClusterState) -> ClusterState:
    """Return the part with at least as many connections of each software as its observers have open.

    Brokers count those, too, so the two are never added up.
    """
    observed: Counter[tuple[str, str]] = Counter()
    for observer in part.observers:
        for one in observer.software:
            observed[one.client_software_name, one.client_software_version] += one.connections
    software = tuple(
        one.model_copy(update={"connections": max(one.connections, seen)})
        if (seen := observed[one.client_software_name, one.client_software_version])
        else one
        for one in part.software
    )
    return part.model_copy(update={"software": software})


def _state(one: Observer, shown: Callable[[SoftwareKey], SoftwareKey], *, silent: bool) -> ObserverState:
    head, state = one.head, one.head.state
    by_state = {} if silent else dict(state.by_state)
    software: Counter[tuple[str, str]] = Counter()
    for entry in () if silent else head.connections:
        _, name, version = shown((head.cluster_id, entry.client_software_name, entry.client_software_version))
        software[name, version] += entry.connections
    return ObserverState(
        namespace=head.observer.namespace,
        name=head.observer.name,
        mode=head.observer.mode,
        pod=one.pod,
        pod_namespace=one.pod_namespace,
        reported_by=head.reported_by,
        version=head.version,
        epoch=head.epoch,
        settings=state.settings,
        workload=believed(head.workload, one.pod),
        suspended=state.suspended,
        lacks_identity_key=state.lacks_identity_key,
        relay_only_until_ms=state.relay_only_until_ms,
        not_intercepted=state.not_intercepted,
        connections=sum(by_state.values()),
        by_state=by_state,
        opaque=dict(state.opaque),
        unserved=dict(state.unserved),
        unread=dict(state.unread),
        resident_bytes=state.resident_bytes,
        software=tuple(
            SoftwareConnections(client_software_name=name, client_software_version=version, connections=count)
            for (name, version), count in sorted(software.items())
            if count
        ),
        ledger=state.ledger,
        telemetry=state.telemetry,
        last_heard_ms=one.heard_ms,
    )
