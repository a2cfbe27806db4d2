"""What becomes of one TelemetryCollector."""

from __future__ import annotations

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector, TelemetryCollectorStatus
from kwitness.operator.desired.collector_limits import check_namespace, too_many_replicas, within_limits
from kwitness.operator.environment.client_pods import client_pods
from kwitness.operator.environment.clusters import cluster_named, key_of
from kwitness.operator.environment.collectors import (
    acts_for_all,
    collector_of_reports,
    last_report,
    requested_subscriptions,
)
from kwitness.operator.environment.owners import owners_for_collector
from kwitness.operator.kinds.telemetry_collector.needs import KIND, config_map
from kwitness.operator.kinds.telemetry_collector.objects import collector_objects, service_monitor
from kwitness.operator.kinds.telemetry_collector.place import acting_condition
from kwitness.operator.kinds.telemetry_collector.reporters import reporters_of
from kwitness.operator.kinds.telemetry_collector.standing import Standing, monitor_attempt
from kwitness.operator.kinds.telemetry_collector.status import collector_status, collector_verdicts, monitor_verdict
from kwitness.operator.kinds.telemetry_collector.storage import as_it_stands
from kwitness.operator.model.conditions import Verdict, failure
from kwitness.operator.model.errors import OperatorError, TerminalError, TransientError
from kwitness.operator.model.found_owners import FoundOwners
from kwitness.operator.model.parse_resource import parse_resource, parse_status
from kwitness.operator.model.references import cluster_key
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.shapes.actions import AskInventory
from kwitness.operator.shapes.facts import AskedFor, Body, ClusterKnowledge, KafkaState, NamedObject, Watched
from kwitness.operator.shapes.work import Decision, Outcome, Unit, View
from kwitness.runtime.child_names import collector_name

__all__ = ["decide"]


def decide(unit: Unit, view: View) -> Decision:
    """Decide children and status; while it is wrong altogether, what stands is left as it is."""
    body = view[Watched(KIND, unit.key)].value
    if body is None:
        return Decision(again="forget")
    subject, previous = Subject.of(body), parse_status(TelemetryCollectorStatus, body)
    try:
        asked = parse_resource(TelemetryCollector, body)
        check_namespace(unit.key.namespace, view.settings)
        cluster = cluster_named(asked.spec.cluster_ref, unit.key.namespace, view)
        _check_first(asked, cluster, view)
        at = cluster_key(unit.key.namespace, asked.spec.cluster_ref)
        known = view[KafkaState(at)].value
        if known is not None and known.trouble is None and view[AskedFor(at)].value is None:
            # They wake us when they are known; children made without them would be made twice.
            return Decision()
        outcome = _outcome(subject, asked, cluster, _cluster_id(known, at.name), previous, view=view)
    except OperatorError as error:
        outcome = Outcome(subject.uid, subject.generation, previous, (failure(error),))
    return Decision({unit.key: outcome})


def _check_first(collector: TelemetryCollector, cluster: KafkaCluster, view: View) -> None:
    namespace = collector.metadata.namespace
    first = collector_of_reports(namespace, cluster, view)
    if first is None or first.metadata.namespace != namespace or key_of(first) == key_of(collector):
        return
    at = Key(cluster.metadata.namespace, cluster.metadata.name)
    raise TerminalError(
        "Conflict",
        f"TelemetryCollector {Key(*key_of(first))} comes before this one for KafkaCluster {at}: remove one of the two,"
        " give this one a higher spec.priority, or have the KafkaCluster name it in"
        " spec.collectorRef; what runs of this one is left as it is",
    )


def _cluster_id(known: ClusterKnowledge | None, name: str) -> str:
    if known is None or known.cluster_id is None:
        trouble = known.trouble if known is not None else None
        raise TransientError("ClusterNotReady", trouble or f"KafkaCluster {name} has not been reached yet")
    return known.cluster_id


def _outcome(
    subject: Subject,
    asked: TelemetryCollector,
    cluster: KafkaCluster,
    cluster_id: str,
    previous: TelemetryCollectorStatus,
    *,
    view: View,
) -> Outcome:
    at = Key(cluster.metadata.namespace, cluster.metadata.name)
    collector = within_limits(asked, view.settings)
    standing, owners = Standing.of(collector, view), owners_for_collector(collector, cluster, view)
    state = None if collector.spec.suspend else last_report(subject.key.namespace, cluster, view)
    status = collector_status(collector, standing.stateful_set or {}, state)
    pods = client_pods(collector, cluster, state, view)
    further = (
        too_many_replicas(asked, view.settings),
        standing.storage_verdict(view),
        _monitor(collector, view),
        acting_condition(collector, cluster, view),
        *pods.conditions,
    )
    verdicts = collector_verdicts(
        collector,
        standing.stateful_set or {},
        state,
        owners=owners,
        further=[one for one in further if one is not None],
    )
    monitors = NamedObject("ServiceMonitor", Key(subject.key.namespace, collector_name(subject.key.name)))
    is_changed = previous.ready_replicas != status.ready_replicas
    asks = (AskInventory(at),) if is_changed and acts_for_all(collector, cluster, view) else ()
    unasked = service_monitor(collector) is not None or not view.settings.collector.service_monitors
    return Outcome(
        subject.uid,
        subject.generation,
        status,
        tuple(verdicts),
        _children(collector, standing, cluster, cluster_id, owners, view=view),
        actions=(*asks, *pods.sends),
        attempts=standing.attempts(view),
        kept=(monitors,) if unasked else (),
    )


def _monitor(collector: TelemetryCollector, view: View) -> Verdict | None:
    fact = monitor_attempt(collector, view)
    if fact is None:
        return None if service_monitor(collector) is None else monitor_verdict(None, allowed=False)
    answer = view[fact]
    return None if answer.at_ms == 0 else monitor_verdict(answer.value, allowed=True)


def _children(
    collector: TelemetryCollector,
    standing: Standing,
    cluster: KafkaCluster,
    cluster_id: str,
    owners: FoundOwners,
    *,
    view: View,
) -> tuple[Body, ...]:
    kept, settings = as_it_stands(collector, view.settings, standing.storage)
    subscriptions = requested_subscriptions(collector, cluster, view)
    objects = collector_objects(
        kept,
        cluster,
        cluster_id,
        subscriptions or (),
        settings,
        reporters=reporters_of(collector, cluster, view),
        owners=owners.owners,
    )
    if subscriptions is None:
        # Not known since the operator started: what was mounted before is better than nothing.
        before = view[config_map(Key(*key_of(collector)))].value
        text = ((before or {}).get("data") or {}).get("subscriptions.json")
        if text is not None:
            objects[0]["data"]["subscriptions.json"] = text
    return tuple(objects)
