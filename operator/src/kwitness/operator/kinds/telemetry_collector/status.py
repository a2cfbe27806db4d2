"""The status of a TelemetryCollector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kwitness.contracts.endpoints import COLLECTOR_PORT
from kwitness.contracts.envelopes import ClusterState
from kwitness.contracts.identity_hashing import KEY_FIELD, KEY_SECRET, LEAST_KEY_BYTES
from kwitness.contracts.resources.ledger import HopLedger
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector, TelemetryCollectorStatus
from kwitness.operator.desired.pods import selector
from kwitness.operator.model.conditions import Verdict, ready
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.found_owners import NO_OWNERS, FoundOwners
from kwitness.operator.shapes.facts import Body
from kwitness.runtime.child_names import collector_name

__all__ = ["collector_status", "collector_verdicts", "is_settled", "monitor_verdict"]

_MOST: Final = 32
"""Hops, and reasons of each, that the status has room for."""
_NO_KEY: Final = (
    f"pushes are refused and wait at their senders, since spec.identity takes a Secret {KEY_SECRET} with the key"
    f" {KEY_FIELD} of at least {LEAST_KEY_BYTES} bytes: make it, the same in every namespace with a collector, and wait"
    " a minute or two until the pods have it"
)


def collector_status(
    collector: TelemetryCollector, stateful_set: Body, state: ClusterState | None
) -> TelemetryCollectorStatus:
    """The status; numbers are absent while the collector has not answered."""
    metadata, stands = collector.metadata, stateful_set.get("status") or {}
    scheme = "https" if collector.spec.ingest.tls.secret_ref is not None else "http"
    status = TelemetryCollectorStatus(
        endpoint=f"{scheme}://{collector_name(metadata.name)}.{metadata.namespace}.svc:{COLLECTOR_PORT}",
        replicas=int(stands.get("replicas") or 0),
        ready_replicas=int(stands.get("readyReplicas") or 0),
        selector=",".join(f"{name}={value}" for name, value in sorted(selector("collector", metadata.name).items())),
    )
    if state is None:
        return status
    ledger = (
        HopLedger(
            hop=hop.hop,
            accepted=hop.accepted,
            delivered=hop.delivered,
            queued=hop.queued,
            dropped=dict(sorted(hop.dropped.items())[:_MOST]),
        )
        for hop in sorted(state.ledger, key=lambda one: one.hop)[:_MOST]
    )
    numbers = {"reporting_clients": state.clients, "series": state.series, "series_left_out": state.overflowed}
    return status.model_copy(update={**numbers, "ledger": tuple(ledger)})


def is_settled(collector: TelemetryCollector, stateful_set: Body | None) -> bool:
    """Whether pods are as they should be, so that nothing is about to change by itself."""
    return collector.spec.suspend or _of_pods(collector, stateful_set or {}, None).status == "True"


def collector_verdicts(
    collector: TelemetryCollector,
    stateful_set: Body,
    state: ClusterState | None,
    *,
    owners: FoundOwners = NO_OWNERS,
    further: Sequence[Verdict] = (),
) -> list[Verdict]:
    """Conditions; a Ready of ``further`` replaces what its pods say, and the rest of it is added."""
    spec = collector.spec
    beside = [one for one in further if one.type != "Ready"]
    if spec.suspend:
        message = "no replica runs, as spec.suspend says; its storage and what senders keep stay"
        return [ready("Suspended", message), *beside]
    verdicts = [one for one in further if one.type == "Ready"] or [_of_pods(collector, stateful_set, state)]
    if spec.ingest.senders or spec.ingest.tokens_secret_ref is not None:
        verdicts.append(Verdict("Accepting", "True", "Accepting", "senders are known"))
    else:
        message = (
            "every push is refused, since no sender is known: name the brokers' service account in spec.ingest.senders,"
            " or a Secret in spec.ingest.tokensSecretRef"
        )
        verdicts.append(Verdict("Accepting", "False", "NoSenders", message))
    if state is not None and state.overflowed:
        message = (
            f"series beyond spec.prometheus.maxSeries ({spec.prometheus.max_series} per replica) are in one series"
            " labelled other, or left out: use fewer labels, subscribe to less, or raise maxSeries or replicas"
        )
        verdicts.append(Verdict("WithinBudget", "False", "Overflowed", message))
    elif state is not None:
        verdicts.append(Verdict("WithinBudget", "True", "WithinBudget", "all series fit"))
    known = owners.verdict("clients")
    if known is not None:
        verdicts.append(known)
    return [*verdicts, *beside]


def _of_pods(collector: TelemetryCollector, stateful_set: Body, state: ClusterState | None) -> Verdict:
    stands = stateful_set.get("status") or {}
    count, wanted = int(stands.get("readyReplicas") or 0), collector.spec.replicas
    seen = stands.get("observedGeneration") == stateful_set.get("metadata", {}).get("generation")
    current = seen and stands.get("updateRevision") == stands.get("currentRevision")
    if count < wanted or not current:
        message = f"{count} of {wanted} replicas are ready: wait; if it stays so, see the pods' events"
        return Verdict("Ready", "False", "Progressing", message)
    if state is not None and state.refusing is not None:
        return Verdict("Ready", "False", state.refusing, _NO_KEY)
    return ready("Available", f"{count} of {wanted} replicas are ready")


def monitor_verdict(failure: OperatorError | None, *, allowed: bool) -> Verdict:
    """Say what became of the ServiceMonitor; ``allowed`` tells whether the installation lets the operator make it."""
    if allowed and failure is None:
        return Verdict("Monitored", "True", "Monitored", "the ServiceMonitor stands")
    ending = "; everything else of the resource has effect"
    if failure is not None and failure.reason == "Unsupported":
        return Verdict(
            "Monitored",
            "False",
            "MonitorKindMissing",
            "the cluster has no kind ServiceMonitor: install the Prometheus operator's definitions, or do not ask for"
            f" one in spec.prometheus.serviceMonitor{ending}",
        )
    if failure is not None and failure.reason != "KubernetesForbidden":
        return Verdict("Monitored", "False", failure.reason, f"{failure.message}{ending}")
    return Verdict(
        "Monitored",
        "False",
        "MonitorForbidden",
        "the operator may not make a ServiceMonitor: set the Helm value monitoring.allowServiceMonitors, or do not ask"
        f" for one in spec.prometheus.serviceMonitor{ending}",
    )
