"""CostAttribution against an oracle in plain Python: however its inputs grow, and wherever a driver is killed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from kwitness.contracts.owners import OwnerList
from kwitness.contracts.rate_card import RateCard
from kwitness.contracts.resources.analytics_parameters import CostAttributionParameters
from kwitness.jobs.analyses.cost_attribution.job import JOB, SINK
from kwitness.jobs.frame.costs import UNOWNED, Costs
from kwitness.jobs.frame.delta_table import JobTable
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.table_sink import PeriodTables

from tests import soak
from tests.jobs import cost_inputs, cost_oracle
from tests.jobs.tables import read

OWNERS = OwnerList.model_validate(
    {
        "owners": [
            # In the middle of a window, of an hour and of all months.
            {"team": "retries", "validFrom": "2027-03-31T18:42:00Z", "match": {"topic": "orders.retry"}},
            {"team": "auditors", "validFrom": "2027-03-20T00:00:00+01:00", "match": {"topic": "audit"}},
            {"team": "billing", "contact": "billing@example.com", "match": {"principal": "User:billing"}},
            {"team": "orders", "match": {"topic": "orders*"}},
            {"team": "orders", "contact": "#orders", "match": {"clientId": "orders-*", "namespace": "shop"}},
        ]
    }
)
CARD = RateCard(
    currency="EUR",
    bytes_in_per_gib=12_345,
    bytes_out_per_gib=9_876,
    requests_per_million=777_777,
    stored_per_gib_month=2,
)
HOLES = RateCard(currency="EUR", bytes_in_per_gib=10**15)
SETTINGS = (
    cost_oracle.Settings(("Team", "Topic", "Header"), "Asia/Kolkata", "charge.tag", OWNERS, CARD),
    cost_oracle.Settings(("principal", "Topic"), "Etc/UTC", None, None, HOLES),
    cost_oracle.Settings(("Team",), "Europe/Berlin", None, OWNERS, CARD),
    cost_oracle.Settings(("k8s_namespace", "client_id", "k8s_workload"), "America/St_Johns", None, OWNERS, HOLES),
    cost_oracle.Settings(("principal", "Header"), "Australia/Lord_Howe", "charge.tag", None, CARD),
)


class KilledError(Exception):
    """Stands for a driver that ends at this moment."""


def tables(spark: SparkSession, folder: Path, settings: cost_oracle.Settings) -> PeriodTables:
    """The tables of a driver that has just begun."""
    parameters: dict[str, Any] = {
        "traffic_job_ref": {"name": "traffic"},
        "rate_card_config_map_ref": {"name": "kwitness-rates"},
        "group_by": settings.group_by,
        "time_zone": settings.zone,
        "header": settings.header,
    }
    job_input = JobInput(
        CostAttributionParameters.model_validate(parameters),
        300.0,
        owners=settings.owners,
        rate_card=settings.card,
        tables={"Traffic": (folder / "traffic").as_uri(), "HeaderDrift": (folder / "headers").as_uri()},
    )
    found = PeriodTables(spark, JOB, SINK, job_input, path=str(folder / "table"), samples_path=str(folder / "samples"))
    found.prepare()
    return found


def rows_of(at: PeriodTables) -> list[dict[str, Any]]:
    """The table, as the oracle has it."""
    found = []
    for row in read(at.table.path):
        assert row.pop("computed_by") == "CostAttribution/1"
        found.append({name: int(one) if hasattr(one, "as_tuple") else one for name, one in row.items()})
    return sorted(found, key=_order)


def oracle(traffic: list[Any], samples: list[Any], settings: cost_oracle.Settings, headers: Any = ()) -> list[Any]:
    flat = [(at, topic, size) for at, stored in samples for topic, size in stored.items()]
    return sorted(cost_oracle.bill(traffic, flat, settings, headers), key=_order)


def _order(row: dict[str, Any]) -> Any:
    names = ("month", *cost_oracle.COLUMNS.values(), "attribution")
    return cost_oracle.nulls_last(row[name] for name in names)


def version(at: PeriodTables) -> int:
    return DeltaTable(at.table.path).version()


@pytest.mark.parametrize("seed", soak.seeds(10))
@pytest.mark.soak
def test_however_inputs_grow_the_table_is_that_of_the_oracle_and_its_sums_are_those_of_traffic(
    spark: SparkSession, tmp_path: Path, seed: int
) -> None:
    settings, others = SETTINGS[seed % len(SETTINGS)], SETTINGS[(seed + 2) % len(SETTINGS)]
    traffic, headers = cost_inputs.traffic_rows(seed), cost_inputs.header_rows(seed)
    samples = cost_inputs.sample_times(seed)
    late, early = traffic[:40], traffic[40:]
    cost_inputs.add_traffic(tmp_path, [*early, *cost_inputs.longer(early)])
    cost_inputs.add_headers(tmp_path, headers)
    cost_inputs.add_samples(tmp_path, samples[:-2])
    at = tables(spark, tmp_path, others)
    at.update()
    # Late rows change windows of long ago; samples come one by one, and one of them twice.
    cost_inputs.add_traffic(tmp_path, late)
    for sampled_ms, stored in (*samples[-2:], samples[-1]):
        at.samples.add(sampled_ms, stored)
    # Other groups, too, have all of it computed again.
    at = tables(spark, tmp_path, settings)
    at.update()

    rows = rows_of(at)
    assert rows == oracle(traffic, samples, settings, headers)
    columns = ["kind", "api", "bytes", "requests", "window_seconds"]
    written = DeltaTable(str(tmp_path / "traffic")).to_pyarrow_dataset().to_table(columns).to_pylist()
    base = [row for row in written if row["window_seconds"] == 300]
    sums = {name: sum(row[name] for row in rows) for name in cost_oracle.USAGES}
    moved = [row for row in base if row["kind"] == "partition"]
    assert sums["bytes_in"] == sum(row["bytes"] or 0 for row in moved if row["api"] == "Produce") > 2**63
    assert sums["bytes_out"] == sum(row["bytes"] or 0 for row in moved if row["api"] != "Produce") > 0
    assert sums["requests"] == sum(row["requests"] for row in base if row["kind"] == "api") > 0
    assert {row["month"] for row in rows} >= {"2027-03"}


@pytest.mark.soak
def test_a_driver_that_is_killed_between_any_two_steps_leaves_the_same_table(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = SETTINGS[2]
    traffic = cost_inputs.traffic_rows(1, windows=4)
    samples = cost_inputs.sample_times(1)[-4:]
    cost_inputs.add_traffic(tmp_path, traffic)

    for step in ("append", "replace"):
        at = tables(spark, tmp_path, settings)
        with monkeypatch.context() as patched:
            _dies_before(patched, step)
            with pytest.raises(KilledError):
                _run(at, samples)
    # After the commit, and before anybody was told.
    _run(tables(spark, tmp_path, settings), samples)
    again = tables(spark, tmp_path, settings)
    before = version(again)

    assert _run(again, samples) == ()
    assert version(again) == before
    assert rows_of(again) == oracle(traffic, samples, settings)


def test_the_last_day_that_is_over_and_the_month_cost_each_owner_what_the_oracle_finds(
    spark: SparkSession, tmp_path: Path
) -> None:
    settings = SETTINGS[2]
    # A month and days of Berlin: four windows of the evening of 31 March, one of weeks before, and one of the next day.
    traffic = cost_inputs.traffic_rows(2, windows=4)
    next_day = cost_inputs.traffic_row(
        cost_inputs.TURN + cost_inputs.DAY, "api", "Metadata", cost_inputs.CLIENTS[0], requests=5_000_000
    )
    cost_inputs.add_traffic(tmp_path, [*traffic, next_day])
    at = tables(spark, tmp_path, settings)
    at.update()

    found = at.costs()

    assert found is not None
    assert (found.currency, found.month, found.day) == ("EUR", "2027-04", "2027-03-31")
    assert found.day_end_ms == int(datetime(2027, 3, 31, 22, tzinfo=UTC).timestamp()) * 1000
    of_day = [row for row in traffic if row["window_start_ms"] > cost_inputs.TURN - cost_inputs.HOUR]
    assert {cost.owner: cost.day_micro_units for cost in found.owners} == _owned(oracle(of_day, [], settings), found)
    assert {cost.owner: cost.month_micro_units for cost in found.owners} == _owned(
        oracle([next_day], [], settings), found
    )
    assert {"orders", "billing", UNOWNED} <= {cost.owner for cost in found.owners}


def _owned(rows: list[Any], found: Costs) -> dict[str, int]:
    """Costs of owners that are reported, by the oracle's rows."""
    sums = dict.fromkeys((cost.owner for cost in found.owners), 0)
    for row in rows:
        sums[row["owner"] or UNOWNED] += row["cost"]
    return sums


