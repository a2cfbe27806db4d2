"""What a bill has somebody look at, and which days of an input changed."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

from kwitness.contracts.owners import OwnerList
from kwitness.contracts.rate_card import RateCard
from kwitness.contracts.resources.analytics_parameters import CostAttributionParameters
from kwitness.jobs.analyses.cost_attribution.findings import judged
from kwitness.jobs.frame.delta_changes import days_of
from kwitness.jobs.frame.job import JobInput

HOUR = 3_600_000
START = 1_790_000_000_000
FULL = RateCard(currency="EUR", bytes_in_per_gib=1, bytes_out_per_gib=1, requests_per_million=0, stored_per_gib_month=1)
OWNERS = OwnerList.model_validate({"owners": [{"team": "orders", "match": {"topic": "orders*"}}]})


def given(card: RateCard | None = FULL, owners: OwnerList | None = OWNERS) -> JobInput:
    parameters = {"traffic_job_ref": {"name": "traffic"}, "rate_card_config_map_ref": {"name": "kwitness-rates"}}
    return JobInput(CostAttributionParameters.model_validate(parameters), 300.0, owners=owners, rate_card=card)


def month(name: str = "2026-09", **changes: Any) -> dict[str, Any]:
    return {
        "month": name,
        "start_ms": START,
        "end_ms": START + 720 * HOUR,
        "known_ms": 100 * HOUR,
        "gap_ms": 0,
        "cost": Decimal(1000),
        "unowned_cost": Decimal(50),
        "bytes_in": Decimal(2**70),
        "bytes_out": Decimal(1),
        "requests": Decimal(7),
        "stored_byte_hours": Decimal(0),
        **changes,
    }


def kinds(
    *months: dict[str, Any], job_input: JobInput | None = None, now_ms: int = START + 99 * HOUR
) -> dict[str, int]:
    found = judged(months, job_input or given(), now_ms)
    assert len(found.examples) == sum(found.counts.values())
    return dict(found.counts)


def test_a_full_bill_and_none_at_all_are_nothing_to_look_at() -> None:
    assert kinds(month()) == kinds() == {"RateMissing": 0, "Unowned": 0, "StorageUnknown": 0}


def test_a_rate_that_is_missing_is_told_where_something_was_used_and_0_is_a_rate() -> None:
    holes = given(RateCard(currency="EUR", bytes_in_per_gib=1, bytes_out_per_gib=1))

    found = judged([month(), month("2026-08")], holes, START)

    assert [(one.kind, one.subject) for one in found.examples] == [("RateMissing", "requestsPerMillion")]
    assert "14 requests cost nothing" in found.examples[0].message
    assert kinds(month(), job_input=given(None))["RateMissing"] == 3


def test_more_than_a_twentieth_of_the_cost_without_an_owner_is_told_in_tenths_of_a_percent() -> None:
    assert kinds(month(unowned_cost=Decimal(50)))["Unowned"] == 0

    (found,) = judged([month(unowned_cost=Decimal(123))], given(), START).examples

    assert (found.kind, found.subject) == ("Unowned", "2026-09")
    assert found.message.startswith("12.3 % of what the month costs (123 of 1000 micro-units)")


def test_without_owners_nothing_is_unowned_and_a_month_that_costs_nothing_neither() -> None:
    assert kinds(month(unowned_cost=None), job_input=given(owners=None))["Unowned"] == 0
    assert kinds(month(cost=Decimal(0), unowned_cost=Decimal(0)))["Unowned"] == 0


def test_gaps_are_told_of_each_month_and_no_samples_at_all_of_the_latest_after_a_day() -> None:
    assert kinds(month(), month("2026-08", gap_ms=30 * HOUR))["StorageUnknown"] == 1
    assert kinds(month(known_ms=0))["StorageUnknown"] == 1
    assert kinds(month(), month("2026-08", known_ms=0))["StorageUnknown"] == 0
    assert kinds(month(known_ms=0), now_ms=START + 25 * HOUR)["StorageUnknown"] == 0

    (found,) = judged([month(gap_ms=90 * HOUR // 4)], given(), START).examples
    assert "22.5 h of the month" in found.message
    assert "Describe on the cluster" in found.message


def action(kind: str, day: str | None, **changes: Any) -> str:
    values = {} if day is None else {"day": day, "window_seconds": "300"}
    return json.dumps({kind: {"path": "x", "partitionValues": values, "dataChange": True, **changes}})


def test_days_of_a_version_are_those_of_files_whose_rows_changed() -> None:
    lines = [
        json.dumps({"commitInfo": {"operation": "WRITE"}}),
        action("add", "2027-01-01"),
        action("add", "2027-01-01"),
        action("remove", "2027-01-02"),
        action("add", "2027-01-03", dataChange=False),
        action("remove", "2027-01-04", dataChange=False),
        "",
    ]

    assert days_of(lines) == {date(2027, 1, 1), date(2027, 1, 2)}
    assert days_of([]) == set()


def test_days_that_expired_are_no_days_that_changed() -> None:
    note = json.dumps({"positions": {"t": {"0": 7}}, "expired": True})

    assert days_of([action("remove", "2027-01-02"), json.dumps({"commitInfo": {"userMetadata": note}})]) == set()


def test_a_version_that_does_not_say_which_days_it_changed_may_have_changed_all() -> None:
    assert days_of([action("add", "2027-01-01"), action("add", None)]) is None
    assert days_of([json.dumps({"remove": {"path": "x", "dataChange": True}})]) is None
    assert days_of([action("remove", None, dataChange=False)]) == set()
