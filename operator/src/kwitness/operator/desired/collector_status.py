"""The status of a TelemetryCollector."""

from __future__ import annotations

from typing import Any, Final

from kwitness.contracts.envelopes import ClusterState
from kwitness.contracts.identity_hashing import KEY_FIELD, KEY_SECRET, LEAST_KEY_BYTES
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.model.conditions import Verdict, ready
from kwitness.operator.model.found_owners import NO_OWNERS, FoundOwners

__all__ = ["collector_fields", "collector_verdicts"]

_NO_KEY: Final = (
    f"pushes are refused and wait at their senders, since spec.identity takes a Secret {KEY_SECRET} with the key"
    f" {KEY_FIELD} of at least {LEAST_KEY_BYTES} bytes: make it, the same in every namespace with a collector, and wait"
    " a minute or two until the pods have it"
)


def collector_fields(endpoint: str, ready_replicas: int, state: ClusterState | None) -> dict[str, Any]:
    """Fields of the status; numbers are absent while the collector has not answered."""
    fields: dict[str, Any] = {"endpoint": endpoint, "readyReplicas": ready_replicas}
    if state is not None:
        fields.update(
            clients=state.clients,
            series=state.series,
            overflowed=state.overflowed,
            ledger=[
                {
                    "hop": hop.hop,
                    "accepted": hop.accepted,
                    "delivered": hop.delivered,
                    "queued": hop.queued,
                    "dropped": dict(sorted(hop.dropped.items())[:32]),
                }
                for hop in sorted(state.ledger, key=lambda one: one.hop)[:32]
            ],
        )
    return fields


def collector_verdicts(
    collector: TelemetryCollector,
    ready_replicas: int,
    state: ClusterState | None,
    *,
    current: bool,
    owners: FoundOwners = NO_OWNERS,
) -> list[Verdict]:
    """Conditions; ``current`` tells whether the pods are of the newest revision."""
    spec = collector.spec
    if spec.suspend:
        return [ready("Suspended", "no replica runs, as spec.suspend says; its storage and what senders keep stay")]
    if ready_replicas >= spec.replicas and current and state is not None and state.refusing is not None:
        verdicts = [Verdict("Ready", "False", state.refusing, _NO_KEY)]
    elif ready_replicas >= spec.replicas and current:
        verdicts = [ready("Available", f"{ready_replicas} of {spec.replicas} replicas are ready")]
    else:
        message = f"{ready_replicas} of {spec.replicas} replicas are ready: wait; if it stays so, see the pods' events"
        verdicts = [Verdict("Ready", "False", "Progressing", message)]
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
    return verdicts
