"""What somebody should look at: rates that are missing, cost without an owner, stored bytes that are not known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.analyses.cost_attribution.prices import RATES, USAGES
from kwitness.jobs.analyses.cost_attribution.transform import LONGEST_GAP_MS
from kwitness.jobs.frame.findings import MAX_EXAMPLES, Finding, Findings
from kwitness.jobs.frame.job import JobInput

RATE_MISSING, UNOWNED, STORAGE_UNKNOWN = "RateMissing", "Unowned", "StorageUnknown"
#: Months that are judged: the present one and the one before, since nobody mends older ones.
_MONTHS = 2
_TOLERATED_PERCENT = 5
_HOUR_MS = 3_600_000


def findings(table: DataFrame, job_input: JobInput, now_ms: int) -> Findings:
    """Judge the two latest months of the table."""
    months = table.groupBy("month").agg(
        F.first("month_start_ms").alias("start_ms"),
        F.first("month_end_ms").alias("end_ms"),
        F.first("stored_known_ms").alias("known_ms"),
        F.first("stored_gap_ms").alias("gap_ms"),
        F.sum("cost").alias("cost"),
        F.sum("unowned_cost").alias("unowned_cost"),
        *(F.sum(name).alias(name) for name in USAGES),
    )
    latest = [row.asDict() for row in months.orderBy(F.desc("month")).limit(_MONTHS).collect()]
    return judged(latest, job_input, now_ms)


def judged(months: Iterable[Mapping[str, Any]], job_input: JobInput, now_ms: int) -> Findings:
    """What is found in months, the latest one first.

    Parameters
    ----------
    months
        Each with its sums, `start_ms` and `end_ms`, and what is known of its stored bytes.
    """
    several = list(months)
    found = [*_rates(several, job_input)]
    found += [one for month in several for one in _unowned(month, job_input)]
    found += [one for at, month in enumerate(several) for one in _unknown(month, now_ms, is_latest=at == 0)]
    kinds = (RATE_MISSING, UNOWNED, STORAGE_UNKNOWN)
    return Findings({kind: sum(one.kind == kind for one in found) for kind in kinds}, tuple(found[:MAX_EXAMPLES]))


def _rates(months: list[Mapping[str, Any]], job_input: JobInput) -> Iterable[Finding]:
    """Rates that the card has not, of what was used."""
    holes = job_input.rate_card.holes if job_input.rate_card else tuple(RATES.values())
    for usage, rate in RATES.items():
        used = sum(int(month[usage] or 0) for month in months)
        if rate in holes and used:
            message = f"{used} {usage} cost nothing, since the rate card has no {rate}: add it, or 0 to say so"
            yield Finding(RATE_MISSING, rate, message)


def _unowned(month: Mapping[str, Any], job_input: JobInput) -> Iterable[Finding]:
    """A month of whose cost too much is nobody's."""
    cost, unowned = int(month["cost"] or 0), int(month["unowned_cost"] or 0)
    if job_input.owners is None or unowned * 100 <= cost * _TOLERATED_PERCENT:
        return
    percent = f"{unowned * 100 // cost}.{unowned * 1000 // cost % 10}"
    message = (
        f"{percent} % of what the month costs ({unowned} of {cost} micro-units) is of clients and topics that no entry "
        "of the owners' file fits: rows with unowned_cost name them; add entries to the ConfigMap in spec.owners of "
        "the KafkaCluster"
    )
    yield Finding(UNOWNED, month["month"], message)


def _unknown(month: Mapping[str, Any], now_ms: int, *, is_latest: bool) -> Iterable[Finding]:
    """A month for a part of which nobody knows what topics stored."""
    gap_ms, known_ms = int(month["gap_ms"] or 0), int(month["known_ms"] or 0)
    remedy = (
        "the job's user needs Describe on the cluster, and the job must run or stream at least every "
        f"{LONGEST_GAP_MS // _HOUR_MS} h"
    )
    if gap_ms:
        message = (
            f"stored bytes cost nothing in {gap_ms / _HOUR_MS:.1f} h of the month, which nobody measured: {remedy}"
        )
        yield Finding(STORAGE_UNKNOWN, month["month"], message)
    elif is_latest and not known_ms and now_ms - month["start_ms"] > LONGEST_GAP_MS:
        until = datetime.fromtimestamp(min(now_ms, month["end_ms"]) / 1000, UTC).strftime("%Y-%m-%dT%H:%MZ")
        message = f"stored bytes are not known until {until} and cost nothing: {remedy}"
        yield Finding(STORAGE_UNKNOWN, month["month"], message)
