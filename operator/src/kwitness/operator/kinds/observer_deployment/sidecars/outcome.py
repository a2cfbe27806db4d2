"""Decides the status of one ObserverDeployment beside clients or brokers, and what its observers are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from kwitness.contracts.injections import Injection, injection_hash
from kwitness.contracts.resources.kafka_cluster import ClientListener, KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment, ObserverDeploymentStatus
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.desired.sidecar_reach import acts_in, other_namespaces
from kwitness.operator.environment.clusters import permitted_cluster, present
from kwitness.operator.environment.collectors import collector_of, last_report, requested_subscriptions
from kwitness.operator.environment.identity_treated import identity_treated
from kwitness.operator.environment.injector import INJECTOR, config_map_key, told
from kwitness.operator.environment.marked_pods import Wanted
from kwitness.operator.environment.recent_reports import of_resource
from kwitness.operator.environment.refused import refused_in, seen_since
from kwitness.operator.kinds.observer_deployment.directives import directives, subscriptions
from kwitness.operator.kinds.observer_deployment.environment import listener_of
from kwitness.operator.kinds.observer_deployment.header_registries import registers_resolved, registries_of
from kwitness.operator.kinds.observer_deployment.reports import (
    coverage,
    heard_of,
    ledger,
    reporting,
    serving,
    telemetry,
    telemetry_instances,
)
from kwitness.operator.kinds.observer_deployment.rivals import Rival, conflict, first_rival
from kwitness.operator.kinds.observer_deployment.sidecars.coverage import pod_coverage
from kwitness.operator.kinds.observer_deployment.sidecars.injection import injection_of
from kwitness.operator.kinds.observer_deployment.sidecars.own_broker import own_listener_verdicts
from kwitness.operator.kinds.observer_deployment.sidecars.verdicts import covered, injecting, traffic
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import TerminalError
from kwitness.operator.model.pause import paused
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.shapes.actions import Telling
from kwitness.operator.shapes.facts import (
    Body,
    EnabledNamespaces,
    KafkaState,
    NamedObject,
    Refusals,
    RunningPods,
)
from kwitness.operator.shapes.work import Outcome, View

__all__ = ["injection_for", "sidecar_outcome"]


@dataclass(frozen=True, slots=True)
class _Observed:
    """Whose clients a resource observes; ``rival`` is the resource that observes the same ones in its place."""

    cluster: KafkaCluster
    listener: ClientListener
    rival: Rival | None

    @property
    def at(self) -> Key:
        return Key(self.cluster.metadata.namespace, self.cluster.metadata.name)


def injection_for(body: Body, resource: ObserverDeployment, view: View) -> Injection | None:
    """What the injector is told of a resource; None where a rival observes the same clients in its place.

    Raises
    ------
    OperatorError
        Something that it names is missing or not permitted, or cannot be had now.
    """
    observed = _observed(resource, view)
    if observed.rival is not None:
        return None
    return injection_of(body, resource, observed.cluster, observed.listener, view)


def sidecar_outcome(subject: Subject, body: Body, resource: ObserverDeployment, view: View) -> Outcome:
    """Decide the status; what the injector is told is decided for all resources together.

    Raises
    ------
    OperatorError
        InjectorMissing, and what `injection_for` raises.
    """
    if not view.settings.injector.enabled:
        raise TerminalError(
            "InjectorMissing",
            "this installation has no injector, which puts observers into pods: have the Helm value injector.enabled"
            " set to true",
        )
    observed = _observed(resource, view)
    collector = collector_of(subject.key.namespace, observed.cluster, view)
    state = last_report(subject.key.namespace, observed.cluster, view)
    heard = heard_of(state, view.now_ms)
    own = of_resource(heard, resource, view.settings)
    since = seen_since(body, view.now_ms)
    others = other_namespaces(resource, view.settings)
    if observed.rival is not None:
        # Pods that have an observer keep it until they end; what they do is counted by nobody twice.
        refused = refused_in(body, resource, view[Refusals()].value or {}, now_ms=view.now_ms, settings=view.settings)
        status = ObserverDeploymentStatus(refused_in=refused, refusals_since=since, connections=_connections(own))
        actions = directives(subject.key, own, collector, settings="", suspend=True, other_namespaces=others)
        return _outcome(subject, status, conflict(observed.rival, observed.listener), actions)
    injection = injection_of(body, resource, observed.cluster, observed.listener, view)
    digest, settings = injection_hash(injection), injection.settings
    namespaces = acts_in(resource, present(view, EnabledNamespaces()) or {}, view.settings)
    answers = {one: view[RunningPods(one)] for one in namespaces}
    wanted = Wanted(injection.owner, digest, injection.pod_selector, injection.refused_in)
    running = (pod for answer in answers.values() for pod in answer.value or ())
    pods = pod_coverage(wanted, running, own, view.now_ms)
    status = ObserverDeploymentStatus(
        bootstrap_servers=_bootstrap_servers(resource, observed, injection),
        security_protocol=None if resource.spec.is_transparent else _protocol(injection),
        connections=_connections(own),
        coverage=coverage(state, heard, own),
        ledger=ledger(own),
        telemetry_instances=telemetry_instances(own),
        config_hash=digest,
        pods_with_config=pods.observed - pods.outdated,
        pods=pods,
        refused_in=injection.refused_in,
        refusals_since=since,
    )
    if is_paused(resource.metadata.annotations):
        return _outcome(subject, status, (paused("what the injector was told of it is left as it is"),))
    injects = injecting(
        resource,
        namespaces,
        refused=injection.refused_in,
        told=told(view, config_map_key(view.settings)),
        wanted=digest,
        injector=present(view, NamedObject("Deployment", Key(view.settings.namespace, INJECTOR))),
    )
    broker = resource.spec.broker
    verdicts = (
        injects,
        covered(
            pods,
            [one for one, answer in answers.items() if answer.failure is not None],
            beside_brokers=broker is not None,
        ),
        *traffic(pods, own, redirected=settings.listener.redirected, beside_brokers=broker is not None),
        *(
            own_listener_verdicts(broker, observed.listener, view[KafkaState(observed.at)].value)
            if broker is not None
            else ()
        ),
        *(reporting(own, known=state is not None) if pods.observed else ()),
        *serving(own),
        *telemetry(resource, own, state),
        *identity_treated(resource.spec.identity, own),
        *registers_resolved(resource, registries_of(resource, view)),
    )
    telling: tuple[Telling, ...] = (
        *directives(subject.key, own, collector, settings=digest, suspend=settings.suspend, other_namespaces=others),
        *subscriptions(
            subject.key, own, collector, requested_subscriptions(collector.resource, observed.cluster, view)
        ),
    )
    return _outcome(subject, status, verdicts, telling)


def _observed(resource: ObserverDeployment, view: View) -> _Observed:
    cluster = permitted_cluster(resource, view)
    listener = listener_of(resource, cluster)
    return _Observed(cluster, listener, first_rival(resource, cluster, listener, view))


def _outcome(
    subject: Subject,
    status: ObserverDeploymentStatus,
    verdicts: tuple[Verdict, ...],
    actions: tuple[Telling, ...] = (),
) -> Outcome:
    return Outcome(subject.uid, subject.generation, status, verdicts, () if actions else None, actions)


def _bootstrap_servers(resource: ObserverDeployment, observed: _Observed, injection: Injection) -> str | None:
    """What an application sets; None where connections are redirected and it sets nothing."""
    if resource.spec.broker is not None:
        return observed.listener.bootstrap_servers[0]
    if resource.spec.is_transparent:
        return None
    own = injection.settings.listener
    return f"{own.bind}:{own.bootstrap_port}"


def _protocol(injection: Injection) -> Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]:
    """What an application speaks to the observer."""
    if injection.settings.listener.tls is None:
        return injection.client_protocol
    return "SASL_SSL" if injection.client_protocol == "SASL_PLAINTEXT" else "SSL"


def _connections(own: tuple[Any, ...]) -> int | None:
    return sum(one.connections for one in own) if own else None
