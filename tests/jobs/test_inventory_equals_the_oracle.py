from __future__ import annotations

import random
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from kwitness.contracts.resources.analytics_parameters import ClientInventoryParameters
from kwitness.jobs.client_inventory import JOB, transform
from kwitness.jobs.delta_table import JobTable
from kwitness.jobs.kafka_record import KafkaRecord

from tests.jobs import oracle
from tests.jobs.tables import by_client, frame_of, kinded, read
from tests.jobs.traffic import bad_records, mixed

PARAMETERS = ClientInventoryParameters()


def test_a_batch_equals_the_oracle(spark: SparkSession) -> None:
    records = mixed(seed=1, count=400)

    found = transform(frame_of(spark, records), PARAMETERS)

    rows, bad = oracle.inventory(kinded(records))
    assert by_client([row.asDict(recursive=True) for row in found.rows.collect()]) == rows
    assert {(row.topic, row.partition, row.offset) for row in found.rejected.collect()} == bad


def test_every_bad_record_is_kept_with_a_reason(spark: SparkSession) -> None:
    found = transform(frame_of(spark, bad_records()), PARAMETERS)

    assert found.rows.isEmpty()
    kept = {(row.topic, row.offset): row for row in found.rejected.collect()}
    assert len(kept) == len(bad_records())
    assert {row.reason for row in kept.values()} == {
        "MalformedPayload",
        "UnknownSchema",
        "MissingHeader",
        "InvalidHeader",
        "InvalidField",
    }


@pytest.mark.parametrize("seed", [2, 3])
def test_any_cut_into_batches_gives_the_oracles_table(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    records = mixed(seed)
    table = JobTable(spark, str(tmp_path / "table"), JOB.schema, JOB.keys)
    table.ensure()

    for part in _cut(records, seed):
        found = transform(frame_of(spark, part), PARAMETERS)
        table.merge(found.rows, JOB.merge, {})

    assert by_client(read(table.path)) == oracle.inventory(kinded(records))[0]


def test_the_table_can_be_read_by_the_oldest_readers(spark: SparkSession, tmp_path: Path) -> None:
    table = JobTable(spark, str(tmp_path / "table"), JOB.schema, JOB.keys)
    table.ensure()

    protocol = DeltaTable(table.path).protocol()

    assert (protocol.min_reader_version, protocol.min_writer_version) == (1, 2)
    assert protocol.reader_features is None


def _cut(records: list[KafkaRecord], seed: int) -> list[list[KafkaRecord]]:
    dice = random.Random(seed)  # noqa: S311
    at = sorted(dice.sample(range(1, len(records)), 2))
    parts = [records[: at[0]], records[at[0] : at[1]], records[at[1] :]]
    # One part comes again, as after a driver that was killed before its checkpoint.
    return [*parts, dice.choice(parts)]
