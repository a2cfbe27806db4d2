"""The rule for one subscription that would crash clients: the KafkaCluster's, or its own where that is stricter."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from kwitness.contracts.resources.client_metrics_subscription import ClientMetricsSubscription
from kwitness.contracts.resources.durations import parse_duration
from kwitness.contracts.resources.kafka_cluster import KafkaCluster

__all__ = ["RiskRule", "tightest"]


@dataclass(frozen=True, slots=True)
class RiskRule:
    """The rule for one subscription; with ``accepts`` it is applied though it would crash clients.

    Clients are remembered for ``window``. ``accepted_by`` is the field that accepts the risk, as a message names it.
    ``too_loose`` says which fields of the subscription do not count, and what to do; None without any.
    """

    accepts: bool
    window: timedelta
    accepted_by: str
    too_loose: str | None = None


def tightest(cluster: KafkaCluster, subscription: ClientMetricsSubscription) -> RiskRule:
    """Return the stricter of both policies and the longer of both windows."""
    ours, theirs = subscription.spec, cluster.spec
    name = f"KafkaCluster {cluster.metadata.name}"
    window = parse_duration(theirs.risk_window)
    own_window = window if ours.risk_window is None else parse_duration(ours.risk_window)
    accepting = theirs.risk_policy == "Apply"
    ignored: dict[str, str] = {}
    if ours.risk_policy == "Apply" and not accepting:
        ignored["spec.riskPolicy Apply"] = theirs.risk_policy
    if own_window < window:
        ignored[f"spec.riskWindow {ours.risk_window}"] = theirs.risk_window
    return RiskRule(
        accepts=accepting and ours.risk_policy != "Hold",
        window=max(window, own_window),
        accepted_by="spec.riskPolicy Apply" + ("" if accepting else f" of {name}"),
        too_loose=_too_loose(ignored, name) if ignored else None,
    )


def _too_loose(ignored: dict[str, str], cluster: str) -> str:
    does, it = ("does", "it") if len(ignored) == 1 else ("do", "them")
    return (
        f"{' and '.join(ignored)} {does} not count: {cluster} says {' and '.join(ignored.values())}, and a subscription"
        f" can only be stricter. Remove {it}, or have the owner of the KafkaCluster change {it} there"
    )
