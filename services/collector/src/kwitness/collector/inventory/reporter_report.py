"""Reporters of interceptors in the answers of the inventory API."""

from __future__ import annotations

from kwitness.collector.inventory.reporters import Reporters, ReporterState
from kwitness.contracts.envelopes import ClusterState, InterceptorState


def with_reporters(part: ClusterState, reporters: Reporters) -> ClusterState:
    """Add this replica's reporters of the cluster."""
    states = tuple(_state(one) for one in reporters.known() if one.head.cluster_id == part.cluster_id)
    return part.model_copy(update={"interceptors": states})


def _state(one: ReporterState) -> InterceptorState:
    head, state = one.head, one.head.state
    namespace, pod, _ = head.source.split("/", 2)
    return InterceptorState(
        namespace=head.profile.namespace,
        name=head.profile.name,
        reporter=head.reporter,
        runtime=head.runtime,
        pod=pod,
        pod_namespace=namespace,
        container=head.container,
        version=head.version,
        epoch=head.epoch,
        settings=state.settings,
        suspended=state.suspended,
        lacks_identity_key=state.lacks_identity_key,
        clients=sum(side.clients for side in state.clients),
        not_intercepted=dict(state.not_intercepted),
        not_through_observer=dict(state.not_through_observer),
        unusable=dict(state.unusable),
        last_heard_ms=one.heard_ms,
    )
