"""EndToEndLatency against an oracle in plain Python, for any cut into batches; and what its table makes it find."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kwitness.contracts.owners import OwnerList
from kwitness.contracts.records.sketch import bucket_of
from kwitness.contracts.resources.analytics_parameters import EndToEndLatencyParameters
from kwitness.jobs.analyses.end_to_end_latency.job import JOB
from kwitness.jobs.analyses.end_to_end_latency.schema import TABLE_SCHEMA
from kwitness.jobs.frame.job import JobInput

from tests import soak
from tests.jobs import end_to_end_latency_oracle, intercepted, observed
from tests.jobs.tables import read, without_owners
from tests.jobs.window_tables import parts, run
from tests.jobs.windowed import tables

HOUR_MS = 3_600_000


@pytest.mark.parametrize("seed", soak.seeds(10))
@pytest.mark.soak
def test_any_cut_into_batches_gives_the_table_of_the_oracle(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    records = intercepted.mixed(seed)
    at = tables(spark, tmp_path, JOB, EndToEndLatencyParameters())

    bad = set().union(*(run(spark, at, part) for part in parts(records, 2 + seed % 3)))

    rows, expected = end_to_end_latency_oracle.end_to_end_latency(records)
    assert bad == expected
    assert len(bad) > 5
    assert _rows_of(at.table.path) == rows
    assert {row["state"] for row in rows.values()} == {"sealed", "grace", "open"}
    assert {key[0] for key in rows} == {300_000, HOUR_MS, 24 * HOUR_MS}


def test_consumers_have_a_row_for_each_set_of_the_attributes_that_a_job_names(
    spark: SparkSession, tmp_path: Path
) -> None:
    sets: list[dict[str, Any] | None] = [
        {"team": "shop", "tier": "gold", "other": "x"},
        {"tier": "gold", "team": "shop"},
        {"team": "s" * 64},
        {"team": "", "other": "y"},
        None,
    ]
    values = [intercepted.row(seq=seq, attributes=attributes) for seq, attributes in enumerate(sets)]
    hours_later = intercepted.row(at=observed.START_MS + 3 * HOUR_MS, seq=90, attributes={"team": "shop"})
    records = [record._replace(topic=intercepted.INTERCEPTIONS) for record in observed.placed([*values, hours_later])]

    run(spark, tables(spark, tmp_path, JOB, EndToEndLatencyParameters(attributes=("team", "tier"))), records)

    found = read(str(tmp_path / "table"))
    early = [row for row in found if row["window_start_ms"] < observed.START_MS + HOUR_MS]
    expected = {
        (("team", "shop"), ("tier", "gold")): 2,
        (("team", "s" * 63),): 1,
        None: 2,
    }
    for seconds in (300, 3600):
        counts = {
            row["attributes"] and tuple(row["attributes"]): row["consumed"]
            for row in early
            if row["window_seconds"] == seconds
        }
        assert counts == expected


def test_clocks_that_differ_and_slow_deliveries_are_found_in_the_last_hour_alone(spark: SparkSession) -> None:
    now_ms = 1_790_000_000_000 - 1_790_000_000_000 % HOUR_MS + 90_000
    end = now_ms - 90_000
    rows = [
        *(_row(end - 300_000 * back, {bucket_of(400_000): 99, bucket_of(900_000): 1}, negative=1) for back in (1, 12)),
        *(_row(end - 300_000 * back, {bucket_of(900_000): 100}, negative=9, topic="before") for back in (13, 0)),
        _row(end - 300_000, {bucket_of(900_000): 2, bucket_of(10): 98}, topic="late", group_id=None, client_id=None),
        _row(end - 300_000, {}, negative=3, topic=None, principal="User:a", k8s_namespace="shop"),
    ]
    table = spark.createDataFrame([tuple(row[name] for name in TABLE_SCHEMA.names) for row in rows], TABLE_SCHEMA)

    assert JOB.findings is not None
    owners = OwnerList.model_validate({"owners": [{"team": "billing", "match": {"group": "bill*"}}]})
    given = JobInput(EndToEndLatencyParameters(), 300.0, owners=owners)
    plain = JOB.findings(table, given, now_ms)
    told = JOB.findings(table, given._replace(parameters=EndToEndLatencyParameters(warn_above="500ms")), now_ms)

    assert plain.counts == {"ClockSkew": 1}
    assert told.counts == {"ClockSkew": 1, "SlowDelivery": 1}
    assert plain.examples == told.examples[:1]
    skew, slow = told.examples
    assert skew.subject == "topics without rows of their own: group billing, client billing, principal User:a, shop"
    assert skew.message.startswith("3 of 3 records of the last 1h were handed over before their own timestamp")
    assert skew.message.endswith("; tell billing")
    assert slow.subject == "late: consumer not known"
    assert "; tell " not in slow.message
    assert slow.message.startswith("2 of 100 records of the last 1h took longer than 500ms")


def _row(start: int, latency: dict[int, int], negative: int = 0, **changes: Any) -> dict[str, Any]:
    whole = dict.fromkeys(TABLE_SCHEMA.names) | {
        "day": datetime.fromtimestamp(start / 1000, UTC).date(),
        "window_seconds": 300,
        "window_start_ms": start,
        "window_end_ms": start + 300_000,
        "topic": "orders",
        "group_id": "billing",
        "client_id": "billing",
        "negative": negative,
        "latency": latency,
        "measured": sum(latency.values()),
    }
    return whole | changes


def _rows_of(path: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The table, as the oracle has it."""
    found = {}
    for row in map(without_owners, read(path)):
        assert row.pop("computed_by") == "EndToEndLatency/1"
        assert row.pop("attributes") is None
        row.pop("day")
        length = row.pop("window_seconds") * 1000
        assert row.pop("window_end_ms") == row["window_start_ms"] + length
        who = (row.pop(name) for name in end_to_end_latency_oracle.WHO)
        key = (length, row.pop("window_start_ms"), *who)
        assert key not in found, f"two rows for {key}"
        found[key] = row | {"latency": dict(row["latency"])}
    return found
