"""What becomes of all HeaderRegistries: who has which key, and what is remembered of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kwitness.contracts.resources.header_registry import (
    HeaderId,
    HeaderRegistry,
    HeaderRegistryStatus,
)
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.environment.clusters import present
from kwitness.operator.environment.header_ids import header_ids, header_ids_fact
from kwitness.operator.kinds.header_registry.claims import Claim, Share
from kwitness.operator.kinds.header_registry.findings import clusters_of, known_keys, seen_of
from kwitness.operator.kinds.header_registry.homes import settle_homes
from kwitness.operator.kinds.header_registry.listing import Listing, home_of, listing_of
from kwitness.operator.kinds.header_registry.needs import KIND, absent_owner
from kwitness.operator.kinds.header_registry.verdicts import as_registered, registered
from kwitness.operator.model.conditions import failure
from kwitness.operator.model.errors import OperatorError, TerminalError
from kwitness.operator.model.header_findings import RegisterFindings
from kwitness.operator.model.header_ids import HEADER_IDS_KEY, Homes, header_ids_text
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
    registers = {key: _read(body, view) for key, body in bodies.items()}
    claims: dict[str, list[Claim]] = {}
    for key, register in registers.items():
        if not register.claims_nothing:
            claims.setdefault(register.home, []).append(_claim(key, register))
    settled = settle_homes(before, claims, _gone(before, registers, view))
    outcomes = _outcomes(registers, settled.shares, view)
    data = {HEADER_IDS_KEY: header_ids_text(settled.homes)}
    present_text = ((config_map or {}).get("data") or {}).get(HEADER_IDS_KEY)
    if present_text == data[HEADER_IDS_KEY] or (present_text is None and header_ids_text({}) == data[HEADER_IDS_KEY]):
        return Decision(outcomes)
    version = None if config_map is None else str(config_map["metadata"]["resourceVersion"])
    return Decision(outcomes, remember=Remember(header_ids_fact(view.settings).key, version, data))


@dataclass(frozen=True, slots=True)
class _Register:
    """A register, and who lists it; ``error`` is why it claims nothing, or nothing new."""

    body: Body
    home: str
    resource: HeaderRegistry | None = None
    listing: Listing | None = None
    error: OperatorError | None = None

    @property
    def claims_nothing(self) -> bool:
        """Whether a KafkaCluster takes its keys from it; what is not known takes none."""
        return self.resource is not None and isinstance(self.error, TerminalError)

    @property
    def refused(self) -> tuple[str, ...]:
        """Keys that its KafkaCluster does not allow it."""
        if self.resource is None or self.listing is None:
            return ()
        return tuple(key.name for key in self.resource.spec.keys if not self.listing.allows(key))


def _read(body: Body, view: View) -> _Register:
    home = home_of(Subject.of(body).key, body)
    try:
        resource = parse_resource(HeaderRegistry, body)
    except OperatorError as error:
        return _Register(body, home, error=error)
    try:
        return _Register(body, home, resource, listing_of(resource, view))
    except OperatorError as error:
        return _Register(body, home, resource, error=error)


def _gone(before: Homes, registers: Mapping[Key, _Register], view: View) -> set[Key]:
    """Owners that the API server itself says are not there, and those that claim nothing."""
    found = {key for key, register in registers.items() if register.claims_nothing}
    for owner in {owner for ids in before.values() for owner in ids.owners} - registers.keys():
        answer = view[absent_owner(owner)]
        if answer.failure is None and answer.value is None:
            found.add(owner)
    return found


def _claim(key: Key, register: _Register) -> Claim:
    stated = {one.name: one.id for one in parse_status(HeaderRegistryStatus, register.body).ids}
    resource, listing = register.resource, register.listing
    if resource is None or listing is None:
        return Claim(key, stated=stated, holds_still=True)
    if is_paused(resource.metadata.annotations):
        return Claim(key, stated=stated, holds_still=True, prefix=listing.prefix or "")
    spec = resource.spec
    return Claim(
        key,
        listing.rank,
        spec.priority,
        spec.id_range,
        {entry.name: entry.id for entry in spec.keys if listing.allows(entry)},
        frozenset(entry.name for entry in spec.keys if entry.released),
        stated,
    )


def _outcomes(registers: Mapping[Key, _Register], shares: Mapping[Key, Share], view: View) -> dict[Key, Outcome]:
    clusters = clusters_of({key: register.home for key, register in registers.items()}, view)
    listed: dict[str, list[tuple[HeaderRegistry, Listing, Share]]] = {}
    for key, register in registers.items():
        if register.resource is not None and register.listing is not None:
            listed.setdefault(register.home, []).append((register.resource, register.listing, shares[key]))
    are_known = {home: known_keys(found) for home, found in listed.items()}
    outcomes: dict[Key, Outcome] = {}
    for key, register in registers.items():
        if register.resource is None and register.error is not None:
            outcomes[key] = _failed(register.body, register.error)
        elif register.resource is not None:
            is_known, share = are_known.get(register.home, known_keys([])), shares.get(key, Share())
            seen = seen_of((register.resource, share), is_known, clusters.get(key, frozenset()), view)
            outcomes[key] = _outcome(register, register.resource, share, seen)
    return outcomes


def _outcome(register: _Register, resource: HeaderRegistry, share: Share, seen: RegisterFindings | None) -> Outcome:
    subject = Subject.of(register.body)
    before = parse_status(HeaderRegistryStatus, register.body)
    status = HeaderRegistryStatus(
        registered=len(share.keys),
        ids=tuple(HeaderId(name=name, id=number) for name, number in sorted(share.keys.items()) if number is not None),
        taken=before.taken if is_paused(resource.metadata.annotations) else tuple(share.taken),
        refused=register.refused,
        released=tuple(key.name for key in resource.spec.keys if key.released and key.name in share.keys),
        **_seen(seen),
    )
    verdicts = (registered(resource, share, register.listing, register.error), as_registered(seen))
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
