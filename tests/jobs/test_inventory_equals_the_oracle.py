from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from kwitness.contracts.resources.analytics_parameters import ClientInventoryParameters
from kwitness.jobs.analyses.client_inventory.job import JOB, SINK
from kwitness.jobs.analyses.client_inventory.transform import transform
from kwitness.jobs.frame.delta_table import JobTable
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests import soak
from tests.jobs import oracle
from tests.jobs.tables import by_client, frame_of, kinded, read
from tests.jobs.traffic import bad_records, mixed

JOB_INPUT = JobInput(ClientInventoryParameters(), 300.0)
CUTS = soak.seeds(120)
"""A stream of records for each, cut in a way of its own."""


@pytest.mark.soak
@pytest.mark.parametrize("seed", soak.seeds(10))
def test_a_batch_equals_the_oracle(spark: SparkSession, seed: int) -> None:
    records = mixed(seed, count=400)

    found = transform(frame_of(spark, records), JOB_INPUT)

    rows, bad = oracle.inventory(kinded(records))
    assert by_client([row.asDict(recursive=True) for row in found.rows.collect()]) == rows
    assert {(row.topic, row.partition, row.offset) for row in found.rejected.collect()} == bad


def test_every_bad_record_is_kept_with_a_reason(spark: SparkSession) -> None:
    found = transform(frame_of(spark, bad_records()), JOB_INPUT)

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


@pytest.mark.soak
def test_any_cut_into_batches_gives_the_oracles_table(spark: SparkSession, tmp_path: Path) -> None:
    table = JobTable(spark, str(tmp_path / "table"), JOB.schema, SINK.keys)
    table.ensure()
    # Each cut is of clusters of its own, so that one merge serves all of them.
    cuts = {seed: _cut(mixed(seed, count=24, cluster=f"cut-{seed}"), seed) for seed in CUTS}

    for number in range(max(map(len, cuts.values()))):
        together = [record for parts in cuts.values() for part in parts[number : number + 1] for record in part]
        table.merge(transform(frame_of(spark, together), JOB_INPUT).rows, SINK.merge, {})

    found = by_client(read(table.path))
    wrong = {}
    for seed, parts in cuts.items():
        rows = {key: row for key, row in found.items() if key[1].rpartition("-")[0] == f"cut-{seed}"}
        if rows != oracle.inventory(kinded([record for part in parts for record in part]))[0]:
            wrong[seed] = [[(record.topic, record.offset) for record in part] for part in parts]
    assert not wrong, (
        f"{len(wrong)} of {len(CUTS)} cuts; the shortest: {min(wrong.items(), key=lambda one: len(one[1]))}"
    )


def test_the_table_can_be_read_by_the_oldest_readers(spark: SparkSession, tmp_path: Path) -> None:
    table = JobTable(spark, str(tmp_path / "table"), JOB.schema, SINK.keys)
    table.ensure()

    protocol = DeltaTable(table.path).protocol()

    assert (protocol.min_reader_version, protocol.min_writer_version) == (1, 2)
    assert protocol.reader_features is None


def _cut(records: list[KafkaRecord], seed: int) -> list[list[KafkaRecord]]:
    dice = random.Random(seed)  # noqa: S311
    at = [0, *sorted(dice.sample(range(1, len(records)), dice.randrange(5))), len(records)]
    parts = [records[start:end] for start, end in pairwise(at)]
    # One part comes again, as after a driver that was killed before its checkpoint.
    parts.insert(dice.randrange(len(parts) + 1), dice.choice(parts))
    return parts
