"""Compares with what the release before promised, by docs/reference/promises.md."""

from __future__ import annotations

from typing import Any

import pytest

from tests.upgrade.promises import PROMISED, lines_of, promises
from tests.upgrade.snapshot import CHANGES, Snapshot

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "mode": {"type": "string", "enum": ["Hold", "Apply"]},
        "servers": {"type": "array", "items": {"type": "string"}},
    },
}


def changed(**properties: Any) -> dict[str, Any]:
    return {**SCHEMA, "properties": {**SCHEMA["properties"], **properties}}


def test_promises_of_the_release_before_hold(snapshot: Snapshot) -> None:
    promised = set((snapshot.folder / PROMISED).read_text(encoding="utf-8").splitlines())

    assert promised - promises() == set(CHANGES["promises"])


def test_promises_name_resources_rows_answers_metrics_and_tables() -> None:
    assert {
        "resource KafkaCluster.v1beta1.spec.bootstrapServers: array",
        "resource KafkaCluster.v1beta1.spec.riskPolicy may be left out",
        'resource KafkaCluster.v1beta1.spec.riskPolicy = "Hold"',
        "rows kwitness.traffic.v1 ApiTraffic.api is always there",
        "http GET /v1/clients query owner: string",
        "metric kwitness_drift_repairs_total: counter",
        "metric kwitness_drift_repairs_total label kind",
        "table ClientInventory.client_id: string",
    } <= promises()


@pytest.mark.parametrize(
    ("later", "lost"),
    [
        (changed(servers={"type": "string"}), {"x.servers: array", "x.servers[]: string"}),
        (changed(mode={"type": "string", "enum": ["Hold"]}), {'x.mode = "Apply"'}),
        ({**SCHEMA, "required": ["name", "mode"]}, {"x.mode may be left out"}),
        (changed(more={"type": "integer"}), set()),
        (changed(mode={"type": "string", "enum": ["Hold", "Apply", "Ask"]}), set()),
    ],
    ids=["retyped", "value removed", "required", "field added", "value added"],
)
def test_a_change_loses_a_promise_unless_it_only_adds(later: dict[str, Any], lost: set[str]) -> None:
    before, after = (set(lines_of(schema, "x", optional=True)) for schema in (SCHEMA, later))

    assert before - after == lost
