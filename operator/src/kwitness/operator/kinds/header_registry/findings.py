"""Finds what is wrong with a register's keys, in the clusters of its home whose profiles judge headers by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from kwitness.contracts.header_rules import SET_HEADER
from kwitness.contracts.resources.header_registry import HeaderRegistry
from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.operator.environment.clusters import permitted_cluster
from kwitness.operator.environment.header_registries import registry_keys
from kwitness.operator.environment.needs import SETTLED_SECONDS, known_cluster
from kwitness.operator.kinds.header_registry.claims import Share
from kwitness.operator.kinds.header_registry.listing import Listing
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.header_findings import RegisterFindings, findings_of
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.references import cluster_key, depends_on_labels
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Every, Inventory, Labels, Watched
from kwitness.operator.shapes.work import Need, View

__all__ = ["clusters_of", "findings_needs", "known_keys", "seen_of"]

_JUDGING = Every("InterceptorProfile")
"""Who may judge headers by registers."""


def findings_needs(view: View) -> set[Need]:
    """Those who judge, whether they may name their clusters, and what is said there."""
    found = {Need(_JUDGING)}
    for profile in _judging(view):
        namespace = profile.metadata.namespace
        at = cluster_key(namespace, profile.spec.cluster_ref)
        found |= {Need(Watched("KafkaCluster", at)), Need(Inventory(at))}
        cluster = known_cluster(view, at)
        if cluster is not None and depends_on_labels(cluster, namespace):
            found.add(Need(Labels(namespace), SETTLED_SECONDS))
    return found


def clusters_of(homes: Mapping[Key, str], view: View) -> Mapping[Key, frozenset[Key]]:
    """For each register that is named, the clusters of its home whose profiles name it; ``homes`` are by register."""
    found: dict[Key, set[Key]] = {}
    for profile in _judging(view):
        namespace = profile.metadata.namespace
        try:
            permitted_cluster(profile, view)
        except OperatorError:
            continue
        for register in registry_keys(namespace, profile.spec.header_registries):
            at = cluster_key(namespace, profile.spec.cluster_ref)
            if homes.get(register) == at.namespace:
                found.setdefault(register, set()).add(at)
    return {register: frozenset(clusters) for register, clusters in found.items()}


def has_key(resource: HeaderRegistry, share: Share) -> Callable[[str], bool]:
    """Return whether a register has a key, by its name or how it begins; the set is of those that have numbers."""
    keys = [key.name for key in resource.spec.keys]
    if any(number is not None for number in share.keys.values()):
        keys.append(SET_HEADER)
    return _among(keys, (entry.prefix for entry in resource.spec.prefixes))


def known_keys(registers: Iterable[tuple[HeaderRegistry, Listing, Share]]) -> Callable[[str], bool]:
    """Return whether one of the registers of a home has a key, or a prefix of it that its KafkaCluster allows it.

    A number of a set, which rows call #7, is known where a key has it.
    """
    found = [register for register in registers if not register[0].spec.suspend]
    prefixes = (
        entry.prefix
        for resource, listing, _ in found
        for entry in resource.spec.prefixes
        if entry.prefix.startswith(listing.prefix or "")
    )
    keys = [item for _, _, share in found for item in share.keys.items()]
    return _among((*(name for name, _ in keys), *(f"#{number}" for _, number in keys if number is not None)), prefixes)


def _among(names: Iterable[str], prefixes: Iterable[str]) -> Callable[[str], bool]:
    keys, beginnings = frozenset(names), tuple(prefixes)
    return lambda key: key in keys or key.startswith(beginnings)


def seen_of(
    register: tuple[HeaderRegistry, Share], are_known: Callable[[str], bool], clusters: frozenset[Key], view: View
) -> RegisterFindings | None:
    """What collectors say of headers there; None where none says anything. ``are_known`` is of its home."""
    states = [answer.value for at in sorted(clusters) if (answer := view.get(Inventory(at))) is not None]
    known = [one for one in states if one is not None]
    if not known:
        return None
    resource, share = register
    return findings_of(known, resource.metadata.namespace, has_key(resource, share), are_known)


def _judging(view: View) -> Iterator[InterceptorProfile]:
    answer = view.get(_JUDGING)
    for body in (answer.value or ()) if answer is not None else ():
        try:
            profile = parse_resource(InterceptorProfile, body)
        except OperatorError:
            continue
        if profile.spec.header_registries and any(one.type == "Headers" for one in profile.spec.interceptors):
            yield profile
