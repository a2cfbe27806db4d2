"""Whose reports a collector takes because the operator knows of them, beside those that its resource names."""

from __future__ import annotations

from dataclasses import dataclass

from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.desired.sidecar_reach import acts_in
from kwitness.operator.environment.clusters import key_of, present, referring
from kwitness.operator.environment.collectors import ingests_from
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import EnabledNamespaces
from kwitness.operator.shapes.work import View

__all__ = ["Reporters", "reporters_of"]


@dataclass(frozen=True, slots=True)
class Reporters:
    """ObserverDeployments that are gateways, and namespaces whose pods may have an observer, or interceptors.

    In namespaces of ``answering`` observers answer clients' telemetry.
    """

    gateways: tuple[Key, ...] = ()
    namespaces: tuple[str, ...] = ()
    intercepted: tuple[str, ...] = ()
    answering: frozenset[str] = frozenset()


def reporters_of(collector: TelemetryCollector, cluster: KafkaCluster, view: View) -> Reporters:
    """Of the resources that may name the cluster and report to this collector, which makes them or their pods senders.

    Raises
    ------
    OperatorError
        It could not be found out which namespaces let their pods get observers.
    """
    is_here = ingests_from(collector, cluster, view)
    observers = [found for found in referring(ObserverDeployment, cluster, view) if is_here(found.metadata.namespace)]
    profiles = [found for found in referring(InterceptorProfile, cluster, view) if is_here(found.metadata.namespace)]
    gateways = tuple(Key(*key_of(one)) for one in observers if one.spec.gateway is not None)
    beside = tuple(one for one in observers if one.spec.gateway is None)
    answering = {found.metadata.namespace for found in observers if _answers(found) and found.spec.gateway is not None}
    if not view.settings.injector.enabled or not (beside or profiles):
        return Reporters(gateways, answering=frozenset(answering))
    enabled = present(view, EnabledNamespaces()) or {}
    namespaces = {found for one in beside for found in acts_in(one, enabled, view.settings)}
    intercepted = {found for one in profiles for found in acts_in(one, enabled, view.settings)}
    answering |= {at for found in beside if _answers(found) for at in acts_in(found, enabled, view.settings)}
    return Reporters(gateways, tuple(sorted(namespaces)), tuple(sorted(intercepted)), frozenset(answering))


def _answers(observers: ObserverDeployment) -> bool:
    return observers.spec.telemetry == "Terminate"
