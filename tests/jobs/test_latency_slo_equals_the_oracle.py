"""LatencySlo against an oracle in plain Python, whatever the cut into batches; and what its table makes it find."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kwitness.contracts.owners import OwnerList
from kwitness.contracts.resources.analytics_parameters import LatencySloParameters
from kwitness.jobs.analyses.latency_slo.job import JOB
from kwitness.jobs.analyses.latency_slo.schema import GROUP, TABLE_SCHEMA
from kwitness.jobs.frame.job import JobInput

from tests import soak
from tests.jobs import answered, latency_slo_oracle, observed
from tests.jobs.tables import read
from tests.jobs.window_tables import parts, run
from tests.jobs.windowed import tables

PARAMETERS = LatencySloParameters.model_validate(
    {
        "objectives": [
            {"name": "all", "threshold": "2ms", "target": "99"},
            {
                "name": "fetches",
                "match": {"api": "Fetch", "principal": "User:*"},
                "groupBy": ["principal", "client_id", "k8s_workload"],
                "threshold": "50ms",
                "target": "99.9",
                "errorsAreBad": True,
            },
            {
                "name": "orders",
                "match": {"topic": "orders*", "namespace": "shop"},
                "groupBy": ["Api", "Topic", "principal"],
                "threshold": "50ms",
                "target": "50",
                "errorsAreBad": True,
            },
            {"name": "stock", "match": {"topic": "stock"}, "threshold": "400ms", "target": "99.999999"},
            {"name": "never", "match": {"api": "Vote"}, "threshold": "1s", "target": "90"},
        ]
    }
)
OBJECTIVES = {one.name: one for one in PARAMETERS.objectives}
HOUR_MS = 3_600_000


@pytest.mark.parametrize("seed", soak.seeds(10))
@pytest.mark.soak
def test_any_cut_into_batches_gives_the_table_of_the_oracle(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    records = [*observed.mixed(seed), *answered.mixed(seed)]
    random.Random(seed).shuffle(records)  # noqa: S311
    at = tables(spark, tmp_path, JOB, PARAMETERS)

    bad = set().union(*(run(spark, at, part) for part in _cut(records, 2 + seed % 3)))

    rows, expected = latency_slo_oracle.latency_slo(records, PARAMETERS.objectives)
    assert bad == expected
    assert _rows_of(at.table.path) == rows
    assert {key[2] for key in rows} == set(OBJECTIVES) - {"never"}
    assert {key[0] for key in rows} == {300_000, HOUR_MS, 24 * HOUR_MS}
    assert {row["state"] for row in rows.values()} >= {"grace", "sealed"}


def test_both_spans_of_a_pair_must_burn_and_an_objective_without_answers_is_told(
    spark: SparkSession,
) -> None:
    now_ms = 1_790_000_000_000 - 1_790_000_000_000 % HOUR_MS + 90_000
    end = now_ms - 90_000
    rows = [
        # Bad for an hour and now: both pairs; what was before lies in rows of hours.
        *(_row(end - 300_000 * back, 300, 1000, 60) for back in range(1, 13)),
        *(_row(end - HOUR_MS * back, 3600, 9000, 100) for back in range(2, 73)),
        # Bad within the hour and not now.
        _row(end - 300_000, 300, 1000, 0, principal="User:b"),
        *(_row(end - 300_000 * back, 300, 1000, 90, principal="User:b") for back in range(2, 13)),
        # Of another threshold, and of the window that has not ended: they are not judged.
        _row(end - 300_000, 300, 1000, 1000, principal="User:c", threshold_us=7),
        _row(end, 300, 1000, 1000, principal="User:c"),
        # Nobody knows who that is.
        *(_row(end - 300_000 * back, 300, 500, 500, principal=None) for back in range(1, 13)),
    ]
    table = spark.createDataFrame([tuple(row[name] for name in TABLE_SCHEMA.names) for row in rows], TABLE_SCHEMA)
    parameters = LatencySloParameters.model_validate(
        {
            "objectives": [
                {"name": "slow", "groupBy": ["principal"], "threshold": "50ms", "target": "99.9"},
                {"name": "silent", "match": {"topic": "orders"}, "threshold": "50ms", "target": "99.9"},
            ]
        }
    )

    assert JOB.findings is not None
    owners = OwnerList.model_validate({"owners": [{"team": "orders", "match": {"principal": "User:a"}}]})
    found = JOB.findings(table, JobInput(parameters, 300.0, owners=owners), now_ms)

    assert found.counts == {"BurnsFast": 2, "BurnsSlow": 3, "NoRequests": 1}
    assert [(one.kind, one.subject) for one in found.examples] == [
        ("BurnsFast", "slow: principal not known"),
        ("BurnsFast", "slow: principal User:a"),
        ("BurnsSlow", "slow: principal not known"),
        ("BurnsSlow", "slow: principal User:b"),
        ("BurnsSlow", "slow: principal User:a"),
        ("NoRequests", "silent"),
    ]
    fast, slow, silent = (found.examples[at].message for at in (1, 4, 5))
    assert fast.startswith(
        "720 of 12000 answers of the last hour took longer than 50 ms, 60 of 1000 of the last 5 minutes (traffic); "
        "the budget of 99.9 % goes 60.0 and 60.0 times as fast as it may"
    )
    assert [message.endswith("; tell orders") for message in (fast, slow, silent)] == [True, True, False]
    assert "; tell " not in found.examples[0].message
    assert slow.startswith("7820 of 651000 answers of the last 72 hours took longer than 50 ms, ")
    assert "an ObserverDeployment with {type: Requests} in spec.observers" in silent


def _row(start: int, seconds: int, answers: int, bad: int, **changes: Any) -> dict[str, Any]:
    whole = dict.fromkeys(TABLE_SCHEMA.names) | {
        "day": datetime.fromtimestamp(start / 1000, UTC).date(),
        "window_seconds": seconds,
        "window_start_ms": start,
        "window_end_ms": start + seconds * 1000,
        "objective": "slow",
        "evidence": "traffic",
        "threshold_us": 50_000,
        "errors_are_bad": False,
        "grouped_by": "principal",
        "principal": "User:a",
        "answers": answers,
        "bad": bad,
    }
    return whole | changes


def _cut(records: list[Any], count: int) -> list[list[Any]]:
    """Batches, as a stream has them: of each partition its records in their order."""
    places = sorted({(one.topic, one.partition) for one in records})
    cut: list[list[Any]] = [[] for _ in range(count)]
    for place in places:
        own = sorted((one for one in records if (one.topic, one.partition) == place), key=lambda one: one.offset)
        for at, part in enumerate(parts(own, count)):
            cut[at] += part
    return [one for one in cut if one]


def _rows_of(path: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The table, as the oracle has it."""
    found = {}
    for row in read(path):
        objective = OBJECTIVES[row["objective"]]
        audited = row["objective"] in {"orders", "stock"}
        assert row["computed_by"] == "LatencySlo/1"
        assert row["evidence"] == ("requests" if audited else "traffic")
        grouped_by = latency_slo_oracle.grouped_by(objective)
        assert row["grouped_by"] == ",".join(grouped_by)
        assert all(row[name] is None for name in GROUP if name not in grouped_by)
        assert abs(row["counted_threshold_us"] - row["threshold_us"]) <= (0 if audited else row["threshold_us"] / 100)
        assert row["burn_rate"] == pytest.approx(float(latency_slo_oracle.rate(row, objective)))
        group = tuple(row[name] for name in grouped_by)
        key = (row["window_seconds"] * 1000, row["window_start_ms"], objective.name, group)
        assert key not in found, f"two rows for {key}"
        found[key] = {name: row[name] for name in (*latency_slo_oracle.SUMS, "sources", "state")}
    return found
