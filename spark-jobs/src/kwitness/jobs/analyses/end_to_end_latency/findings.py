"""What somebody should look at: clocks that differ, and consumers that get their records late."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.resources.meta import parse_duration
from kwitness.jobs.analyses.end_to_end_latency.schema import WHO
from kwitness.jobs.frame.findings import MAX_EXAMPLES, Finding, Findings
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.moments import in_milliseconds
from kwitness.jobs.frame.owner_names import OwnerNames, addressed
from kwitness.jobs.frame.sketches import counted_to, nearest_bucket
from kwitness.jobs.frame.window_cover import covered, last
from kwitness.jobs.frame.windows import base_seconds

CLOCK_SKEW, SLOW_DELIVERY = "ClockSkew", "SlowDelivery"
#: One record in so many may be negative, or slow.
_ONE_IN = 100
#: Of what a client calls itself.
_MAX_NAME = 100
_NUMBER = "decimal(38,0)"


def findings(table: DataFrame, job_input: JobInput, now_ms: int) -> Findings:
    """Judge each topic and consumer by the windows that have ended; those with most records first."""
    parameters = job_input.parameters
    base = base_seconds(job_input.window_seconds)
    span = last(in_milliseconds(parse_duration(parameters.over)), now_ms, base)
    rows, _ = covered(table, {"over": span}, base)
    bucket = 0
    if parameters.warn_above is not None:
        bucket = nearest_bucket(in_milliseconds(parse_duration(parameters.warn_above)) * 1000)
    within = counted_to(F.col("latency"), F.lit(bucket))
    counts = {
        "negative": F.col("negative"),
        "measured": F.col("measured"),
        "slow": F.col("measured") - within,
    }
    consumers = rows.groupBy(*WHO).agg(
        *(F.coalesce(F.sum(value.cast(_NUMBER)), F.lit(0)).cast(_NUMBER).alias(name) for name, value in counts.items())
    )
    wrong = {CLOCK_SKEW: f"negative * {_ONE_IN} > negative + measured"}
    if parameters.warn_above is not None:
        wrong[SLOW_DELIVERY] = f"slow * {_ONE_IN} > measured"
    owners = OwnerNames(job_input.owners, now_ms)
    consumers = consumers.where(" OR ".join(wrong.values())).persist()
    try:
        found = {kind: consumers.where(where).count() for kind, where in wrong.items()}
        examples = [
            Finding(
                kind,
                subject(row.asDict()),
                addressed(_MESSAGES[kind](row.asDict(), job_input), owners.of_client(row.asDict())),
            )
            for kind, where in wrong.items()
            if found[kind]
            for row in consumers.where(where)
            .orderBy(F.desc(F.col("measured") + F.col("negative")), *(F.asc(name) for name in WHO))
            .limit(MAX_EXAMPLES)
            .collect()
        ]
    finally:
        consumers.unpersist()
    return Findings(found, tuple(examples[:MAX_EXAMPLES]))


def subject(row: Mapping[str, Any]) -> str:
    """The topic and who read it, by what is known."""
    words = (("group", "group_id"), ("client", "client_id"), ("principal", "principal"))
    named = [f"{word} {str(row[name])[:_MAX_NAME]}" for word, name in words if row[name]]
    if row["k8s_namespace"]:
        named.append("/".join(str(one)[:_MAX_NAME] for one in (row["k8s_namespace"], row["k8s_workload"]) if one))
    return f"{row['topic'] or 'topics without rows of their own'}: {', '.join(named) or 'consumer not known'}"


def skew_message(row: Mapping[str, Any], job_input: JobInput) -> str:
    """How many records came before they were sent, what that says, and what to do."""
    return (
        f"{row['negative']} of {row['negative'] + row['measured']} records of the last {job_input.parameters.over} "
        "were handed over before their own timestamp, so two clocks differ by more than a record takes, and the "
        "latencies of this consumer are wrong by as much: compare the clock of the consumer's node with those of the "
        "producers (CreateTime) or brokers (LogAppendTime), such as by chronyc tracking; or the application sets "
        "timestamps itself"
    )


def slow_message(row: Mapping[str, Any], job_input: JobInput) -> str:
    """How many records came late, and what to do."""
    return (
        f"{row['slow']} of {row['measured']} records of the last {job_input.parameters.over} took longer than "
        f"{job_input.parameters.warn_above} from their timestamp to the application: see whether the group lags "
        "(kafka-consumer-groups --describe), whether producers batch for long (linger.ms), and whether ClockSkew is "
        "found for it, since then the times are wrong"
    )


_MESSAGES = {CLOCK_SKEW: skew_message, SLOW_DELIVERY: slow_message}
