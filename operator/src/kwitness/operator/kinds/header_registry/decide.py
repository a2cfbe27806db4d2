"""What becomes of all HeaderRegistries: who has which key, and what is remembered of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.contracts.resources.header_registry import (
    HeaderId,
    HeaderRegistry,
    HeaderRegistryStatus,
)
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.environment.clusters import present
from kwitness.operator.environment.header_ids import header_ids, header_ids_fact
from kwitness.operator.kinds.header_registry.claims import Claim, Share, settle
from kwitness.operator.kinds.header_registry.findings import clusters_of, registered_by, seen_of
from kwitness.operator.kinds.header_registry.needs import KIND, absent_owner
from kwitness.operator.kinds.header_registry.verdicts import as_registered, registered
from kwitness.operator.model.conditions import failure
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.header_findings import RegisterFindings
from kwitness.operator.model.header_ids import (
    HEADER_IDS_KEY,
    HEADER_SHARES_KEY,
    HeaderIds,
    header_ids_text,
    header_shares_text,
)
from kwitness.operator.model.parse_resource import parse_resource, parse_status
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.shapes.actions import Remember
from kwitness.operator.shapes.facts import Body, Every
from kwitness.operator.shapes.work import Decision, Outcome, Unit, View

__all__ = ["decide"]


def decide(unit: Unit, view: View) -> Decision:
    """Decide on all of them together; statuses say what is remembered, so that comes first."""
    del unit
    bodies = {Subject.of(one).key: one for one in view[Every(KIND)].value or ()}
    try:
        before = header_ids(view)
        config_map = present(view, header_ids_fact(view.settings))
    except OperatorError as error:
        return Decision({key: _failed(body, error) for key, body in bodies.items()})
    resources: dict[Key, HeaderRegistry] = {}
    outcomes: dict[Key, Outcome] = {}
    for key, body in bodies.items():
        try:
            resources[key] = parse_resource(HeaderRegistry, body)
        except OperatorError as error:
            outcomes[key] = _failed(body, error)
    claims = [_claim(key, body, resources.get(key)) for key, body in bodies.items()]
    result = settle(before, claims, _gone(before, bodies, view))
    clusters = clusters_of(view)
    are_known = registered_by(one for one in resources.values() if not one.spec.suspend)
    for key, resource in resources.items():
        seen = seen_of(resource, are_known, clusters.get(key, frozenset()), view)
        outcomes[key] = _outcome(bodies[key], resource, result.shares[key], seen)
    data = {HEADER_IDS_KEY: header_ids_text(result.ids), HEADER_SHARES_KEY: header_shares_text(result.ids)}
    present_data = (config_map or {}).get("data") or {}
    if result.ids == before and present_data.get(HEADER_IDS_KEY) in {None, data[HEADER_IDS_KEY]}:
        return Decision(outcomes)
    version = None if config_map is None else str(config_map["metadata"]["resourceVersion"])
    return Decision(outcomes, remember=Remember(header_ids_fact(view.settings).key, version, data))


def _gone(before: HeaderIds, bodies: Mapping[Key, Body], view: View) -> list[Key]:
    """Owners that the API server itself says are not there."""
    found = []
    for owner in before.owners.keys() - bodies.keys():
        answer = view[absent_owner(owner)]
        if answer.failure is None and answer.value is None:
            found.append(owner)
    return found


def _claim(key: Key, body: Body, resource: HeaderRegistry | None) -> Claim:
    stated = {one.name: one.id for one in parse_status(HeaderRegistryStatus, body).ids}
    if resource is None or is_paused(resource.metadata.annotations):
        return Claim(key, stated=stated, holds_still=True)
    spec = resource.spec
    return Claim(key, spec.priority, spec.id_range, {one.name: one.id for one in spec.keys}, stated)


def _outcome(body: Body, resource: HeaderRegistry, share: Share, seen: RegisterFindings | None) -> Outcome:
    subject = Subject.of(body)
    before = parse_status(HeaderRegistryStatus, body)
    status = HeaderRegistryStatus(
        registered=len(share.keys),
        ids=tuple(HeaderId(name=name, id=number) for name, number in sorted(share.keys.items()) if number is not None),
        taken=before.taken if is_paused(resource.metadata.annotations) else tuple(share.taken),
        **_seen(seen),
    )
    verdicts = (registered(resource, share), as_registered(seen))
    return Outcome(subject.uid, subject.generation, status, verdicts)


def _seen(seen: RegisterFindings | None) -> dict[str, Any]:
    if seen is None:
        return {}
    return {
        "unregistered_seen": seen.unregistered_seen,
        "findings": seen.keys,
        "findings_left_out": seen.left_out or None,
    }


def _failed(body: dict[str, Any], error: OperatorError) -> Outcome:
    subject = Subject.of(body)
    return Outcome(subject.uid, subject.generation, parse_status(HeaderRegistryStatus, body), (failure(error),))
