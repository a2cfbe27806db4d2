"""The rule for one subscription that would crash clients: the KafkaCluster's, or its own where that is stricter."""

from __future__ import annotations

from collections.abc import Sequence
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


def tightest(clusters: Sequence[KafkaCluster], subscription: ClientMetricsSubscription) -> RiskRule:
    """Return the strictest of all policies and the longest of all windows.

    ``clusters`` are the KafkaCluster that the subscription names and, where another one rules, that one.
    """
    own = subscription.spec
    policy = next((cluster for cluster in clusters if cluster.spec.risk_policy != "Apply"), clusters[0])
    longest = max(clusters, key=lambda cluster: parse_duration(cluster.spec.risk_window))
    window = parse_duration(longest.spec.risk_window)
    own_window = window if own.risk_window is None else parse_duration(own.risk_window)
    accepting = policy.spec.risk_policy == "Apply"
    ignored: list[str] = []
    stricter: dict[str, list[str]] = {}
    if own.risk_policy == "Apply" and not accepting:
        ignored.append("spec.riskPolicy Apply")
        stricter.setdefault(policy.metadata.name, []).append(policy.spec.risk_policy)
    if own_window < window:
        ignored.append(f"spec.riskWindow {own.risk_window}")
        stricter.setdefault(longest.metadata.name, []).append(longest.spec.risk_window)
    return RiskRule(
        accepts=accepting and own.risk_policy != "Hold",
        window=max(window, own_window),
        accepted_by="spec.riskPolicy Apply" + ("" if accepting else f" of KafkaCluster {policy.metadata.name}"),
        too_loose=_too_loose(ignored, stricter) if ignored else None,
    )


def _too_loose(ignored: list[str], stricter: dict[str, list[str]]) -> str:
    values = " and ".join(f"KafkaCluster {name} says {' and '.join(found)}" for name, found in stricter.items())
    does, it = ("does", "it") if len(ignored) == 1 else ("do", "them")
    return (
        f"{' and '.join(ignored)} {does} not count: {values}, and a subscription can only be"
        f" stricter. Remove {it}, or have the owner of the KafkaCluster change {it} there"
    )
