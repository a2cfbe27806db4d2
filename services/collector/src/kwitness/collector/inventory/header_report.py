"""What was wrong with record headers, in the answers of the inventory API."""

from __future__ import annotations

from collections.abc import Iterable

from kwitness.collector.inventory.header_problems import HeaderProblems
from kwitness.contracts.envelopes import ClusterState, HeaderFinding


def with_headers(part: ClusterState, problems: HeaderProblems, now_ms: int) -> ClusterState:
    """Add what this replica heard of the cluster's headers."""
    findings = []
    for one, held in problems.of_cluster(part.cluster_id):
        headers, removed = held.within_an_hour(now_ms)
        findings.append(
            HeaderFinding(
                side=one.side,
                topic=one.topic,
                key=one.key,
                problem=one.problem,
                k8s_namespace=one.client.k8s_namespace or None,
                k8s_workload=held.workload or None,
                k8s_pod=one.client.k8s_pod or None,
                client_id=one.client.client_id or None,
                seen_by=one.seen_by,
                first_seen_ms=held.first_ms,
                last_seen_ms=held.last_ms,
                headers=headers,
                removed=removed,
            )
        )
    left_out = problems.left_out[part.cluster_id]
    return part.model_copy(update={"headers": tuple(findings), "headers_left_out": left_out})


def merged_headers(parts: Iterable[ClusterState]) -> tuple[HeaderFinding, ...]:
    """Merge what replicas heard: each total was counted by one of them, so counts add up."""
    merged: dict[tuple[str, ...], HeaderFinding] = {}
    for one in (finding for part in parts for finding in part.headers):
        key = _key(one)
        merged[key] = _together(merged[key], one) if key in merged else one
    return tuple(merged[key] for key in sorted(merged))


def _key(one: HeaderFinding) -> tuple[str, ...]:
    told_apart = (one.topic, one.key, one.problem, one.side, one.seen_by, one.k8s_namespace, one.k8s_pod, one.client_id)
    # What is not known comes first, and apart from the empty text, which a header's key may be.
    return tuple("" if value is None else f"={value}" for value in told_apart)


def _together(one: HeaderFinding, other: HeaderFinding) -> HeaderFinding:
    newest = max(one, other, key=lambda finding: finding.last_seen_ms)
    return newest.model_copy(
        update={
            "first_seen_ms": min(one.first_seen_ms, other.first_seen_ms),
            "headers": one.headers + other.headers,
            "removed": one.removed + other.removed,
        }
    )
