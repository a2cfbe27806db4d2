"""A reading answers each fact once."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.engine.reading import Reading
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Answer, Referring

from tests.operator.golden_view import settings_of_case
from tests.operator.surroundings import collector

FACT = Referring("TelemetryCollector", Key("kwitness", "main"))


def reading(*bodies: dict[str, Any]) -> Reading:
    answer: Answer[Any] = Answer(bodies, 0)
    return Reading(lambda _: answer, frozenset({FACT}), now_ms=0, settings=settings_of_case({}))


def test_resources_are_parsed_once_however_often_they_are_asked_for() -> None:
    read = reading(collector("first", "kwitness"))

    (first,) = read.resources(TelemetryCollector, FACT)
    (again,) = read.resources(TelemetryCollector, FACT)

    assert first.metadata.name == "first"
    assert again is first


def test_resources_of_another_schema_are_left_out() -> None:
    other = {**collector("other", "kwitness"), "spec": {"replicas": "many"}}

    (found,) = reading(other, collector("first", "kwitness")).resources(TelemetryCollector, FACT)

    assert found.metadata.name == "first"


def test_resources_of_a_fact_that_is_not_known_are_none() -> None:
    read = Reading(lambda _: None, frozenset({FACT}), now_ms=0, settings=settings_of_case({}))

    assert read.resources(TelemetryCollector, FACT) == ()
