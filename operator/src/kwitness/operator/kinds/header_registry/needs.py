"""What must be known to decide on all HeaderRegistries."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.resources.header_registry import HeaderRegistry
from kwitness.operator.environment.header_ids import header_ids, header_ids_fact
from kwitness.operator.environment.needs import settled_seconds
from kwitness.operator.kinds.header_registry.findings import findings_needs
from kwitness.operator.kinds.header_registry.listing import listing_needs
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Every, NamedObject
from kwitness.operator.shapes.work import Need, Unit, View

__all__ = ["KIND", "absent_owner", "needs"]

KIND: Final = "HeaderRegistry"


def needs(unit: Unit, view: View) -> frozenset[Need]:
    """All registers, who lists them, what is remembered and seen, and whether owners that were not seen are gone."""
    del unit
    remembered, settled = header_ids_fact(view.settings), settled_seconds(view)
    found = {Need(Every(KIND)), Need(remembered, settled), *findings_needs(view)}
    registers = view.get(Every(KIND))
    for body in (registers.value or ()) if registers is not None else ():
        try:
            found |= listing_needs(parse_resource(HeaderRegistry, body), view)
        except OperatorError:
            continue
    if registers is None or view.get(remembered) is None:
        return frozenset(found)
    try:
        owners = {owner for ids in header_ids(view).values() for owner in ids.owners}
    except OperatorError:
        return frozenset(found)
    known = {Key(one["metadata"]["namespace"], one["metadata"]["name"]) for one in registers.value or ()}
    return frozenset(found | {Need(absent_owner(one), settled) for one in owners - known})


def absent_owner(key: Key) -> NamedObject:
    """A register that is remembered and that no list has: one in a namespace that may not be read is not gone."""
    return NamedObject(KIND, key)
