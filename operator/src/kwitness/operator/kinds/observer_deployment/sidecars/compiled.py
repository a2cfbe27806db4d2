"""All injections of the installation as one ConfigMap, in the order in which they prevail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kwitness.contracts.injections import Injection, InjectionsFile, injection_hash
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.environment.clusters import present
from kwitness.operator.environment.injections_file import injections_config_map, standing
from kwitness.operator.environment.injector import config_map_key
from kwitness.operator.kinds.observer_deployment.needs import KIND
from kwitness.operator.kinds.observer_deployment.sidecars.outcome import injection_for
from kwitness.operator.model.errors import OperatorError, TransientError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Body, Every, NamedObject
from kwitness.operator.shapes.work import Decision, Unit, View

__all__ = ["decide", "sidecars"]


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
    before = standing(present(view, NamedObject("ConfigMap", at)), _injections)
    found = (_wanted(body, resource, before, view) for body, resource in sidecars(view))
    wanted = (injection for injection in found if injection is not None)
    first = view.settings.injector.other_namespaces.from_
    return Decision(shared=(injections_config_map(at, wanted, _file, injection_hash, first=first),))


def _file(injections: tuple[Injection, ...]) -> str:
    return InjectionsFile(injections=injections).model_dump_json(by_alias=True)


def _injections(text: str) -> tuple[Injection, ...]:
    return InjectionsFile.model_validate_json(text).injections


def sidecars(view: View) -> Iterator[tuple[Body, ObserverDeployment]]:
    """ObserverDeployments beside clients and brokers that can be read and are not being deleted, by key."""
    answer = view.get(Every(KIND))
    for body in (answer.value or ()) if answer is not None else ():
        if "deletionTimestamp" in body["metadata"]:
            continue
        try:
            resource = parse_resource(ObserverDeployment, body)
        except OperatorError:
            # Its own status says so.
            continue
        if resource.spec.gateway is None:
            yield body, resource


def _wanted(body: Body, resource: ObserverDeployment, before: Mapping[str, Injection], view: View) -> Injection | None:
    owner = str(Key(resource.metadata.namespace, resource.metadata.name))
    if is_paused(resource.metadata.annotations):
        return before.get(owner)
    try:
        return injection_for(body, resource, view)
    except TransientError:
        return before.get(owner)
    except OperatorError:
        return before.get(owner) if resource.spec.broker is not None else None
