"""Decides the children and the status of one ObserverDeployment."""

from __future__ import annotations

import dataclasses
from typing import Any

from kwitness.contracts.observer_settings import settings_hash
from kwitness.contracts.resources.gateway import Gateway
from kwitness.contracts.resources.kafka_cluster import ClientListener, KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment, ObserverDeploymentStatus
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.environment.clusters import cluster_identity, permitted_cluster, present
from kwitness.operator.environment.collectors import collector_of, last_report, requested_subscriptions
from kwitness.operator.environment.identity_treated import identity_treated
from kwitness.operator.environment.recent_reports import of_resource
from kwitness.operator.kinds.observer_deployment.directives import directives, subscriptions
from kwitness.operator.kinds.observer_deployment.environment import listener_of, observer_image
from kwitness.operator.kinds.observer_deployment.gateway_settings import (
    advertised_host,
    gateway_settings,
    settings_text,
)
from kwitness.operator.kinds.observer_deployment.header_registries import registers_resolved, registries_of
from kwitness.operator.kinds.observer_deployment.host.outcome import with_host
from kwitness.operator.kinds.observer_deployment.needs import KIND
from kwitness.operator.kinds.observer_deployment.node_addresses import node_addresses
from kwitness.operator.kinds.observer_deployment.objects import gateway_objects
from kwitness.operator.kinds.observer_deployment.ports import assign_slots, remembered_slots
from kwitness.operator.kinds.observer_deployment.reports import (
    coverage,
    heard_of,
    ledger,
    reporting,
    serving,
    telemetry,
    telemetry_instances,
)
from kwitness.operator.kinds.observer_deployment.rivals import conflict, first_rival
from kwitness.operator.kinds.observer_deployment.secrets import secret_volumes
from kwitness.operator.kinds.observer_deployment.sidecars.outcome import sidecar_outcome
from kwitness.operator.kinds.observer_deployment.status import readiness, ready_replicas, security_protocol
from kwitness.operator.model.conditions import failure
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.parse_resource import parse_resource, parse_status
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.shapes.actions import Telling
from kwitness.operator.shapes.facts import Body, KafkaState, NamedObject, Watched
from kwitness.operator.shapes.work import Decision, Outcome, Unit, View
from kwitness.runtime.child_names import gateway_name, gateway_ports_name

__all__ = ["decide"]


def decide(unit: Unit, view: View) -> Decision:
    """Decide children and status; while something is wrong what stands is left as it is."""
    body = view[Watched(KIND, unit.key)].value
    if body is None:
        return Decision(again="forget")
    subject = Subject.of(body)
    try:
        resource = parse_resource(ObserverDeployment, body)
        if resource.spec.gateway is None:
            outcome = sidecar_outcome(subject, body, resource, view)
        else:
            outcome = _outcome(subject, resource, resource.spec.gateway, view)
        if not is_paused(resource.metadata.annotations):
            outcome = with_host(outcome, resource, unit.key, view)
    except OperatorError as error:
        outcome = Outcome(subject.uid, subject.generation, _previous(subject, body), (failure(error),))
    return Decision({unit.key: outcome})


def _outcome(subject: Subject, resource: ObserverDeployment, gateway: Gateway, view: View) -> Outcome:
    observer_image(view.settings)
    cluster = permitted_cluster(resource, view)
    listener = listener_of(resource, cluster)
    deployment = present(view, NamedObject("Deployment", Key(subject.key.namespace, gateway_name(subject.key.name))))
    rival = first_rival(resource, cluster, listener, view)
    if rival is None:
        return _gateway(subject, resource, gateway, cluster, listener, deployment=deployment, view=view)
    verdicts = conflict(rival, listener)
    if deployment is None:
        return Outcome(subject.uid, subject.generation, ObserverDeploymentStatus(), verdicts)
    # Its clients have no other way to the brokers by now; what they do is counted by nobody twice.
    outcome = _gateway(subject, resource, gateway, cluster, listener, deployment=deployment, view=view, relay_only=True)
    return dataclasses.replace(outcome, verdicts=verdicts)


def _gateway(
    subject: Subject,
    resource: ObserverDeployment,
    gateway: Gateway,
    cluster: KafkaCluster,
    listener: ClientListener,
    *,
    deployment: Body | None,
    view: View,
    relay_only: bool = False,
) -> Outcome:
    at = Key(cluster.metadata.namespace, cluster.metadata.name)
    known = view[KafkaState(at)].value
    cluster_id, node_ids = cluster_identity(known, cluster.metadata.name)
    collector = collector_of(subject.key.namespace, cluster, view)
    memory = present(view, NamedObject("ConfigMap", Key(subject.key.namespace, gateway_ports_name(subject.key.name))))
    slots = assign_slots(remembered_slots(memory), node_ids)
    addresses = node_addresses(memory, known, None if resource.spec.listener_ref is None else listener.name)
    suspend = resource.spec.suspend or relay_only
    registers = registries_of(resource, view)
    settings = gateway_settings(
        resource,
        gateway,
        cluster,
        listener,
        collector,
        rules=registers.rules,
        cluster_id=cluster_id,
        slots=slots,
        addresses=addresses,
        suspend=suspend,
    )
    digest = settings_hash(settings_text(settings))
    state = last_report(subject.key.namespace, cluster, view)
    heard = heard_of(state, view.now_ms)
    own = of_resource(heard, resource, view.settings)
    status = ObserverDeploymentStatus(
        bootstrap_servers=f"{advertised_host(resource, gateway)}:{gateway.bootstrap_port}",
        security_protocol=security_protocol(gateway, listener),
        ready_replicas=ready_replicas(deployment),
        connections=sum(one.connections for one in own) if own else None,
        coverage=coverage(state, heard, own),
        ledger=ledger(own),
        telemetry_instances=telemetry_instances(own),
        config_hash=digest,
        pods_with_config=sum(one.settings == digest for one in own) if own else None,
    )
    verdict = readiness(deployment, gateway.replicas, suspended=resource.spec.suspend)
    secrets = secret_volumes(resource, gateway, cluster, listener)
    children = gateway_objects(
        resource, gateway, settings, slots, collector, installation=view.settings, secrets=secrets
    )
    verdicts = (
        verdict,
        *reporting(own, known=state is not None),
        *serving(own),
        *telemetry(resource, own, state),
        *identity_treated(resource.spec.identity, own),
        *registers_resolved(resource, registers),
    )
    actions: tuple[Telling, ...] = (
        *directives(subject.key, own, collector, settings=digest, suspend=suspend),
        *subscriptions(subject.key, own, collector, requested_subscriptions(collector.resource, cluster, view)),
    )
    return Outcome(subject.uid, subject.generation, status, verdicts, children, actions)


def _previous(subject: Subject, body: dict[str, Any]) -> ObserverDeploymentStatus:
    status = parse_status(ObserverDeploymentStatus, body)
    if status.observed_generation == subject.generation:
        return status
    # Pods that were refused before this generation say nothing about it.
    return status.model_copy(update={"refused_in": (), "refusals_since": None})
