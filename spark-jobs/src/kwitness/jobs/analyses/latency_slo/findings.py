"""What somebody should look at: budgets that go too fast now, and objectives that nothing is known of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.resources.meta import parse_duration
from kwitness.jobs.analyses.latency_slo.burning import PAIRS, SLOW, Pair, burn_rate, remaining
from kwitness.jobs.analyses.latency_slo.objectives import REQUESTS, WHOLE, Objective, objectives_of
from kwitness.jobs.analyses.latency_slo.schema import GROUP
from kwitness.jobs.frame.findings import MAX_EXAMPLES, Finding, Findings
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.moments import in_milliseconds
from kwitness.jobs.frame.owner_names import OwnerNames, addressed
from kwitness.jobs.frame.window_cover import covered, last
from kwitness.jobs.frame.windows import base_seconds

NO_REQUESTS = "NoRequests"
_PERIOD = "period"
#: Of what a client calls itself.
_MAX_NAME = 100
_MICROSECONDS = 1_000
_NUMBER = "decimal(38,0)"


def findings(table: DataFrame, job_input: JobInput, now_ms: int) -> Findings:
    """Judge each objective and group by the windows that have ended, as the objectives are now; the fastest first."""
    parameters = job_input.parameters
    objectives = objectives_of(parameters)
    by_name = {one.name: one for one in objectives}
    period_ms = in_milliseconds(parse_duration(parameters.period))
    owners = OwnerNames(job_input.owners, now_ms)
    groups = burned(table, objectives, base_seconds(job_input.window_seconds), period_ms, now_ms).persist()
    try:
        counts, examples = {}, []
        for pair in PAIRS:
            burning = groups.where(_burns(pair, period_ms))
            counts[pair.kind] = burning.count()
            rate = F.col(f"{pair.kind}_short.bad") / (F.col(f"{pair.kind}_short.answers") * F.col("budget"))
            order = (F.desc(rate), F.asc("objective"), *(F.asc(name) for name in GROUP))
            for row in burning.orderBy(*order).limit(MAX_EXAMPLES).collect() if counts[pair.kind] else ():
                objective = by_name[row["objective"]]
                found = row.asDict(recursive=True)
                # Of an objective that groups by topic alone it is the topic's.
                owner = owners.of_client(found) or owners.of_topic(found["topic"])
                message = addressed(burning_message(pair, objective, found), owner)
                examples.append(Finding(pair.kind, subject(objective, found), message))
        seen = {
            row[0] for row in groups.where(f"{SLOW.kind}_long.answers > 0").select("objective").distinct().collect()
        }
    finally:
        groups.unpersist()
    silent = [one for one in objectives if one.name not in seen]
    counts[NO_REQUESTS] = len(silent)
    examples += [Finding(NO_REQUESTS, one.name, silent_message(one)) for one in silent]
    return Findings(counts, tuple(examples[:MAX_EXAMPLES]))


def burned(table: DataFrame, objectives: tuple[Objective, ...], base: int, period_ms: int, now_ms: int) -> DataFrame:
    """What each group of the objectives used, over each span that rates are computed for.

    Returns
    -------
    DataFrame
        `objective`, `budget`, the columns of groups, and a struct of `answers` and `bad` for each span: `<kind>_short`,
        `<kind>_long`, `period`.
    """
    spans = {f"{pair.kind}_short": last(pair.short_ms, now_ms, base) for pair in PAIRS}
    spans |= {f"{pair.kind}_long": last(pair.long_ms, now_ms, base) for pair in PAIRS}
    spans[_PERIOD] = last(period_ms, now_ms, base)
    recent, places = covered(table, spans, base)
    named = [
        (one.name, one.threshold_us, one.errors_are_bad, one.grouped_by, one.evidence, one.budget) for one in objectives
    ]
    present = table.sparkSession.createDataFrame(
        named,
        "objective string, threshold_us long, errors_are_bad boolean, grouped_by string, evidence string, budget long",
    )
    keys = [name for name in present.columns if name != "budget"]
    rows = recent.join(F.broadcast(present), keys)
    sums = (
        F.struct(
            *(
                F.coalesce(F.sum(F.when(F.expr(place), F.col(count).cast(_NUMBER))), F.lit(0))
                .cast(_NUMBER)
                .alias(count)
                for count in ("answers", "bad")
            )
        ).alias(name)
        for name, place in places.items()
    )
    return rows.groupBy("objective", "budget", *GROUP).agg(*sums)


def _burns(pair: Pair, period_ms: int) -> Column:
    least = pair.rate(period_ms)
    both = (F.col(f"{pair.kind}_{which}") for which in ("short", "long"))
    return reduce(
        Column.__and__,
        (
            one["bad"].try_cast("decimal(20,0)") * F.lit(WHOLE * least.denominator).cast("decimal(17,0)")
            > one["answers"].try_cast("decimal(20,0)")
            * (F.col("budget") * F.lit(least.numerator)).cast("decimal(17,0)")
            for one in both
        ),
    )


def subject(objective: Objective, row: Mapping[str, Any]) -> str:
    """The objective and the group: what is not known of a client is said to be so."""
    group = ", ".join(
        f"{name} {'not known' if row[name] is None else str(row[name])[:_MAX_NAME]}" for name in objective.group_by
    )
    return f"{objective.name}: {group}" if group else objective.name


def burning_message(pair: Pair, objective: Objective, row: Mapping[str, Any]) -> str:
    """How many answers were bad, how fast the budget goes, what is left of it, and what to do."""
    short, long = row[f"{pair.kind}_short"], row[f"{pair.kind}_long"]
    rates = [float(burn_rate(int(one["bad"]), int(one["answers"]), objective.budget)) for one in (short, long)]
    period = row[_PERIOD]
    left = float(remaining(int(period["bad"]), int(period["answers"]), objective.budget))
    bad = "took longer than" if not objective.errors_are_bad else "had an error or took longer than"
    return (
        f"{long['bad']} of {long['answers']} answers of the last {_length(pair.long_ms)} {bad} "
        f"{objective.threshold_us / _MICROSECONDS:g} ms, {short['bad']} of {short['answers']} of the last "
        f"{_length(pair.short_ms)} ({objective.evidence}); the budget of {objective.target} % goes {rates[1]:.1f} and "
        f"{rates[0]:.1f} times as fast as it may, and {left:.0%} of the period's are left: see which api, client and "
        "broker it is in the tables of LatencySlo and Traffic, and then the broker's own request times"
    )


def silent_message(objective: Objective) -> str:
    """Why nothing is known of an objective, and which resource brings it."""
    what = "{type: Requests}" if objective.evidence == REQUESTS else "{type: Traffic} and {type: Latency}"
    return (
        f"no answer of the last {_length(SLOW.long_ms)} counts for it: its evidence is the topic {objective.evidence}, "
        f"which an ObserverDeployment with {what} in spec.observers writes, of clients that are before it; if there is "
        "one, nothing matches the objective's match"
    )


def _length(milliseconds: int) -> str:
    hours, rest = divmod(milliseconds // 60_000, 60)
    return f"{rest} minutes" if rest else "hour" if hours == 1 else f"{hours} hours"
