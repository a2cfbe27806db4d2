from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from kwitness.collector.otlp.requests import Numbering, to_events
from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.jobs.analyses.client_inventory.conformance import REQUIRED, REQUIRED_BY_ROLE, roles_of
from kwitness.jobs.analyses.client_inventory.row import (
    INSTANCE,
    MAX_METRICS,
    MAX_TEXT,
    MAX_VERSIONS,
    InventoryRow,
    bounded,
    combine,
    row_id,
)
from kwitness.jobs.analyses.client_inventory.transform import rows_of
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.rejection import RejectedRecordError

from tests.jobs import oracle
from tests.jobs.tables import kinded
from tests.jobs.traffic import KINDS, TELEMETRY, mixed, push

TIMES = st.integers(0, 50)
NAMES = st.sampled_from(["a", "b", "org.apache.kafka.producer.x", "org.apache.kafka.consumer.y", "ü"])


@st.composite
def _rows(draw: st.DrawFn) -> InventoryRow:
    at = draw(TIMES)
    version = draw(st.sampled_from(["1", "2", None]))
    return InventoryRow(
        kind=INSTANCE,
        row_id=draw(st.sampled_from(["x", "y"])),
        identity=tuple(
            draw(st.sampled_from(["p", "q", None])) if key == "client_address" else None for key in IDENTITY_KEYS
        ),
        first_seen_ms=at,
        last_seen_ms=at,
        versions=frozenset({(("software", version), at, at)}),
        metrics=draw(st.frozensets(NAMES)),
        roles=draw(st.frozensets(st.sampled_from(["producer", "consumer"]))),
        terminated=draw(st.booleans()),
    )


@given(st.lists(_rows(), max_size=8), st.lists(_rows(), max_size=8), st.randoms(use_true_random=False))
@pytest.mark.slow
def test_any_order_and_any_cut_combine_to_the_same(
    left: list[InventoryRow], right: list[InventoryRow], dice: random.Random
) -> None:
    together = [*left, *right]
    shuffled = list(together)
    dice.shuffle(shuffled)

    whole = _sorted(combine(together))

    assert _sorted(combine([*combine(left), *combine(right)])) == whole
    assert _sorted(combine([*combine(right), *combine(left)])) == whole
    assert _sorted(combine(shuffled)) == whole
    assert _sorted(combine([*whole, *combine(left)])) == whole, "once more does nothing"


@given(st.integers(0, 10_000), st.lists(st.integers(1, 100), max_size=6))
@pytest.mark.slow
def test_rows_of_any_cut_equal_the_oracle(seed: int, cuts: list[int]) -> None:
    records = mixed(seed, count=60)
    rows: list[InventoryRow] = []
    bad = set()
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(records)], strict=True):
        part = []
        for record in records[start:end]:
            try:
                part.extend(rows_of(record, KINDS[record.topic]))
            except RejectedRecordError:
                bad.add((record.topic, record.partition, record.offset))
        rows = combine([*rows, *combine(part)])

    expected, expected_bad = oracle.inventory(kinded(records))

    assert bad == expected_bad
    found = {row.row_id: row for row in rows}
    assert len(found) == len(expected)
    for key, want in expected.items():
        row = found[row_id(*key)]
        assert row.first_seen_ms == want["first_seen_ms"]
        assert row.last_seen_ms == want["last_seen_ms"]
        assert sorted(row.metrics) == want["metrics"]
        assert dict(zip(IDENTITY_KEYS, row.identity, strict=True)) == {name: want[name] for name in IDENTITY_KEYS}
        assert row.terminated == want["terminated"]
        assert row.max_connections == want["max_connections"]


def test_a_client_that_sends_too_many_names_is_cut_the_same_way_in_any_order() -> None:
    names = [f"m{number}" for number in range(MAX_METRICS + 50)] + sorted(REQUIRED)
    first = _row(metrics=frozenset(names[:700]))
    second = _row(metrics=frozenset(names[600:]))

    one = combine([first, second])[0]
    other = combine([*combine([second]), *combine([first])])[0]

    assert one == other
    assert len(one.metrics) == MAX_METRICS
    assert one.metrics_truncated
    assert one.metrics >= REQUIRED, "required metrics are the last to be cut"


