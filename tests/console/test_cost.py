"""Checks the page of costs, on a table with the job's columns."""

from __future__ import annotations

import functools
import io
import json
import shlex
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.answers.access.local_route import LocalRoute
from kwitness.cli.__main__ import main
from kwitness.console import process
from kwitness.console.pages.job_examples import COST_JOB
from kwitness.console.pages.money import money
from kwitness.console.readers import Reader
from kwitness.console.sources.tables import TableSources
from kwitness.contracts.resources.analytics_job import AnalyticsJob

from tests.collector.collector_process import CollectorProcess
from tests.console.open_console import OpenConsole, cells, figure, in_thread, lines, session_of
from tests.console.table_samples import HOSTILE, read_here, write_table

UNKNOWN = "\N{EN DASH}"


def month(name: str, state: str, owner: str | None, cost: int, **fields: Any) -> dict[str, Any]:
    """Return a row of a month, all of whose cost is of bytes that were sent."""
    return {
        "month": name,
        "month_end_ms": 1_790_000_000_000,
        "state": state,
        "grouped_by": "Team,Topic",
        "owner": owner,
        "owner_contact": owner and f"#{owner}",
        "currency": "EUR",
        "attribution": "attributed",
        "bytes_in_cost": Decimal(cost),
        "cost": Decimal(cost),
        "unowned_cost": Decimal(0 if owner else cost),
        "missing_rates": ["storedPerGiBMonth"],
        **fields,
    }


ROWS = [
    month("2026-09", "closed", "orders", 3_000_000, topic="orders"),
    month("2026-10", "open", "orders", 1_500_000, topic="orders"),
    month("2026-10", "open", "orders", 250_000, topic="stock", k8s_namespace="shop"),
    month("2026-10", "open", None, 10**15, topic="audit"),
    month("2026-10", "open", HOSTILE, 1, topic="odd"),
]


@pytest.fixture
async def costs(fleet: CollectorProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenConsole]:
    """A console that has read a table of two months."""
    write_table(tmp_path, "CostAttribution", ROWS, name="cost")
    monkeypatch.setattr(process, "TableSources", functools.partial(TableSources, read=read_here))
    async with OpenConsole.over(LocalRoute(session_of(fleet)), tables=tmp_path) as console:
        await console.enter()
        await console.read("tables")
        yield console


async def test_teams_cost_what_the_table_has_and_what_has_no_owner_is_a_number(costs: OpenConsole) -> None:
    page = await costs.get("/cost")

    total = "1\u202f000\u202f000\u202f001.75"
    assert (figure(page, "cost"), figure(page, "unowned")) == (total, "1\u202f000\u202f000\u202f000.00")
    assert [row[:3] for row in cells(page)] == [
        ["no owner", "1 000 000 000.00", UNKNOWN],
        ["orders #orders", "1.75", "3.00"],
        [cells(page)[2][0], "< 0.01", UNKNOWN],
    ]
    assert "<script>alert" not in page
    assert "Add storedPerGiBMonth to its ConfigMap" in page
    assert "<svg" in page
    months = cells(page.partition('id="trend"')[2])
    assert [(row[0], row[3]) for row in months] == [("2026-10", "open"), ("2026-09", "closed")]
    of_month, of_all = [
        await in_thread(_answer, [*shlex.split(line)[1:], "--output", "json"])
        for line in lines(page)
        if line.startswith("kwitness ")
    ]
    assert {row["owner"]: row["cost"] for row in of_month}["orders"] == pytest.approx(1.75)
    assert [row["month"] for row in of_all] == ["2026-10", "2026-09"]


def _answer(words: list[str]) -> list[dict[str, Any]]:
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", out)
        assert main(words) == 0, words
    answered: list[dict[str, Any]] = json.loads(out.getvalue())["items"]
    return answered


async def test_month_and_owner_are_in_the_address(costs: OpenConsole) -> None:
    page = await costs.get("/cost?month=2026-09")

    assert figure(page, "cost") == "3.00"
    assert ", final" in page
    assert [row[0] for row in cells(await costs.get("/cost?owner=ord*"))] == ["orders #orders"]
    assert "No owner fits" in await costs.get("/cost?owner=none")


async def test_readers_of_a_namespace_have_its_costs_alone(costs: OpenConsole) -> None:
    costs.door.reader = Reader("of shop", frozenset({"shop"}))

    page = await costs.get("/cost")

    assert figure(page, "cost") == "0.25"
    assert "audit" not in page


async def test_without_a_table_the_page_has_a_rate_card_and_jobs_to_copy(shared: OpenConsole) -> None:

    assert "No table of CostAttribution was found" in await shared.get("/cost")
    card, *jobs = yaml.safe_load_all(COST_JOB)
    assert yaml.safe_load(card["data"]["rate-card.yaml"])["currency"] == "EUR"
    assert [AnalyticsJob.model_validate(job).spec.analysis.type for job in jobs] == ["Traffic", "CostAttribution"]


def test_money_is_exact_to_the_cent() -> None:
    assert [money(value) for value in (None, 0, 1, 10_000, 10**18 + 1)] == [
        "\N{EN DASH}",
        "0.00",
        "< 0.01",
        "0.01",
        "1\u202f000\u202f000\u202f000\u202f000.00",
    ]
