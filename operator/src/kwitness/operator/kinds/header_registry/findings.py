"""What was seen of a register's keys: in the clusters of the profiles that judge headers by it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from kwitness.contracts.resources.header_registry import HeaderRegistry
from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.environment.clusters import permitted_cluster
from kwitness.operator.environment.needs import SETTLED_SECONDS
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.header_findings import RegisterFindings, findings_of
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.references import cluster_key, depends_on_labels
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Every, Inventory, Labels, Watched
from kwitness.operator.shapes.work import Need, View

__all__ = ["JUDGING", "clusters_of", "findings_needs", "seen_of"]

JUDGING = Every("InterceptorProfile")
"""Who may judge headers by registers."""


def findings_needs(view: View) -> set[Need]:
    """Those who judge, whether they may name their clusters, and what is said there."""
    found = {Need(JUDGING)}
    for profile in _judging(view):
        namespace = profile.metadata.namespace
        at = cluster_key(namespace, profile.spec.cluster_ref)
        found |= {Need(Watched("KafkaCluster", at)), Need(Inventory(at))}
        answer = view.get(Watched("KafkaCluster", at))
        if answer is not None and answer.value is not None and _depends_on_labels(answer.value, namespace):
            found.add(Need(Labels(namespace), SETTLED_SECONDS))
    return found


def clusters_of(view: View) -> Mapping[Key, frozenset[Key]]:
    """For each register that is named, the clusters of the profiles that may name theirs."""
    found: dict[Key, set[Key]] = {}
    for profile in _judging(view):
        namespace = profile.metadata.namespace
        try:
            permitted_cluster(profile, view)
        except OperatorError:
            continue
        for one in profile.spec.header_registries:
            register = Key(one.namespace or namespace, one.name)
            found.setdefault(register, set()).add(cluster_key(namespace, profile.spec.cluster_ref))
    return {register: frozenset(clusters) for register, clusters in found.items()}


def seen_of(
    resource: HeaderRegistry, everywhere: Collection[HeaderRegistry], clusters: frozenset[Key], view: View
) -> RegisterFindings | None:
    """What collectors say of headers there; None where none says anything. ``everywhere`` are all registers."""
    states = [answer.value for at in sorted(clusters) if (answer := view.get(Inventory(at))) is not None]
    known = [one for one in states if one is not None]
    if not known:
        return None
    return findings_of(known, _registered_by([resource]), _registered_by(everywhere))


def _registered_by(registers: Collection[HeaderRegistry]) -> Callable[[str], bool]:
    keys = {one.name for register in registers for one in register.spec.keys}
    prefixes = tuple(one.prefix for register in registers for one in register.spec.prefixes)
    return lambda key: key in keys or key.startswith(prefixes)


def _judging(view: View) -> Iterator[InterceptorProfile]:
    answer = view.get(JUDGING)
    for body in (answer.value or ()) if answer is not None else ():
        try:
            profile = parse_resource(InterceptorProfile, body)
        except OperatorError:
            continue
        if profile.spec.header_registries and any(one.type == "Headers" for one in profile.spec.interceptors):
            yield profile


def _depends_on_labels(body: dict[str, object], namespace: str) -> bool:
    try:
        return depends_on_labels(parse_resource(KafkaCluster, body), namespace)
    except OperatorError:
        return False
