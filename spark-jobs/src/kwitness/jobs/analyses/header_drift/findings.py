"""What somebody should look at: keys that no register has, and values that are not as their register says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.resources.meta import parse_duration
from kwitness.jobs.analyses.header_drift.schema import CLIENT, KEY, OVERFLOW, TOPIC
from kwitness.jobs.frame.facts import day_of
from kwitness.jobs.frame.findings import MAX_EXAMPLES, Finding, Findings
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.moments import in_milliseconds, to_the_minute
from kwitness.jobs.frame.windows import base_seconds

UNREGISTERED = "UnregisteredKey"
NOT_SEEN = "RegisteredNotSeen"

#: By kind of finding, the column that counts it and what its message says of that count.
LOOKS: Mapping[str, tuple[str, str]] = {
    UNREGISTERED: ("unregistered", "headers with a key that no register has"),
    "WrongType": ("wrong_type", "headers whose value is not of the registered type"),
    "TooLarge": ("too_large", "headers whose value is larger than registered"),
    "DeprecatedKey": ("deprecated", "headers with a key that is registered as deprecated"),
    "MissingKey": ("missing", "records without the key, which is registered as required"),
}
_WITNESS = ("side", "seen_by")
_MAX_NAME = 100
_MAX_TOPICS = 5
_MAX_SUBJECT = 512
_MAX_MESSAGE = 1024


def findings(table: DataFrame, job_input: JobInput, now_ms: int) -> Findings:
    """Keys, each once for each of its problems, those of which most headers have it first."""
    period_ms = in_milliseconds(parse_duration(job_input.parameters.reported_for))
    since = now_ms - period_ms
    begin = F.col("day") >= F.lit(day_of(max(0, since - period_ms)))
    own_length = F.col("window_seconds") == base_seconds(job_input.window_seconds)
    rows = table.where(begin & own_length & (F.col("window_end_ms") > since - period_ms))
    recent = F.col("window_end_ms") > since
    problems = _problems(rows.where(recent & (F.col("kind") == KEY))).persist()
    try:
        found = [_of_kind(problems, kind, job_input) for kind in LOOKS]
    finally:
        problems.unpersist()
    found.append(_no_longer_seen(rows, recent, job_input))
    counts = {kind: count for kind, count, _ in found}
    return Findings(counts, tuple(one for _, _, several in found for one in several)[:MAX_EXAMPLES])


def _problems(rows: DataFrame) -> DataFrame:
    """A row for each key and each that saw it: how much of each problem, when, whose most of all."""
    bad = {kind: F.coalesce(F.col(name), F.lit(0)) for kind, (name, _) in LOOKS.items()}
    of_client = rows.groupBy("key", *CLIENT).agg(
        *(F.sum(count).alias(kind) for kind, count in bad.items()),
        *(F.min(F.when(count > 0, F.col("window_start_ms"))).alias(f"{kind}_first") for kind, count in bad.items()),
        *(F.max(F.when(count > 0, F.col("window_end_ms"))).alias(f"{kind}_last") for kind, count in bad.items()),
        F.max(F.when(F.col("headers") > F.col("unregistered"), F.col("window_end_ms"))).alias("registered_last"),
        F.sum("records_looked_at").alias("looked_at"),
        F.sum("records_passed").alias("passed"),
    )
    names = F.struct(*(name for name in CLIENT if name not in _WITNESS)).alias("names")
    return of_client.groupBy("key", *_WITNESS).agg(
        *(F.sum(kind).alias(kind) for kind in LOOKS),
        *(F.min(f"{kind}_first").alias(f"{kind}_first") for kind in LOOKS),
        *(F.max(f"{kind}_last").alias(f"{kind}_last") for kind in LOOKS),
        *(F.max(F.when(F.col(kind) > 0, F.struct(kind, names))).alias(f"{kind}_by") for kind in LOOKS),
        *(F.sum(F.when(F.col(kind) > 0, 1).otherwise(0)).alias(f"{kind}_clients") for kind in LOOKS),
        F.max("registered_last").alias("registered_last"),
        F.sum("looked_at").alias("looked_at"),
        F.sum("passed").alias("passed"),
        F.slice(F.array_sort(F.collect_set("topic")), 1, _MAX_TOPICS + 1).alias("topics"),
    )


def _of_kind(problems: DataFrame, kind: str, job_input: JobInput) -> tuple[str, int, list[Finding]]:
    # The same headers are seen by a producer, an observer and a consumer: whoever saw most tells of them.
    by_key = problems.groupBy("key").agg(
        F.max(kind).alias("most"),
        F.max_by(F.struct(*problems.columns), F.struct(kind, "side", "seen_by")).alias("told"),
        F.max(f"{kind}_last").alias("last"),
        F.max("registered_last").alias("registered"),
    )
    present = F.col("most") > 0
    if kind == UNREGISTERED:
        # A register may have taken the key in since.
        present &= F.col("last") >= F.coalesce("registered", F.lit(0))
    bad = by_key.where(present)
    count = bad.count()
    if not count:
        return kind, 0, []
    first = bad.orderBy(F.desc("most"), "key").limit(MAX_EXAMPLES).select("told.*").collect()
    return kind, count, [_finding(kind, row.asDict(recursive=True), job_input) for row in first]


def _no_longer_seen(rows: DataFrame, recent: Column, job_input: JobInput) -> tuple[str, int, list[Finding]]:
    """Keys that a register has and that clients no longer send, though all of these clients' records were looked at.

    Where anything was not looked at, or a client does not write any more, nothing is said.
    """
    before = rows.where(~recent & (F.col("kind") == KEY) & (F.col("headers") > F.col("unregistered")))
    now = rows.where(recent)
    used = now.where((F.col("kind") == KEY) & (F.col("headers") > 0)).select("key").distinct()
    gone = before.select("key", *CLIENT).distinct().join(used, "key", "left_anti")
    covered = (
        now.where(F.col("kind") == TOPIC)
        .groupBy(*CLIENT)
        .agg(
            (F.bool_and(F.col("records_looked_at") >= F.col("records_passed")) & (F.sum("records_passed") > 0)).alias(
                "full"
            )
        )
    )
    same = reduce(Column.__and__, (F.col(f"gone.{name}").eqNullSafe(F.col(f"covered.{name}")) for name in CLIENT))
    silent = (
        gone.alias("gone")
        .join(covered.alias("covered"), same, "left")
        .groupBy("gone.key")
        .agg(F.bool_and(F.coalesce("full", F.lit(False))).alias("full"))
        .where("full")
    )
    # A key that is not told apart may be any.
    told_apart = now.where(F.col("kind") == OVERFLOW).isEmpty()
    keys = [row["key"] for row in silent.orderBy("key").collect()] if told_apart else []
    message = (
        f"registered, sent before, and in no record of the last {job_input.parameters.reported_for}, of which all of "
        "the clients that had sent it were looked at: ask them whether they still mean to, or take it out of the "
        "register"
    )
    return NOT_SEEN, len(keys), [Finding(NOT_SEEN, key[:_MAX_SUBJECT], message) for key in keys[:MAX_EXAMPLES]]


def _finding(kind: str, row: Mapping[str, Any], job_input: JobInput) -> Finding:
    who = row[f"{kind}_by"]["names"]
    others = row[f"{kind}_clients"] - 1
    more = f" and {others} more" if others else ""
    message = (
        f"{row[kind]} {LOOKS[kind][1]} within {job_input.parameters.reported_for}, since "
        f"{to_the_minute(row[f'{kind}_first'])}, the last before {to_the_minute(row[f'{kind}_last'])}; by "
        f"{_client(who)}{more}, {_topics(row['topics'])}; {_seen(row)}, who looked at {row['looked_at']} of "
        f"{row['passed']} records"
    )
    return Finding(kind, row["key"][:_MAX_SUBJECT] or "(empty key)", message[:_MAX_MESSAGE])


def _seen(row: Mapping[str, Any]) -> str:
    witness = "an observer" if row["seen_by"] == "observer" else f"interceptors ({row['seen_by']})"
    return f"seen by {witness} of {row['side']}s"


def _client(who: Mapping[str, Any]) -> str:
    place = "/".join(str(who[name])[:_MAX_NAME] for name in ("k8s_namespace", "k8s_workload") if who[name])
    names = [str(who[name])[:_MAX_NAME] for name in ("principal", "client_id") if who[name]]
    return " ".join((*names, *((f"in {place}",) if place else ()))) or "a client without a name"


def _topics(topics: list[str]) -> str:
    if not topics:
        return "topics that were not told apart"
    more = " and more" if len(topics) > _MAX_TOPICS else ""
    return f"topics {', '.join(topics[:_MAX_TOPICS])}{more}"
