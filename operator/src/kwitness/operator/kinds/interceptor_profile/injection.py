"""One InterceptorProfile, as the injector is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kwitness.contracts.audiences import collector_audience
from kwitness.contracts.header_rules import HeaderRules
from kwitness.contracts.injections import InjectedContainer
from kwitness.contracts.interceptor_injections import (
    INTERCEPTORS_FOLDER,
    InterceptorInjection,
    interceptor_injection_hash,
)
from kwitness.contracts.interceptor_settings import InterceptorSettings
from kwitness.contracts.resources.durations import parse_duration
from kwitness.contracts.resources.interceptor_entries import InterceptorEntry, Stamp
from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.contracts.resources.privacy import treated
from kwitness.contracts.spelling import word_of
from kwitness.operator.desired.identity_key import dropped_and_hashed
from kwitness.operator.desired.sidecar_reach import allowed_namespaces
from kwitness.operator.environment.clusters import cluster_identity, permitted_cluster
from kwitness.operator.environment.collectors import ServingCollector, collector_address, collector_of
from kwitness.operator.environment.refused import refused_in
from kwitness.operator.kinds.interceptor_profile.ended_at_start import ended_at_start
from kwitness.operator.kinds.interceptor_profile.header_rules import foreign_stamps, header_rules, lost_stamps
from kwitness.operator.model.errors import TerminalError, TransientError
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import Body, KafkaState, Refusals
from kwitness.operator.shapes.work import View

__all__ = ["injection_of"]

_COLLECTOR_CA: Final = f"{INTERCEPTORS_FOLDER}/ca.crt"
_TOKEN: Final = f"{INTERCEPTORS_FOLDER}/token"
_IDENTITY_KEY: Final = f"{INTERCEPTORS_FOLDER}/identity-key"


def injection_of(body: Body, resource: InterceptorProfile, view: View) -> InterceptorInjection:
    """Translate the resource.

    Raises
    ------
    TerminalError
        Unsupported: the installation names no image. ClusterNotReady, RefNotPermitted, CollectorNotReady or KeyNotOurs.
    TransientError
        ClusterNotReady: the cluster was never reached. Progressing: the installation has no name yet. IdsUnreadable.
    """
    spec, metadata, settings = resource.spec, resource.metadata, view.settings
    files = _files(settings)
    cluster = permitted_cluster(resource, view)
    knowledge = view[KafkaState(Key(cluster.metadata.namespace, cluster.metadata.name))].value
    cluster_id, _ = cluster_identity(knowledge, cluster.metadata.name)
    collector = collector_of(resource.metadata.namespace, cluster, view)
    entries = _entries(resource, foreign_stamps(resource, view))
    rules = header_rules(resource, view)
    namespaces = spec.namespace_selector
    injection = InterceptorInjection.model_validate(
        {
            "namespace": metadata.namespace,
            "name": metadata.name,
            "priority": spec.priority,
            "namespace_selector": namespaces,
            "namespaces": allowed_namespaces(resource, settings) if namespaces is not None else None,
            "pod_selector": spec.selector,
            "containers": spec.containers or (),
            "runtimes": tuple(word_of(one) for one in spec.runtimes or ()),
            "through_observer": spec.through_observer,
            "java_variable": spec.java_variable or "JAVA_TOOL_OPTIONS",
            "files": files,
            "settings": _settings(resource, collector, cluster_id, rules, settings, entries=entries),
            "attributes": {one.name: one.pod_label for one in spec.attributes},
            "collector_ca": collector.authority,
            "token_audience": collector_audience(
                collector.resource.metadata.namespace, collector.resource.metadata.name
            ),
            "refused_in": refused_in(
                body, resource, view[Refusals()].value or {}, now_ms=view.now_ms, settings=settings
            ),
        }
    )
    ended = ended_at_start(body, resource, interceptor_injection_hash(injection), view)
    return injection.model_copy(update={"ended_at_start": tuple(entry.workload for entry in ended)})


def _files(settings: OperatorSettings) -> InjectedContainer:
    if settings.images.interceptors is None:
        raise TerminalError(
            "Unsupported", "the installation names no image of interceptors: set the Helm value images.interceptors"
        )
    return InjectedContainer.model_validate(
        {
            "image": settings.images.interceptors,
            "pull_policy": settings.images.interceptors_pull_policy,
            "pull_secrets": settings.image_pull_secrets,
            "resources": settings.interceptors.resources,
            "run_as_user": settings.pods.run_as_user,
        }
    )


def _settings(
    resource: InterceptorProfile,
    collector: ServingCollector,
    cluster_id: str,
    rules: HeaderRules | None,
    settings: OperatorSettings,
    *,
    entries: list[dict[str, Any]],
) -> InterceptorSettings:
    spec = resource.spec
    if settings.installation is None:
        raise TransientError("Progressing", "this installation has no name yet: wait; it is made once")
    return InterceptorSettings.model_validate(
        {
            "installation": settings.installation,
            "cluster_id": cluster_id,
            "namespace": resource.metadata.namespace,
            "name": resource.metadata.name,
            "suspend": spec.suspend,
            "interceptors": entries,
            "topics": spec.topics,
            "window_ms": _milliseconds(spec.window),
            "limits": spec.limits.model_dump(),
            "collector": collector_address(collector, authority=_COLLECTOR_CA, token=_TOKEN),
            "headers": rules,
            "identity": dropped_and_hashed(spec.identity, _IDENTITY_KEY) if treated(spec.identity) else None,
        }
    )


def _entries(resource: InterceptorProfile, foreign: Mapping[str, str]) -> list[dict[str, Any]]:
    """All interceptors, without stamps of foreign keys, and without those that would stamp nothing."""
    found = [_entry(entry, foreign) for entry in resource.spec.interceptors]
    left = [entry for entry in found if entry.get("stamps") != []]
    if not left:
        raise TerminalError("KeyNotOurs", f"{lost_stamps(foreign)}; spec.interceptors does nothing else")
    return left


def _entry(entry: InterceptorEntry, foreign: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": entry.name, "type": entry.type}
    if entry.cardinality is not None:
        found["window_ms"] = _milliseconds(entry.cardinality.window)
    if entry.custom is not None:
        found |= {"class_name": entry.custom.class_name, "settings": entry.custom.settings}
    if entry.stamp is not None:
        found["stamps"] = [_stamp(one) for one in entry.stamp.stamps if one.key not in foreign]
    if entry.tracing is not None:
        found["header"] = entry.tracing.header
    if entry.checksum is not None:
        found["header"] = entry.checksum.header
    return found


def _stamp(stamp: Stamp) -> dict[str, Any]:
    return {"key": stamp.key, "from": stamp.from_, "value": stamp.attribute or stamp.value}


def _milliseconds(duration: str) -> int:
    return round(parse_duration(duration).total_seconds() * 1000)
