"""All injections of interceptors of the installation as one ConfigMap, in the order in which they prevail."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from pydantic import ValidationError

from kwitness.contracts.injections import INJECTION_HASHES_KEY, INJECTIONS_KEY
from kwitness.contracts.interceptor_injections import (
    InterceptorInjection,
    InterceptorInjectionsFile,
    interceptor_injection_hash,
)
from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.contracts.resources.precedence import precedence
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.environment.clusters import present
from kwitness.operator.environment.injector import injections_config_map, interceptors_config_map_key
from kwitness.operator.environment.needs import SETTLED_SECONDS
from kwitness.operator.kinds.interceptor_profile.injection import injection_of
from kwitness.operator.kinds.interceptor_profile.needs import KIND, related
from kwitness.operator.model.errors import OperatorError, TransientError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Body, Every, NamedObject, Refusals
from kwitness.operator.shapes.work import Decision, Need, Unit, View

__all__ = ["decide", "needs"]

_MOST_BYTES: Final = 900_000
"""Of the file; the API server takes 1 MiB of a ConfigMap."""
_MOST: Final = 1_000


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
    standing = _standing(present(view, NamedObject("ConfigMap", at)))
    wanted = [one for body, resource in _profiles(view) if (one := _wanted(body, resource, standing, view)) is not None]
    wanted.sort(key=lambda one: precedence(one.priority, one.namespace, one.name))
    held: list[InterceptorInjection] = []
    hashes: dict[str, str | None] = {}
    room = _MOST_BYTES
    for one in wanted:
        room -= len(one.model_dump_json().encode()) + 1
        fits = room >= 0 and len(held) < _MOST
        if fits:
            held.append(one)
        hashes[one.owner] = interceptor_injection_hash(one) if fits else None
    text = InterceptorInjectionsFile(injections=tuple(held)).model_dump_json(by_alias=True)
    data = {INJECTIONS_KEY: text, INJECTION_HASHES_KEY: json.dumps(dict(sorted(hashes.items())))}
    return Decision(shared=(injections_config_map(at, data),))


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
    body: Body, resource: InterceptorProfile, standing: Mapping[str, InterceptorInjection], view: View
) -> InterceptorInjection | None:
    owner = str(Key(resource.metadata.namespace, resource.metadata.name))
    if is_paused(resource.metadata.annotations):
        return standing.get(owner)
    try:
        return injection_of(body, resource, view)
    except TransientError:
        return standing.get(owner)
    except OperatorError:
        return None


def _standing(config_map: Body | None) -> dict[str, InterceptorInjection]:
    text = ((config_map or {}).get("data") or {}).get(INJECTIONS_KEY)
    try:
        found = (
            InterceptorInjectionsFile.model_validate_json(text) if text else InterceptorInjectionsFile(injections=())
        )
    except ValidationError:
        # Of another version, or changed by somebody; it is about to be replaced.
        return {}
    return {one.owner: one for one in found.injections}
