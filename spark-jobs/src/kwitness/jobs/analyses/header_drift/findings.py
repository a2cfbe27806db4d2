"""What somebody should look at: keys that no register has, and values that are not as their register says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.resources.meta import parse_duration
from kwitness.jobs.analyses.header_drift.schema import CLIENT, KEY, OVERFLOW, TOPIC
from kwitness.jobs.frame.facts import day_of
from kwitness.jobs.frame.findings import MAX_EXAMPLES, Finding, Findings
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.moments import in_milliseconds, to_the_minute
from kwitness.jobs.frame.owner_names import OwnerNames, addressed
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
    told = _told(rows.where(recent & (F.col("kind") == KEY))).collect()
    owners = OwnerNames(job_input.owners, now_ms)
    found = [_finding(row.asDict(recursive=True), job_input, owners) for row in told]
    counts = dict.fromkeys(LOOKS, 0) | {row["problem"]: row["keys"] for row in told}
    gone = _no_longer_seen(rows, recent, job_input)
    return Findings(counts | {NOT_SEEN: len(gone)}, (*found, *gone)[:MAX_EXAMPLES])


def _told(rows: DataFrame) -> DataFrame:
    """The first keys of each problem, and in `keys` how many there are: how much, when and by whom, as one saw it."""
    problems = F.array(
        *(F.struct(F.lit(kind).alias("problem"), F.col(name).alias("bad")) for kind, (name, _) in LOOKS.items())
    )
    registered = F.max(F.when(F.col("headers") > F.col("unregistered"), F.col("window_end_ms")))
    by_key = Window.partitionBy("key")
    each = rows.withColumn("registered_ms", registered.over(by_key)).select("*", F.inline(problems)).where("bad > 0")
    of_client = each.groupBy("problem", "key", *CLIENT).agg(
        F.sum("bad").alias("bad"),
        F.min("window_start_ms").alias("first_ms"),
        F.max("window_end_ms").alias("last_ms"),
        F.max("registered_ms").alias("registered_ms"),
        F.sum("records_looked_at").alias("looked_at"),
        F.sum("records_passed").alias("passed"),
    )
    names = F.struct(*(name for name in CLIENT if name not in _WITNESS))
    of_witness = of_client.groupBy("problem", "key", *_WITNESS).agg(
        F.max_by(names, F.struct("bad", names)).alias("by"),
        F.count("*").alias("clients"),
        F.sum("bad").alias("bad"),
        F.min("first_ms").alias("first_ms"),
        F.max("last_ms").alias("last_ms"),
        F.max("registered_ms").alias("registered_ms"),
        F.sum("looked_at").alias("looked_at"),
        F.sum("passed").alias("passed"),
        F.slice(F.array_sort(F.collect_set("topic")), 1, _MAX_TOPICS + 1).alias("topics"),
    )
    # The same headers are seen by a producer, an observer and a consumer: whoever saw most tells of them.
    most = Window.partitionBy("problem", "key").orderBy(F.desc("bad"), *_WITNESS)
    # A register may have taken the key in since.
    is_past = (F.col("problem") == UNREGISTERED) & (F.col("last_ms") < F.coalesce("registered_ms", F.lit(0)))
    of_key = of_witness.withColumn("_nth", F.row_number().over(most)).where((F.col("_nth") == 1) & ~is_past)
    of_problem = Window.partitionBy("problem")
    place = F.row_number().over(of_problem.orderBy(F.desc("bad"), "key"))
    ranked = of_key.withColumns({"_nth": place, "keys": F.count("*").over(of_problem)})
    order = F.array_position(F.array(*map(F.lit, LOOKS)), F.col("problem"))
    return ranked.where(F.col("_nth") <= MAX_EXAMPLES).orderBy(order, "_nth")


def _no_longer_seen(rows: DataFrame, recent: Column, job_input: JobInput) -> list[Finding]:
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
    keys = [row["key"] for row in silent.orderBy("key").collect()]
    # A key that is not told apart may be any.
    if keys and not now.where(F.col("kind") == OVERFLOW).isEmpty():
        return []
    message = (
        f"registered, sent before, and in no record of the last {job_input.parameters.reported_for}, of which all of "
        "the clients that had sent it were looked at: ask them whether they still mean to, or take it out of the "
        "register"
    )
    return [Finding(NOT_SEEN, key[:_MAX_SUBJECT], message) for key in keys]


def _finding(row: Mapping[str, Any], job_input: JobInput, owners: OwnerNames) -> Finding:
    others = row["clients"] - 1
    more = f" and {others} more" if others else ""
    message = (
        f"{row['bad']} {LOOKS[row['problem']][1]} within {job_input.parameters.reported_for}, since "
        f"{to_the_minute(row['first_ms'])}, the last before {to_the_minute(row['last_ms'])}; by "
        f"{_client(row['by'])}{more}, {_topics(row['topics'])}; {_seen(row)}, who looked at {row['looked_at']} of "
        f"{row['passed']} records"
    )
    told = addressed(message, owners.of_client(row["by"]))
    return Finding(row["problem"], row["key"][:_MAX_SUBJECT] or "(empty key)", told[:_MAX_MESSAGE])


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
