"""All injections of interceptors of the installation as one ConfigMap, in the order in which they prevail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kwitness.contracts.interceptor_injections import (
    InterceptorInjection,
    InterceptorInjectionsFile,
    interceptor_injection_hash,
)
from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.environment.clusters import present
from kwitness.operator.environment.injections_file import injections_config_map, standing
from kwitness.operator.environment.injector import interceptors_config_map_key
from kwitness.operator.environment.needs import SETTLED_SECONDS
from kwitness.operator.kinds.interceptor_profile.injection import injection_of
from kwitness.operator.kinds.interceptor_profile.needs import KIND, related
from kwitness.operator.model.errors import OperatorError, TransientError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Body, Every, NamedObject, Refusals
from kwitness.operator.shapes.work import Decision, Need, Unit, View

__all__ = ["decide", "needs"]


def needs(unit: Unit, view: View) -> frozenset[Need]:
    """All resources, what each of them depends on, and what stands."""
    del unit
    found = {
        Need(Every(KIND)),
        Need(Refusals()),
        Need(NamedObject("ConfigMap", interceptors_config_map_key(view.settings)), SETTLED_SECONDS),
    }
    for _, resource in _profiles(view):
        found |= related(Key(resource.metadata.namespace, resource.metadata.name), resource, view)
    return frozenset(found)


def decide(unit: Unit, view: View) -> Decision:
    """Compile the ConfigMap.

    What cannot be had now leaves a resource's injection as it stands; what is wrong takes it out, and its status says
    why: pods then start without interceptors, which harms nobody.

    Raises
    ------
    OperatorError
        The ConfigMap that stands cannot be read.
    """
    del unit
    at = interceptors_config_map_key(view.settings)
    before = standing(present(view, NamedObject("ConfigMap", at)), _injections)
    found = (_wanted(body, resource, before, view) for body, resource in _profiles(view))
    wanted = (injection for injection in found if injection is not None)
    first = view.settings.injector.other_namespaces.from_
    return Decision(shared=(injections_config_map(at, wanted, _file, interceptor_injection_hash, first=first),))


def _file(injections: tuple[InterceptorInjection, ...]) -> str:
    return InterceptorInjectionsFile(injections=injections).model_dump_json(by_alias=True)


def _injections(text: str) -> tuple[InterceptorInjection, ...]:
    return InterceptorInjectionsFile.model_validate_json(text).injections


def _profiles(view: View) -> Iterator[tuple[Body, InterceptorProfile]]:
    """InterceptorProfiles that can be read and are not being deleted, by key."""
    answer = view.get(Every(KIND))
    for body in (answer.value or ()) if answer is not None else ():
        if "deletionTimestamp" in body["metadata"]:
            continue
        try:
            yield body, parse_resource(InterceptorProfile, body)
        except OperatorError:
            # Its own status says so.
            continue


def _wanted(
    body: Body, resource: InterceptorProfile, before: Mapping[str, InterceptorInjection], view: View
) -> InterceptorInjection | None:
    owner = str(Key(resource.metadata.namespace, resource.metadata.name))
    if is_paused(resource.metadata.annotations):
        return before.get(owner)
    try:
        return injection_of(body, resource, view)
    except TransientError:
        return before.get(owner)
    except OperatorError:
        return None
