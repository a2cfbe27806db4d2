"""Completeness and the mirror audit do not run yet: their shapes and transforms are tried on frames."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError
from pyspark.sql import SparkSession

from kwitness.contracts.resources.analytics_job import USED_JOB_TYPES
from kwitness.jobs.analyses.completeness.job import JOB, SINK
from kwitness.jobs.analyses.completeness.schema import TABLE_SCHEMA, CompletenessParameters
from kwitness.jobs.analyses.completeness.transform import bounded, missing
from kwitness.jobs.analyses.mirror_audit.schema import INPUTS, MirrorAuditParameters
from kwitness.jobs.analyses.mirror_audit.transform import compared
from kwitness.jobs.frame.intervals import size
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.jobs.numbered import EPOCH, OBSERVER, REPORTER, START_MS
from tests.jobs.tables import frame_of
from tests.jobs.test_intervals import NUMBERS, intervals, numbers_of


def event(seq: int, name: str, source: str, /, **fields: object) -> KafkaRecord:
    value = {
        "schema": f"kwitness.{name}/1",
        "event_source": source,
        "event_epoch": EPOCH,
        "event_seq": seq,
        "window_start_ms": START_MS + 10_000 * seq,
        "window_end_ms": START_MS + 10_000 * seq + 10_000,
        **fields,
    }
    return KafkaRecord(f"kwitness.{name}", 0, seq, START_MS, None, json.dumps(value).encode(), ())


def intercepted(seq: int, side: str, first: int, last: int, **fields: object) -> KafkaRecord:
    partition = {"partition": 0, "offset_ranges": [{"first": first, "last": last}]}
    return event(
        seq, "interceptions", REPORTER, kind="topic", side=side, topic="orders", partitions=[partition], **fields
    )


def observed(seq: int, api: str, first: int, last: int, **fields: Any) -> KafkaRecord:
    ranges = [{"first": first, "last": last}]
    told = {"requests": 1, "batches": 1, "records": last - first + 1, "offset_ranges": ranges, "topic": "orders"}
    return event(seq, "traffic", OBSERVER, kind="partition", api=api, partition=0, **(told | fields))


@given(NUMBERS, NUMBERS)
def test_what_a_group_missed_lies_between_its_first_and_its_last(sent: set[int], consumed: set[int]) -> None:
    between = range(min(consumed), max(consumed) + 1) if consumed else ()

    assert numbers_of(missing(intervals(sent), intervals(consumed))) == sent.intersection(between) - consumed


@given(NUMBERS)
def test_a_set_that_is_bounded_holds_too_much_and_never_too_little(offsets: set[int]) -> None:
    kept = bounded(intervals(offsets), 3)

    assert len(kept) <= 3
    assert numbers_of(kept) >= offsets
    assert size(kept) == len(offsets) or len(intervals(offsets)) > 3


def test_sets_of_offsets_grow_with_a_batch(spark: SparkSession) -> None:
    job_input = JobInput(CompletenessParameters(), 300.0)
    before = ("orders", 0, "Consumed", "wire", "g", [(5, 6)], True, START_MS, START_MS + 10_000)
    table = spark.createDataFrame([before, ("orders", 1, *before[2:])], TABLE_SCHEMA)
    again = intercepted(1, "producer", 0, 9)
    records = [
        *(again, again, intercepted(2, "producer", 10, 19), intercepted(3, "consumer", 5, 6, group_id="g")),
        *(observed(4, "Produce", 0, 9), observed(5, "Produce", 30, 39), observed(6, "Fetch", 7, 9, group_id="g")),
        *(observed(7, "Fetch", 0, 4, group_id="g", offset_ranges_merged=1), event(8, "traffic", OBSERVER, kind="api")),
    ]

    found = SINK.transform(frame_of(spark, records), job_input)
    assert SINK.combined is not None
    rows = SINK.combined(table, found.rows, job_input).collect()

    assert {(row.said, row.evidence, row.group_id): [tuple(one) for one in row.ranges] for row in rows} == {
        ("Acknowledged", "interceptors", ""): [(0, 19)],
        ("Produced", "wire", ""): [(0, 9), (30, 39)],
        ("Consumed", "interceptors", "g"): [(5, 6)],
        ("Consumed", "wire", "g"): [(0, 9)],
    }
    assert {(row.said, row.evidence) for row in rows if not row.exact} == {("Consumed", "wire")}


def test_a_mirror_is_compared_by_what_both_sides_carried(spark: SparkSession) -> None:
    job_input = JobInput(MirrorAuditParameters(target_cluster="mirror", target_prefix="eu."), 60.0)
    at = START_MS - START_MS % 60_000
    source = [
        observed(1, "Produce", 0, 99, max_timestamp_ms=at, batches=10),
        observed(2, "Produce", 100, 149, max_timestamp_ms=at + 60_000, batches=50),
        observed(3, "Fetch", 0, 99, max_timestamp_ms=at),
    ]
    target = [
        observed(1, "Produce", 0, 94, max_timestamp_ms=at, batches=10, topic="eu.orders"),
        observed(2, "Produce", 95, 109, max_timestamp_ms=at + 60_000, batches=15, topic="eu.orders"),
        observed(3, "Produce", 0, 9, max_timestamp_ms=at, topic="other"),
    ]

    rows = compared(frame_of(spark, [*source, source[0]]), frame_of(spark, target), job_input).collect()

    assert {(row.topic, row.time_ms - at): (row.tolerance, row.missing, row.extra) for row in rows} == {
        ("orders", 0): (10, 0, 0),
        ("orders", 60_000): (1, 34, 0),
    }
    assert {row.evidence for row in rows} == {"approximate"}


def test_neither_can_be_asked_for() -> None:
    assert JOB.name not in USED_JOB_TYPES
    assert "MirrorAudit" not in USED_JOB_TYPES
    assert INPUTS.second_cluster
    with pytest.raises(ValidationError):
        MirrorAuditParameters.model_validate({"prefix": "eu."})
