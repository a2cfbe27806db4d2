"""Conditions of a KafkaCluster beside Ready: each is about one thing that somebody who depends on the cluster needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kwitness.operator.model.cluster_description import ClusterDescription, WantedTopic
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.listed_names import some_of

__all__ = ["subscriptions_verdict", "telemetry_verdict", "topics_verdict", "unreached_verdicts"]

_TOPICS, _TELEMETRY, _SUBSCRIPTIONS = "TopicsReady", "TelemetryCapable", "SubscriptionsPossible"
_WHY_NOT: Final = {"Forbidden": "SubscriptionsForbidden", "Unsupported": "SubscriptionsUnsupported"}
"""By the reason of a refusal that is certain; of any other it cannot be told what it says."""


def topics_verdict(
    wanted: Sequence[WantedTopic],
    seen: ClusterDescription,
    results: Mapping[str, OperatorError | None],
    *,
    withheld: str | None = None,
) -> Verdict:
    """Whether the platform's topics are there.

    ``results`` are those of the topics that were to be created just now. Without them ``withheld`` says why missing
    ones are not created.
    """
    missing = [topic for topic in wanted if topic.name not in seen.topics and topic.name not in seen.hidden_topics]
    failed: dict[tuple[str, str], list[WantedTopic]] = {}
    for topic in missing:
        if withheld is not None:
            failed.setdefault(("TopicsMissing", withheld), []).append(topic)
        elif (error := results.get(topic.name)) is not None:
            failed.setdefault((error.reason, error.message), []).append(topic)
    hidden = sorted(seen.hidden_topics)
    if failed:
        reason = min(reason for reason, _ in failed)
        said = [f"{_as_wanted(topics)}: {message}" for (_, message), topics in failed.items()]
        return Verdict(_TOPICS, "False", reason, "; ".join(said))
    if hidden:
        message = (
            f"the operator may not describe {', '.join(hidden)}, so it is not known whether they are there, and they"
            " are not created: grant it Describe and DescribeConfigs on them (`kwitness acls` prints the command)"
        )
        return Verdict(_TOPICS, "Unknown", "TopicsHidden", message)
    return Verdict(_TOPICS, "True", "TopicsPresent", f"all {len(wanted)} topics are there")


def _as_wanted(topics: Sequence[WantedTopic]) -> str:
    return ", ".join(
        f"{topic.name} ({topic.partitions} partitions, {topic.replication_factor} replicas)" for topic in topics
    )


def telemetry_verdict(seen: ClusterDescription) -> Verdict:
    """Whether the brokers take client telemetry."""
    without = [str(broker.id) for broker in seen.brokers if broker.telemetry is False]
    told = [broker for broker in seen.brokers if broker.telemetry is not None]
    if not told:
        return Verdict(_TELEMETRY, "Unknown", "BrokersSilent", "no broker could be asked for what it offers")
    if not without:
        return Verdict(_TELEMETRY, "True", "OnEveryBroker", "every broker takes client telemetry")
    if len(without) == len(told):
        message = "no broker takes client telemetry: install the kwitness plugin there, or let observers answer clients"
        return Verdict(_TELEMETRY, "False", "OnNoBroker", message)
    message = f"broker {some_of(without)} takes no client telemetry: clients connected there stay silent"
    return Verdict(_TELEMETRY, "False", "OnSomeBrokers", message)


def subscriptions_verdict(seen: ClusterDescription, *, answered: bool) -> Verdict:
    """Whether subscriptions can be written to the brokers; ``answered``: observers ask clients in their place."""
    if seen.refused is None:
        return Verdict(_SUBSCRIPTIONS, "True", "SubscriptionsWritable", "the operator may read and write subscriptions")
    message = seen.refused.message
    if answered:
        message += "; observers ask clients in the brokers' place"
    reason = _WHY_NOT.get(seen.refused.reason)
    if reason is None:
        return Verdict(_SUBSCRIPTIONS, "Unknown", "SubscriptionsNotSent", message)
    return Verdict(_SUBSCRIPTIONS, "False", reason, message)


def unreached_verdicts() -> tuple[Verdict, ...]:
    """What is to be said while the brokers could not be looked at."""
    message = "not known while the cluster could not be looked at: see the condition Ready"
    return tuple(Verdict(one, "Unknown", "NotReached", message) for one in (_TOPICS, _TELEMETRY, _SUBSCRIPTIONS))
