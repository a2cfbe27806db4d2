"""What becomes of one KafkaCluster.

Ready says that the cluster was reached, let the operator in and is the accepted one. What else somebody may need has a
condition of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kwitness.contracts.resources.kafka_cluster import KafkaCluster, KafkaClusterStatus
from kwitness.contracts.spelling import quantity
from kwitness.operator.desired.kafka_cluster_status import wanted_topics
from kwitness.operator.environment.observer_answers import answering_namespaces
from kwitness.operator.environment.ruling_clusters import remembered_ruler
from kwitness.operator.kinds.kafka_cluster.needs import KIND
from kwitness.operator.kinds.kafka_cluster.ruling import ruling_condition
from kwitness.operator.kinds.kafka_cluster.status import seen_status
from kwitness.operator.kinds.kafka_cluster.topics import missing_topics
from kwitness.operator.kinds.kafka_cluster.unwatched import unwatched_condition
from kwitness.operator.kinds.kafka_cluster.verdicts import (
    subscriptions_verdict,
    telemetry_verdict,
    topics_verdict,
    unreached_verdicts,
)
from kwitness.operator.model.cluster_description import ClusterDescription
from kwitness.operator.model.conditions import Verdict, failure, ready
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError
from kwitness.operator.model.parse_resource import parse_resource, parse_status
from kwitness.operator.model.pause import paused, stands_still
from kwitness.operator.model.store import Subject
from kwitness.operator.shapes.facts import Answer, BrokersSeen, Reported, TopicsCreated, Watched
from kwitness.operator.shapes.work import Decision, Outcome, Unit, View

__all__ = ["decide"]

_PAUSED: Final = paused("nothing is written to the brokers")
_OF_READY: Final = frozenset({"Ready", "Reconciling", "Stalled"})
_NOT_TRIED: Final[Answer[Mapping[str, OperatorError | None]]] = Answer(None, 0)


@dataclass(frozen=True, slots=True)
class _Found:
    """A KafkaCluster that its brokers were asked about; ``status`` is what it says until now."""

    subject: Subject
    cluster: KafkaCluster
    status: KafkaClusterStatus
    paused: bool
    seen: ClusterDescription
    seen_ms: int


def decide(unit: Unit, view: View) -> Decision:
    """Decide the status, and which topics to create; while its brokers are asked, what it says stays."""
    body = view[Watched(KIND, unit.key)].value
    if body is None:
        return Decision(again="forget")
    subject, status = Subject.of(body), parse_status(KafkaClusterStatus, body)
    is_still = stands_still(body)
    try:
        cluster = parse_resource(KafkaCluster, body)
    except OperatorError:
        # The look at its brokers says so.
        cluster = None
    answer = view.get(BrokersSeen.of(body))
    trouble = None if answer is None else answer.failure
    verdicts: tuple[Verdict, ...]
    if trouble is not None and not isinstance(trouble, KubernetesUnavailableError):
        verdicts = (_PAUSED if is_still else failure(trouble), *unreached_verdicts())
    elif answer is None or answer.value is None or cluster is None:
        if not is_still:
            return Decision()
        others = [one for one in status.conditions if one.type not in _OF_READY]
        verdicts = (_PAUSED, *(Verdict(one.type, one.status, one.reason, one.message) for one in others))
        return Decision({unit.key: Outcome(subject.uid, subject.generation, status, verdicts)})
    else:
        found = _Found(subject, cluster, status, is_still, answer.value, answer.at_ms)
        return _of_seen(found, view)
    return Decision({unit.key: _told(subject, status, verdicts, view)})


def _of_seen(found: _Found, view: View) -> Decision:
    cluster, seen, subject = found.cluster, found.seen, found.subject
    remember = None if found.paused else remembered_ruler(subject, seen.cluster_id, view)
    if remember is not None:
        return Decision(remember=remember)
    missing = missing_topics(cluster, seen)
    created, withheld = _NOT_TRIED, None
    if missing is not None:
        created = view[TopicsCreated(missing)]
        if cluster.spec.suspend:
            withheld = "not there, and not created while spec.suspend is true"
        elif found.paused:
            withheld = "not there, and not created while the KafkaCluster is paused"
        elif created.failure is None and created.at_ms <= found.seen_ms:
            # They were not there after the last time, or it is the first.
            return Decision(creates=missing)
        elif created.failure is not None:
            failed = (failure(created.failure), *unreached_verdicts())
            return Decision({subject.key: _told(subject, found.status, failed, view)})
    verdicts = (
        _standing(found),
        topics_verdict(wanted_topics(cluster, len(seen.brokers)), seen, created.value or {}, withheld=withheld),
        telemetry_verdict(seen),
        subscriptions_verdict(
            seen,
            answered=seen.refused is not None and cluster.metadata.namespace in answering_namespaces(cluster, view),
        ),
    )
    ruling = ruling_condition(subject.key, seen.cluster_id, view)
    unwatched = unwatched_condition(subject.key, found.status, view)
    status = seen_status(cluster, seen, found.status, view)
    conditions = (*verdicts, *filter(None, (ruling, unwatched)))
    return Decision({subject.key: _told(subject, status, conditions, view)})


def _told(subject: Subject, status: KafkaClusterStatus, verdicts: tuple[Verdict, ...], view: View) -> Outcome:
    report = view[Reported(subject.key)].value
    if report is not None and report.verdict is not None:
        verdicts = (*verdicts, report.verdict)
    return Outcome(subject.uid, subject.generation, status, verdicts)


def _standing(found: _Found) -> Verdict:
    if found.paused:
        return _PAUSED
    if found.cluster.spec.suspend:
        message = "no subscription of this cluster is on its brokers and nothing is created there, as spec.suspend says"
        return ready("Suspended", message)
    brokers = quantity(len(found.seen.brokers), "broker")
    return ready("Connected", f"connected to {found.seen.cluster_id} with {brokers}")
