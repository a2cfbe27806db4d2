"""What records of observers must be like for the job Traffic, and what becomes of those that are not."""

from __future__ import annotations

import base64
import json
from collections import Counter
from itertools import pairwise

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.records.sketch import SKETCH_BOUNDS, bucket_of
from kwitness.contracts.resources.analytics_parameters import TrafficParameters
from kwitness.contracts.resources.meta import parse_duration
from kwitness.jobs.analyses.end_to_end_latency import schema as end_to_end_latency
from kwitness.jobs.analyses.traffic import schema as traffic
from kwitness.jobs.analyses.traffic.transform import decode
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.json_events import MAX_EVENT_BYTES, union_of
from kwitness.jobs.frame.rejection import MAX_VALUE_BYTES
from kwitness.jobs.frame.sketches import quantiles
from kwitness.jobs.generated.schemas import CONNECTION_EVENT, PARTITION_TRAFFIC

from tests.jobs import observed
from tests.jobs.tables import frame_of

JOB_INPUT = JobInput(TrafficParameters(), 300.0)


@pytest.fixture(scope="module")
def decoded(spark: SparkSession) -> dict[int, Row]:
    """Good records at the offsets 0 to 4, those that are bad from 5 on, and one of ten megabytes at the end."""
    good = [
        observed.partition(seq=1, a_field_of_tomorrow={"x": [1, None]}),
        observed.seal(2, seq=2),
        observed.seal(2, seq=3, topic="requests"),
        observed.api(seq=4, client_id="\ud800größe", response_time={"buckets": {"0": 1, "1141": 2}, "sum_us": 9}),
        observed.presence(seq=5, sent_at_ms=observed.START_MS + 100 * 3_600_000),
        observed.partition(seq=6, api="OffsetCommit", committed_offset=5, committed_lag=1),
    ]
    huge = json.dumps(observed.partition(client_id="x" * 10_000_000)).encode()
    records = observed.placed([*good, *observed.bad_values(), huge], partitions=1)
    numbered = [record._replace(topic=record.topic, offset=at) for at, record in enumerate(records)]
    rows = decode(frame_of(spark, numbered), JOB_INPUT).select("offset", "row", "rejected", "used").collect()
    return {row["offset"]: row for row in rows}


def test_good_records_are_facts_and_seals_of_other_topics_none(decoded: dict[int, Row]) -> None:
    rows = [decoded[at] for at in range(6)]

    kinds = ["partition", "seal", None, "api", "presence", "partition"]
    assert [row["row"] and row["row"]["kind"] for row in rows] == kinds
    assert all(row["used"] == 1 and row["rejected"] is None for row in rows)
    assert rows[1]["row"]["sealed_records"] == 2
    assert rows[3]["row"]["response_time"] == {"0": 1, "1141": 2}
    assert len(SKETCH_BOUNDS) == 1142


def test_each_bad_record_is_rejected_with_its_reason(decoded: dict[int, Row]) -> None:
    rows = [decoded[at] for at in range(6, len(decoded))]

    assert all(row["row"] is None and row["used"] is None for row in rows)
    reasons = Counter(row["rejected"]["reason"] for row in rows)
    assert set(reasons) == {
        "MalformedPayload",
        "UnknownSchema",
        "MissingField",
        "InvalidField",
        "TooLate",
        "FromTheFuture",
        "TooLarge",
    }
    assert reasons["MissingField"] == 3
    assert reasons["UnknownSchema"] == 3
    assert reasons["TooLate"] == reasons["FromTheFuture"] == reasons["TooLarge"] == 1


def test_an_event_of_ten_megabytes_is_cut_in_the_quarantine(decoded: dict[int, Row]) -> None:
    rejected = decoded[len(decoded) - 1]["rejected"]

    assert rejected["reason"] == "TooLarge"
    assert rejected["value_bytes"] > 10_000_000 > MAX_EVENT_BYTES
    assert len(base64.b64decode(rejected["value_base64"])) == MAX_VALUE_BYTES
    assert rejected["headers"][0].asDict() == {"key": "reported_by", "value_base64": "Z2F0ZXdheQ=="}


def test_a_quantile_is_the_bound_of_the_bucket_that_holds_it(spark: SparkSession) -> None:
    values = [[0], [1, 2, 3], [7] * 99 + [10**6], [5] * 98 + [10**12] * 2, [], [10**5] * 200]
    maps = [dict(Counter(bucket_of(value) for value in several)) for several in values]
    frame = spark.createDataFrame([(one,) for one in maps] + [({3: 2**62, 4: 2**62},)], "buckets map<int,bigint>")

    rows = frame.select(quantiles(F.col("buckets"), (50, 99, 100)).alias("found")).select("found.*").collect()

    def at(several: list[int], percent: int) -> int | None:
        rank = max(1, -(-len(several) * percent // 100))
        return SKETCH_BOUNDS[bucket_of(sorted(several)[rank - 1])] if several else None

    expected = [tuple(at(several, percent) for percent in (50, 99, 100)) for several in values]
    assert [tuple(row) for row in rows] == [*expected, (None, None, None)]


def test_columns_name_the_bound_of_what_percentiles_exceed() -> None:
    # The lowest whole number in a bucket is one more than the bound before it.
    most = max(bound / (before + 1) for before, bound in pairwise(SKETCH_BOUNDS))
    columns = [traffic.TABLE_SCHEMA["response_time_p50_us"], end_to_end_latency.TABLE_SCHEMA["latency_p50_us"]]

    assert 1.020 < most < 1.021
    assert all("at most 2.1 % more than measured" in column.metadata["comment"] for column in columns)


def test_one_schema_has_the_fields_of_all_records_and_none_in_two_types() -> None:
    assert len(traffic.EVENTS.names) == len(set(traffic.EVENTS.names))
    assert {"records", "request_bytes", "partitions", "count"} <= set(traffic.EVENTS.names)
    other = type(PARTITION_TRAFFIC)([field for field in CONNECTION_EVENT if field.name == "opaque"])
    clash = type(PARTITION_TRAFFIC)([type(other[0])("requests", other[0].dataType)])
    with pytest.raises(ValueError, match="requests is bigint and string"):
        union_of([PARTITION_TRAFFIC, clash])


def test_parameters_have_a_week_and_ten_minutes() -> None:
    assert parse_duration(TrafficParameters().retention).days == 7
    assert parse_duration(TrafficParameters().grace).seconds == 600
