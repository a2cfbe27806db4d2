"""A task decodes in the executor's memory beside the heap, which is killed when it takes more than its share."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pytest

from kwitness.jobs.analyses.client_inventory.row import MAX_METRICS
from kwitness.jobs.analyses.client_inventory.transform import decode
from kwitness.jobs.frame.kafka_record import RECORD_COLUMNS, KafkaRecord

from tests.jobs.traffic import otlp, push

pytestmark = pytest.mark.slow
HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
BATCH = 100
MEGABYTE = 2**20


def test_clients_of_one_kind_share_the_names_of_their_metrics() -> None:
    body = otlp(f"org.apache.kafka.producer.of.a.usual.length.{number}" for number in range(105))
    # Each pushes twice: what two pushes of one client say together is shared as well.
    pushes = (push(number, body, client_instance_id=f"instance-{number % 3000}") for number in range(6000))

    peak, rows, used = _decoded(pushes)

    assert (rows, used) == (3000, 6000)
    assert peak < 55 * MEGABYTE


def test_clients_with_names_of_their_own_are_handed_on_before_they_are_many() -> None:
    pushes = (push(number, _names(number, 500), client_instance_id=f"instance-{number}") for number in range(1000))

    peak, rows, used = _decoded(pushes)

    assert (rows, used) == (1000, 1000)
    assert peak < 60 * MEGABYTE


def test_a_client_with_other_names_in_each_push_is_not_remembered() -> None:
    pushes = (push(number, _names(number, MAX_METRICS)) for number in range(200))

    peak, rows, used = _decoded(pushes)

    assert (rows, used) == (1, 200)
    assert peak < 45 * MEGABYTE


def _names(push_number: int, count: int) -> bytes:
    return otlp(f"org.apache.kafka.producer.{push_number}.{number}" for number in range(count))


def _decoded(records: Iterable[KafkaRecord]) -> tuple[int, int, int]:
    """The most memory that Python held, and how many rows and used records came out."""
    rows = used = 0
    list(decode(_batches([push(0, _names(0, 1))])))  # imports are not what a push holds
    tracemalloc.start()
    try:
        for batch in decode(_batches(records)):
            column = batch.column("row")
            rows += len(column) - column.null_count
            used += sum(number or 0 for number in batch.column("used").to_pylist())
        return tracemalloc.get_traced_memory()[1], rows, used
    finally:
        tracemalloc.stop()


def _batches(records: Iterable[KafkaRecord]) -> Iterator[pa.RecordBatch]:
    held: list[KafkaRecord] = []
    for record in records:
        held.append(record)
        if len(held) == BATCH:
            yield _batch(held)
            held = []
    if held:
        yield _batch(held)


def _batch(records: list[KafkaRecord]) -> pa.RecordBatch:
    columns = {name: pa.array([getattr(one, name) for one in records]) for name in RECORD_COLUMNS[:-1]}
    headers = [[{"key": key, "value": value} for key, value in one.headers] for one in records]
    kinds = pa.array(["telemetry"] * len(records))
    return pa.RecordBatch.from_pydict({**columns, "headers": pa.array(headers, HEADERS), "kind": kinds})
