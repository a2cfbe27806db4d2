"""Kinds that nothing acts on yet: their resources are told so."""

from __future__ import annotations

from kwitness.contracts.resources.meta import Status
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.store import Subject
from kwitness.operator.shapes.facts import Watched
from kwitness.operator.shapes.work import Decision, KindSpec, Need, Outcome, Unit, View

__all__ = ["unsupported"]


def unsupported(kind: str) -> KindSpec:
    """The kind of that name, which each of its resources is a unit of."""
    return KindSpec(kind=kind, unit=lambda key: Unit(kind, key), needs=_needs, decide=_decide)


def _needs(unit: Unit, view: View) -> frozenset[Need]:
    del view
    return frozenset({Need(Watched(unit.kind, unit.key))})


def _decide(unit: Unit, view: View) -> Decision:
    body = view[Watched(unit.kind, unit.key)].value
    if body is None:
        return Decision(again="forget")
    subject = Subject.of(body)
    message = f"this version does nothing with {unit.kind} resources yet: keep it for a later one, or delete it"
    verdict = Verdict("Ready", "False", "Unsupported", message)
    return Decision({subject.key: Outcome(subject.uid, subject.generation, Status(), (verdict,))})
