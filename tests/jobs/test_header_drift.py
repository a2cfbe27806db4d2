"""HeaderDrift in Spark: the table after any cut is the oracle's; what people are told of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from kwitness.contracts.owners import OwnerList
from kwitness.contracts.resources.analytics_parameters import HeaderDriftParameters
from kwitness.jobs.analyses.header_drift.job import JOB, SINK
from kwitness.jobs.analyses.header_drift.schema import FACTS, TABLE_SCHEMA
from kwitness.jobs.analyses.header_drift.transform import longer, windows
from kwitness.jobs.frame.findings import Findings
from kwitness.jobs.frame.job import JobInput, rows_in
from kwitness.jobs.frame.windows_sink import WindowTables

from tests import soak
from tests.jobs import header_drift_oracle as oracle
from tests.jobs.header_uses import mixed, placed, row
from tests.jobs.observed import START_MS, Value
from tests.jobs.tables import frame_of, read
from tests.jobs.traffic_oracle import day_of
from tests.jobs.window_tables import parts, run

OWNERS = OwnerList.model_validate({"owners": [{"team": "stock", "contact": "#stock", "match": {"clientId": "stock"}}]})
JOB_INPUT = JobInput(HeaderDriftParameters(), 300.0, owners=OWNERS)
BASE_MS, DAY_MS = 300_000, 86_400_000
NOW_MS = START_MS + 3_600_000


def tables(spark: SparkSession, folder: Path) -> WindowTables:
    """The tables of a driver that has just begun."""
    found = WindowTables(spark, JOB, SINK, JOB_INPUT, path=str(folder / "table"), facts_path=str(folder / "facts"))
    found.prepare()
    return found


def rows_of(path: str) -> dict[oracle.Key, oracle.Row]:
    """The table, as the oracle has it."""
    found: dict[oracle.Key, oracle.Row] = {}
    for one in read(path):
        assert one.pop("computed_by") == "HeaderDrift/1"
        assert one.pop("day") == day_of(one["window_start_ms"])
        length = one.pop("window_seconds") * 1000
        assert one.pop("window_end_ms") == one["window_start_ms"] + length
        key = (length, *(one.pop(name) for name in ("window_start_ms", "kind", "key", *oracle.CLIENT)))
        assert key not in found, f"two rows for {key}"
        found[key] = {name: dict(value) if isinstance(value, list) else value for name, value in one.items()}
    return found


def findings(spark: SparkSession, rows: list[dict[str, Any]], **parameters: Any) -> Findings:
    """Of a table with these rows of base windows."""
    assert JOB.findings is not None
    whole = [
        {
            "window_start_ms": (start := one.pop("at", START_MS)),
            "day": day_of(start),
            "window_end_ms": start + BASE_MS,
            "window_seconds": 300,
            "kind": "key",
            "topic": "orders",
            "client_id": "orders",
            "side": "producer",
            "seen_by": "java",
            "headers": 10,
            "unregistered": 0,
            "records_passed": 20,
            "records_looked_at": 20,
            "state": "sealed",
            **one,
        }
        for one in rows
    ]
    table = spark.createDataFrame([tuple(one.get(name) for name in TABLE_SCHEMA.names) for one in whole], TABLE_SCHEMA)
    return JOB.findings(table, JOB_INPUT._replace(parameters=HeaderDriftParameters(**parameters)), NOW_MS)


@pytest.mark.parametrize("seed", soak.seeds(10))
@pytest.mark.soak
def test_any_cut_into_batches_gives_the_table_of_the_oracle(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    records = mixed(seed)
    at = tables(spark, tmp_path)

    bad = set().union(*(run(spark, at, part) for part in parts(records, 2 + seed % 4)))

    rows, expected = oracle.header_drift(records)
    assert bad == expected
    found = rows_of(at.table.path)
    wrong = {key: (found.get(key), one) for key, one in rows.items() if found.get(key) != one}
    assert not wrong, f"{len(wrong)} of {len(rows)}: {next(iter(wrong.items()))}"
    assert found.keys() == rows.keys()
    assert {one["state"] for one in rows.values()} >= {"grace", "open"}
    assert {key[0] for key in rows} == {BASE_MS, oracle.HOUR_MS}
    assert {key[2] for key in rows} == {"topic", "key", "overflow"}


def test_how_many_records_were_looked_at_is_of_the_whole_hour_with_or_without_the_key(spark: SparkSession) -> None:
    # 32 values in each of 9 windows of 5 minutes, and then one without any: more than a row tells apart.
    values: list[Value] = [
        row(
            seq=at,
            at=START_MS + at * BASE_MS,
            records_passed=100,
            records_looked_at=60,
            headers=64,
            values=[{"value": f"{at * 40 + nth:03}", "records": 1 + (at == 0)} for nth in range(32)],
        )
        for at in range(9)
    ] + [row(seq=50, at=START_MS + 10 * BASE_MS, key=None, headers=None, records_passed=1000, records_looked_at=40)]
    decoded = SINK.decode(frame_of(spark, placed(values)), JOB_INPUT).persist()
    told = rows_in(decoded).collect()
    decoded.unpersist()
    based = windows(spark.createDataFrame(told, FACTS), JOB_INPUT).collect()

    rows = spark.createDataFrame(based, StructType([TABLE_SCHEMA[name] for name in based[0].asDict()]))
    hours = [one.asDict() for one in longer(rows, 3600, JOB_INPUT).collect()]

    assert {one["kind"]: (one["records_passed"], one["records_looked_at"]) for one in hours} == {
        "topic": (1900, 580),
        "key": (1900, 580),
    }
    (of_key,) = (one for one in hours if one["kind"] == "key")
    assert len(of_key["values"]) == 256
    assert sum(of_key["values"].values()) + of_key["values_left_out"] == 10 * 32
    assert of_key["values"]["000"] == 2
    assert "351" not in of_key["values"], "of equally frequent ones the first are kept"


def test_each_problem_of_a_key_is_told_once_by_whoever_saw_most(spark: SparkSession) -> None:
    old = START_MS - 8 * DAY_MS
    rows: list[dict[str, Any]] = [
        {"key": "x-new", "unregistered": 10, "principal": "User:b", "k8s_namespace": "shop", "k8s_workload": "api"},
        {"key": "x-new", "unregistered": 10, "topic": "stock", "client_id": "stock"},
        {"key": "x-new", "unregistered": 15, "headers": 15, "seen_by": "observer", "records_looked_at": 7},
        # Registered meanwhile, and seen long ago.
        {"key": "x-known-now", "unregistered": 10},
        {"key": "x-known-now", "at": START_MS + BASE_MS},
        {"key": "x-old", "unregistered": 10, "at": old},
        {"key": "charge.tag", "wrong_type": 2, "too_large": 1, "deprecated": 10},
        {"key": "tenant", "headers": 0, "missing": 4},
        {"kind": "topic", "headers": None, "unregistered": None},
    ]

    found = findings(spark, rows)

    assert found.counts == {
        "UnregisteredKey": 1,
        "WrongType": 1,
        "TooLarge": 1,
        "DeprecatedKey": 1,
        "MissingKey": 1,
        "RegisteredNotSeen": 0,
    }
    told = {one.kind: one for one in found.examples}
    assert len(found.examples) == 5
    assert told["UnregisteredKey"].subject == "x-new"
    assert told["UnregisteredKey"].message == (
        "20 headers with a key that no register has within 168h, since 2026-09-21T23:00Z, the last before "
        "2026-09-21T23:05Z; by stock and 1 more, topics orders, stock; seen by interceptors (java) of producers, who "
        "looked at 40 of 40 records; tell stock (#stock)"
    )
    assert told["MissingKey"].message.startswith("4 records without the key, which is registered as required")
    assert told["WrongType"].subject == told["DeprecatedKey"].subject == "charge.tag"


def test_a_key_that_is_gone_is_told_where_all_was_looked_at_and_not_where_it_was_not(spark: SparkSession) -> None:
    old = START_MS - 8 * DAY_MS
    before: list[dict[str, Any]] = [
        {"key": "sent-before", "at": old},
        {"key": "sent-by-one-who-is-gone", "at": old, "client_id": "gone"},
        {"key": "sent-by-one-who-is-sampled", "at": old, "client_id": "sampled"},
        {"key": "still-sent", "at": old},
        {"key": "never-registered", "at": old, "unregistered": 10},
        {"key": "still-sent"},
    ]
    topics: list[dict[str, Any]] = [
        {"kind": "topic", "headers": None, "unregistered": None},
        {"kind": "topic", "headers": None, "unregistered": None, "client_id": "sampled", "records_looked_at": 19},
    ]

    found = findings(spark, before + topics)

    assert found.counts["RegisteredNotSeen"] == 1
    assert [(one.kind, one.subject) for one in found.examples] == [("RegisteredNotSeen", "sent-before")]
    hidden = findings(spark, [*before, *topics, {"kind": "overflow", "topic": None}])
    assert hidden.counts["RegisteredNotSeen"] == 0


def test_findings_are_few_and_short_and_counts_are_all(spark: SparkSession) -> None:
    rows: list[dict[str, Any]] = [
        {"key": f"{at:02}" + "x" * 126, "unregistered": 2**53, "client_id": "y" * 512, "topic": "t" * 249}
        for at in range(30)
    ]

    found = findings(spark, rows)

    assert found.counts["UnregisteredKey"] == 30
    assert len(found.examples) == 20
    assert all(len(one.subject) <= 512 and len(one.message) <= 1024 for one in found.examples)
