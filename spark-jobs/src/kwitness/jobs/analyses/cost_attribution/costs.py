"""Costs of the month so far and of the last day that is over, by owner, for the driver's status."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.analyses.cost_attribution.months import day_span, month_at, span_of
from kwitness.jobs.analyses.cost_attribution.transform import Periods, computed, windows_of, zone_of
from kwitness.jobs.frame.costs import OTHER, Amount, Costs, owner_costs
from kwitness.jobs.frame.job import JobInput, TableInputs

#: Days before the latest one that are looked through for one that is over: late records may keep some open.
_DAYS = 3


def costs(inputs: TableInputs, table: DataFrame, job_input: JobInput) -> Costs | None:
    """Costs as of the present table; None where it has no rows, or there is no rate card.

    Parameters
    ----------
    table
        The job's own, which has the months. Days are computed from `inputs`.
    """
    if job_input.rate_card is None or (latest := table.agg(F.max("month")).collect()[0][0]) is None:
        return None
    by_month = _by_owner(table.where(F.col("month") == latest))
    days = _closed_day(inputs, job_input)
    by_day: Mapping[str | None, int] = {}
    if days is not None:
        by_team = job_input.parameters.model_copy(update={"group_by": ("Team",)})
        by_day = _by_owner(computed(inputs, days, job_input._replace(parameters=by_team)).rows)
        if "Team" not in job_input.parameters.group_by:
            by_day = _without_teams(by_day)
    owners = by_month.keys() | by_day.keys()
    amounts = {owner: Amount(by_month.get(owner, 0), by_day.get(owner, 0)) for owner in owners}
    ((day, span),) = days.spans.items() if days is not None else ((None, None),)
    return Costs(
        currency=job_input.rate_card.currency,
        month=latest,
        day=day,
        day_end_ms=None if span is None else span.end,
        owners=owner_costs(amounts, has_day=day is not None),
    )


def days_before(latest: date, zone: ZoneInfo) -> Periods:
    """The days of a time zone that begin at most `_DAYS` before a day, and the one after it."""
    spans = {}
    for number in range(-_DAYS, 2):
        day = latest + timedelta(days=number)
        spans[day.isoformat()] = day_span(day, zone)
    lengths = {}
    for name, span in spans.items():
        month = span_of(month_at(span.start, zone), zone)
        lengths[name] = month.end - month.start
    return Periods(spans, lengths)


def _closed_day(inputs: TableInputs, job_input: JobInput) -> Periods | None:
    """The last day that is over, of which no window is open."""
    table = inputs.tables["Traffic"]
    latest = table.agg(F.max("day")).collect()[0][0]
    if latest is None:
        return None
    days = days_before(latest, zone_of(job_input))
    over = sorted(days.spans.keys() - windows_of(table, days).open)
    if not over:
        return None
    name = over[-1]
    return Periods({name: days.spans[name]}, {name: days.lengths[name]})


def _by_owner(rows: DataFrame) -> dict[str | None, int]:
    """Cost by team, where rows tell teams apart, else of `OTHER`; None is usage without an owner."""
    unowned = F.coalesce("unowned_cost", "cost")
    sums = rows.groupBy("owner").agg(F.sum("cost").alias("cost"), F.sum(unowned).alias("unowned")).collect()
    found: dict[str | None, int] = {}
    for row in sums:
        _add(found, row)
    return found


def _add(found: dict[str | None, int], row: Row) -> None:
    cost, unowned = int(row["cost"]), int(row["unowned"])
    for owner, amount in ((None, unowned), (row["owner"] or OTHER, cost - unowned)):
        if amount:
            found[owner] = found.get(owner, 0) + amount


def _without_teams(amounts: Mapping[str | None, int]) -> dict[str | None, int]:
    """The same with all teams as one, as months are where `groupBy` has no Team."""
    owned = sum(amount for owner, amount in amounts.items() if owner is not None)
    return {None: amounts.get(None, 0), OTHER: owned}