def test_only_months_that_changed_are_written_and_nothing_where_nothing_did(
    spark: SparkSession, tmp_path: Path
) -> None:
    settings = SETTINGS[1]
    traffic = cost_inputs.traffic_rows(2, windows=4)
    cost_inputs.add_traffic(tmp_path, traffic[:50])
    cost_inputs.add_traffic(tmp_path, traffic[50:])
    at = tables(spark, tmp_path, settings)
    assert at.update() == ("2027-03",)
    # In UTC all of it is before April; then April comes.
    new = [
        cost_inputs.traffic_row(
            cost_inputs.TURN + cost_inputs.DAY, "api", "Metadata", cost_inputs.CLIENTS[0], requests=5
        )
    ]
    cost_inputs.add_traffic(tmp_path, new)
    assert at.update() == ("2027-03", "2027-04"), "March is over now"
    assert rows_of(at) == oracle([*traffic, *new], [], settings)
    assert {row["month"]: row["state"] for row in rows_of(at)} == {"2027-03": "closed", "2027-04": "open"}

    cost_inputs.compact_traffic(tmp_path)
    before = version(at)
    assert at.update() == ()
    assert version(at) == before

    cost_inputs.remove_traffic(tmp_path, f"window_start_ms > {cost_inputs.TURN + cost_inputs.DAY - 1}")
    assert at.update() == ("2027-04",)
    assert rows_of(at) == [{**row, "state": "closed"} for row in oracle(traffic, [], settings)], (
        "what is gone there is gone here"
    )


def _run(at: PeriodTables, samples: list[Any]) -> tuple[str, ...]:
    for sampled_ms, stored in samples:
        at.samples.add(sampled_ms, stored)
    return at.update()


def _dies_before(monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def die(*_: Any) -> None:
        raise KilledError

    monkeypatch.setattr(JobTable, step, die)