def test_a_client_with_too_many_versions_is_cut_the_same_way_in_any_order() -> None:
    rows = [_row(versions=frozenset({(("s", f"{number:04}"), number, number)})) for number in range(MAX_VERSIONS + 30)]

    forward = combine(rows)[0]
    backward = combine([*combine(rows[40:]), *combine(rows[:60])])[0]

    assert forward.versions == backward.versions
    assert len(forward.versions) == MAX_VERSIONS


def test_services_of_plain_otlp_are_a_row_each_as_the_collector_tells_them_from_others() -> None:
    records = [
        *exported(**{"service.name": "checkout", "service.instance.id": "0"}),
        *exported(**{"service.name": "payment", "service.instance.id": "0"}),
        *exported(**{"service.namespace": "shop", "service.name": "payment", "service.instance.id": "0"}),
        *exported(**{"service.namespace": "shop", "service.name": "nameless"}),
        *exported(**{"service.name": "payment", "service.instance.id": "0"}),
    ]

    rows = combine(row for record in records for row in rows_of(record, "telemetry"))

    known = [dict(zip(IDENTITY_KEYS, row.identity, strict=True)) for row in rows]
    assert sorted((one["client_id"], one["client_instance_id"]) for one in known if one["client_instance_id"]) == [
        ("checkout", "0"),
        ("payment", "0"),
        ("payment", "0"),
    ]
    assert [one["client_id"] for one in known if not one["client_instance_id"]] == ["nameless"]


def test_only_what_came_by_plain_otlp_is_known_by_its_key() -> None:
    claims = push()._replace(key=b"otlp//checkout/0")
    [row] = rows_of(claims, "telemetry")

    assert row.row_id == row_id(INSTANCE, "cluster-1", "AAAAAAAAAAAAAAAAAAAAAA")


def exported(**resource: str) -> list[KafkaRecord]:
    """The records that the collector makes of an export."""
    request = ExportMetricsServiceRequest()
    told = request.resource_metrics.add()
    told.scope_metrics.add().metrics.add().name = "app.orders"
    for key, text in {"cluster_id": "cluster-1", **resource}.items():
        attribute = told.resource.attributes.add()
        attribute.key, attribute.value.string_value = key, text
    events = to_events(request, Numbering(0, 1), 1_790_000_000_000, "cluster-1").events
    return [
        KafkaRecord(TELEMETRY, 0, 0, -1, event.instance.encode(), event.payload, tuple(event.headers()))  # type: ignore[arg-type]
        for event in events
    ]


def test_long_texts_are_cut_and_stay_different() -> None:
    long = "x" * 32_768

    assert bounded("short") == "short"
    assert len(bounded(long)) == MAX_TEXT
    assert bounded(long) != bounded(long + "y")


def test_the_required_metrics_are_those_that_the_protocol_as_shipped_has() -> None:
    assert {role: list(names) for role, names in REQUIRED_BY_ROLE.items()} == {
        role: sorted(names) for role, names in oracle.REQUIRED.items()
    }


def test_roles_are_told_by_the_names_of_metrics() -> None:
    names = {"org.apache.kafka.producer.a", "org.apache.kafka.stream.b", "org.apache.kafka.consumerx", "mine"}

    assert roles_of(frozenset(names)) == {"producer", "streams"}


def _row(**changes: object) -> InventoryRow:
    fields: dict[str, object] = {
        "kind": INSTANCE,
        "row_id": "x",
        "identity": (None,) * len(IDENTITY_KEYS),
        "first_seen_ms": 1,
        "last_seen_ms": 1,
    }
    return InventoryRow(**(fields | changes))  # type: ignore[arg-type]


def _sorted(rows: list[InventoryRow]) -> list[InventoryRow]:
    return sorted(rows, key=lambda row: row.row_id)
