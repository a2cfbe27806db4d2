"""All injections of the installation as one ConfigMap, in the order in which they prevail."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from pydantic import ValidationError

from kwitness.contracts.injections import (
    INJECTION_HASHES_KEY,
    INJECTIONS_KEY,
    Injection,
    InjectionsFile,
    injection_hash,
)
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.contracts.resources.precedence import precedence
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.environment.clusters import present
from kwitness.operator.environment.injector import config_map_key, injections_config_map
from kwitness.operator.kinds.observer_deployment.needs import KIND
from kwitness.operator.kinds.observer_deployment.sidecars.outcome import injection_for
from kwitness.operator.model.errors import OperatorError, TransientError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Body, Every, NamedObject
from kwitness.operator.shapes.work import Decision, Unit, View

__all__ = ["decide", "sidecars"]

_MOST_BYTES: Final = 900_000
"""Of the file; the API server takes 1 MiB of a ConfigMap."""
_MOST: Final = 1_000


def decide(unit: Unit, view: View) -> Decision:
    """Compile the ConfigMap.

    What cannot be had now leaves a resource's injection as it stands; what is wrong takes it out, and its status says
    why: pods then start without observer, which harms nobody but a broker whose listener is on loopback. So an
    injection beside brokers stays until its resource is gone.

    Raises
    ------
    OperatorError
        The ConfigMap that stands cannot be read.
    """
    del unit
    at = config_map_key(view.settings)
    standing = _standing(present(view, NamedObject("ConfigMap", at)))
    wanted = [one for body, resource in sidecars(view) if (one := _wanted(body, resource, standing, view)) is not None]
    wanted.sort(key=lambda one: precedence(one.priority, one.namespace, one.name))
    held: list[Injection] = []
    hashes: dict[str, str | None] = {}
    room = _MOST_BYTES
    for one in wanted:
        room -= len(one.model_dump_json().encode()) + 1
        fits = room >= 0 and len(held) < _MOST
        if fits:
            held.append(one)
        hashes[one.owner] = injection_hash(one) if fits else None
    text = InjectionsFile(injections=tuple(held)).model_dump_json(by_alias=True)
    data = {INJECTIONS_KEY: text, INJECTION_HASHES_KEY: json.dumps(dict(sorted(hashes.items())))}
    return Decision(shared=(injections_config_map(at, data),))


def sidecars(view: View) -> Iterator[tuple[Body, ObserverDeployment]]:
    """ObserverDeployments in modes Sidecar and Broker that can be read and are not being deleted, by key."""
    answer = view.get(Every(KIND))
    for body in (answer.value or ()) if answer is not None else ():
        if "deletionTimestamp" in body["metadata"]:
            continue
        try:
            resource = parse_resource(ObserverDeployment, body)
        except OperatorError:
            # Its own status says so.
            continue
        if resource.spec.mode != "Gateway":
            yield body, resource


def _wanted(
    body: Body, resource: ObserverDeployment, standing: Mapping[str, Injection], view: View
) -> Injection | None:
    owner = str(Key(resource.metadata.namespace, resource.metadata.name))
    if is_paused(resource.metadata.annotations):
        return standing.get(owner)
    try:
        return injection_for(body, resource, view)
    except TransientError:
        return standing.get(owner)
    except OperatorError:
        return standing.get(owner) if resource.spec.mode == "Broker" else None


def _standing(config_map: Body | None) -> dict[str, Injection]:
    text = ((config_map or {}).get("data") or {}).get(INJECTIONS_KEY)
    try:
        found = InjectionsFile.model_validate_json(text) if text else InjectionsFile(injections=())
    except ValidationError:
        # Of another version, or changed by somebody; it is about to be replaced.
        return {}
    return {one.owner: one for one in found.injections}
