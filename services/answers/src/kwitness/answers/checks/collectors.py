"""Collectors: each answers, is whole, and loses nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from .facts import CollectorFacts, InstallationFacts
from .finding import Finding, error, ok, warning
from .named import named, status_of

__all__ = ["check_collectors", "check_ledgers"]

COLLECTORS: Final = "Collectors"
LEDGER: Final = "Ledger"


def check_collectors(facts: InstallationFacts) -> Iterator[Finding]:
    """A finding for each collector."""
    for one in facts.collectors:
        yield _check(one)


def _check(one: CollectorFacts) -> Finding:
    subject = f"TelemetryCollector {one.namespace}/{one.name}"
    if one.suspended:
        return warning(COLLECTORS, subject, "it is suspended: nobody takes telemetry", "set spec.suspend to false")
    if one.cluster is None:
        return error(
            COLLECTORS,
            subject,
            f"it does not answer: {one.failure or 'nothing is known of its cluster'}",
            _pods(one),
        )
    if one.cluster.missing:
        replicas = ", ".join(map(str, one.cluster.missing))
        return error(
            COLLECTORS,
            subject,
            f"its answers are partial: the replicas {replicas} do not answer the others",
            _pods(one),
        )
    return ok(COLLECTORS, subject, f"it answers, and knows {one.cluster.clients} client instances")


def _pods(one: CollectorFacts) -> str:
    labels = f"app.kubernetes.io/name=kwitness-collector,app.kubernetes.io/instance={one.name}"
    return f"see its pods, kubectl get pods -n {one.namespace} -l {labels}, and their logs"


def check_ledgers(facts: InstallationFacts) -> Iterator[Finding]:
    """A finding for each hop that dropped something: of collectors, brokers, observers and analyses."""
    findings = [*_of_collectors(facts), *_of_statuses(facts)]
    yield from findings
    if not findings and facts.collectors:
        yield ok(LEDGER, "all hops", "nothing was dropped since they began to count")


def _of_collectors(facts: InstallationFacts) -> Iterator[Finding]:
    for one in facts.collectors:
        if one.cluster is None:
            continue
        subject = f"TelemetryCollector {one.namespace}/{one.name}"
        for hop in one.cluster.ledger:
            yield from _dropped(subject, hop.hop, hop.dropped)
        for broker in one.cluster.brokers:
            yield from _dropped(f"broker {broker.broker_id} of {subject}", "plugin", broker.ledger.dropped)
        if one.cluster.overflowed:
            yield warning(
                LEDGER,
                subject,
                f"{one.cluster.overflowed} series did not fit and are summed as `other`",
                "use fewer labels, ask for fewer metrics, or raise spec.prometheus.maxSeries",
            )


def _of_statuses(facts: InstallationFacts) -> Iterator[Finding]:
    """Collectors that answered told it themselves."""
    answered = {(one.namespace, one.name) for one in facts.collectors if one.cluster is not None}
    for resource in facts.resources:
        metadata = resource.get("metadata") or {}
        key = (metadata.get("namespace"), metadata.get("name"))
        if resource.get("kind") == "TelemetryCollector" and key in answered:
            continue
        status = status_of(resource)
        for part in (status, *(status.get("analyses") or ())):
            for hop in part.get("ledger") or ():
                yield from _dropped(named(resource), str(hop.get("hop")), _counts(hop))


def _counts(hop: Mapping[str, Any]) -> dict[str, int]:
    return {str(reason): int(count) for reason, count in (hop.get("dropped") or {}).items()}


def _dropped(subject: str, hop: str, dropped: Mapping[str, int]) -> Iterator[Finding]:
    lost = {reason: count for reason, count in sorted(dropped.items()) if count}
    if lost:
        told = ", ".join(f"{count} by {reason}" for reason, count in lost.items())
        yield warning(
            LEDGER,
            subject,
            f"{sum(lost.values())} events were dropped at {hop}: {told}",
            "docs/operations/troubleshooting.md says what each reason means; see whether the number still rises",
        )
