"""Our resources: each is Ready, and what its status warns of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kwitness.contracts.reasons import REASONS
from kwitness.contracts.spelling import quantity
from kwitness.contracts.tables.warnings import ENTRIES as WARNINGS

from .facts import InstallationFacts
from .finding import Finding, error, note, ok, warning
from .named import condition, named, status_of

__all__ = ["check_brokers", "check_resources", "check_topics"]

RESOURCES: Final = "Resources"
BROKERS: Final = "Brokers"
TOPICS: Final = "Topics"

_WAITING: Final = frozenset({"Progressing", "Starting", "Paused"})
"""Reasons that pass by themselves, or that somebody wants."""
_UNMENDED: Final = frozenset({"KnownDefects"})
"""Warnings of defects of which every broker that kwitness is tested with has some."""
_TOPIC_WARNINGS: Final = frozenset({"TopicDiffers"})
_BROKER_WARNINGS: Final = frozenset({"TelemetryMissing"})
_TOLD_ELSEWHERE: Final = frozenset({"NoFindings", "TelemetryCapable"})
"""NoFindings says what an analysis found about clients, not about the installation; TelemetryCapable is of brokers."""
_FOLLOWING: Final = frozenset({"NotReached"})
"""Reasons that follow from a condition Ready that is not True."""
_REMEDIES: Final = {one.reason: one.remedy for one in reversed(REASONS)}
_MEANINGS: Final = {warning_type.type: warning_type.meaning for warning_type in WARNINGS}


def check_resources(facts: InstallationFacts) -> Iterator[Finding]:
    """A finding for each resource that is not Ready, each condition that is False, each warning; or one for all."""
    findings = [one for resource in facts.resources for one in _check(resource)]
    yield from findings
    if facts.resources and all(finding.severity == "note" for finding in findings):
        yield ok(RESOURCES, "all", f"{len(facts.resources)} resources are Ready")
    if not facts.of_kind("KafkaCluster") and facts.definitions is not None:
        yield warning(
            RESOURCES, "KafkaCluster", "there is none where you may look", "apply one: docs/guides/install.md begins so"
        )


def _check(resource: Mapping[str, Any]) -> Iterator[Finding]:
    subject = named(resource)
    ready = condition(resource, "Ready")
    metadata = resource.get("metadata") or {}
    if metadata.get("deletionTimestamp"):
        yield warning(RESOURCES, subject, "it is being deleted", "see what its message or finalizers wait for")
        return
    if ready is None:
        yield error(
            RESOURCES,
            subject,
            "the operator has written no status",
            "see that the operator runs and watches its namespace (Helm value watchNamespaces)",
        )
        return
    generation, seen = metadata.get("generation"), status_of(resource).get("observedGeneration")
    if generation is not None and seen is not None and seen < generation:
        yield warning(
            RESOURCES,
            subject,
            f"its status is of generation {seen}, and its spec is of generation {generation}",
            "wait; if it stays so, see the operator's log",
        )
    for one in status_of(resource).get("conditions") or ():
        word = str(one.get("reason", ""))
        if one.get("status") == "True" or one.get("type") in _TOLD_ELSEWHERE or word in _FOLLOWING:
            continue
        text = str(one.get("message", ""))
        message = f"{one.get('type')} is {one.get('status')} ({word}): {text}"
        severe = one.get("type") == "Ready" and one.get("status") == "False" and word not in _WAITING
        remedy = _remedy(text, _REMEDIES.get(word) or "do what the message says")
        yield (error if severe else warning)(RESOURCES, subject, message, remedy)
    for entry in status_of(resource).get("warnings") or ():
        kind = str(entry.get("type"))
        message = f"{kind}: {entry.get('message', '')}"
        if kind in _UNMENDED:
            yield note(RESOURCES, subject, message, "no tested release has the mend yet: admit trusted clients only")
        elif kind not in _TOPIC_WARNINGS | _BROKER_WARNINGS:
            meaning = _MEANINGS.get(kind, "a later release of this command knows it")
            yield warning(RESOURCES, subject, message, _remedy(str(entry.get("message", "")), meaning))


def _remedy(message: str, otherwise: str) -> str:
    """Return a remedy beside a message of the operator, which has one itself behind a colon."""
    return "" if ": " in message else otherwise


def check_brokers(facts: InstallationFacts) -> Iterator[Finding]:
    """Whether every broker has the plugin, and answers clients' telemetry requests."""
    for resource in facts.of_kind("KafkaCluster"):
        brokers = status_of(resource).get("brokers")
        if not brokers:
            continue
        first = brokers.get("first") or ()
        silent = [str(broker["id"]) for broker in first if broker.get("telemetry") is False]
        answering = [broker for broker in first if broker.get("telemetry") is not False]
        without = [str(broker["id"]) for broker in answering if not broker.get("plugin")]
        if silent:
            yield warning(
                BROKERS,
                named(resource),
                f"brokers {', '.join(silent)} do not answer clients' telemetry requests: their clients push nothing",
                "load the plugin there, by metric.reporters: docs/guides/install.md, or docs/guides/managed-kafka.md "
                "where you cannot",
            )
        if without:
            yield warning(
                BROKERS,
                named(resource),
                f"of brokers {', '.join(without)} no plugin of kwitness reports, though they answer telemetry requests",
                "see the brokers' log, lines of kwitness; another plugin may be loaded there",
            )
        more = brokers["total"] - brokers["plugin"] - len(silent) - len(without)
        if more > 0:
            yield warning(
                BROKERS,
                named(resource),
                f"{quantity(more, 'more broker')} of {brokers['total']} reported no plugin of kwitness",
                "see which by `kwitness brokers`",
            )
        if not silent and not without and more <= 0:
            yield ok(BROKERS, named(resource), "every broker has the plugin")


def check_topics(facts: InstallationFacts) -> Iterator[Finding]:
    """Whether the platform's topics are as the KafkaCluster says."""
    for resource in facts.of_kind("KafkaCluster"):
        for one in status_of(resource).get("warnings") or ():
            if one.get("type") in _TOPIC_WARNINGS:
                yield warning(
                    TOPICS,
                    named(resource),
                    str(one.get("message", "")),
                    "change the topic by Kafka's tools, or spec.topics.onCreate: topics that exist are never changed",
                )
