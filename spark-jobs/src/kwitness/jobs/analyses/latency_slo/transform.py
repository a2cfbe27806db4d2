"""From records of observers to facts, from facts to good and bad answers by objective and group, in windows."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.topics import SCHEMAS, SEALS
from kwitness.jobs.analyses.latency_slo.objectives import REQUESTS, TRAFFIC, WHOLE, needs_requests, objectives_of
from kwitness.jobs.analyses.latency_slo.schema import (
    EVENTS,
    FACTS,
    FETCHED,
    GROUP,
    LONGER_TALLY,
    OBJECTIVE,
    OBJECTIVES,
    PACKED,
    TALLY,
)
from kwitness.jobs.frame.facts import SEAL, decoded_facts
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.json_events import decoded_events, problem
from kwitness.jobs.frame.patterns import matches
from kwitness.jobs.frame.sketches import counted_to
from kwitness.jobs.frame.tallies import total
from kwitness.jobs.frame.window_events import (
    INVALID,
    count_problem,
    fact_of,
    seal_problem,
    sketch_problem,
    window_problem,
)
from kwitness.jobs.frame.windows import base_seconds, window_start

_BY, _OF = PACKED
_API, _RESPONSE = "api", "response"
_KINDS = {TRAFFIC: (_API, "partition", "presence"), REQUESTS: ("request", _RESPONSE)}
_SCHEMAS = {kind: (SCHEMAS[kind],) for kind in (TRAFFIC, REQUESTS, SEALS)}
_FETCHES = ("Fetch", "ShareFetch")
#: Brokers answer these when the group is complete: observers do not time them either.
_NOT_TIMED = ("JoinGroup", "SyncGroup")


def decode(records: DataFrame, job_input: JobInput) -> DataFrame:
    """Records of the topics traffic, requests and seals with facts, as `kwitness.jobs.frame.facts` describes them.

    Single requests and answers are facts only where an objective needs them: there are as many as there are requests.
    """
    parameters = job_input.parameters
    topics = (TRAFFIC, REQUESTS) if needs_requests(parameters) else (TRAFFIC,)
    events = decoded_events(records, EVENTS, _SCHEMAS)
    checked = events.withColumns({"problem": F.coalesce("problem", _problem()), "_counts": _is_of_answers()})
    return decoded_facts(checked, _fact(topics), FACTS, parse_duration(parameters.retention)).drop("_counts")


def windows(facts: DataFrame, job_input: JobInput) -> DataFrame:
    """Facts of some windows, without duplicates, added up to rows of objectives and groups."""
    objectives = [one._asdict() for one in objectives_of(job_input.parameters)]
    # One literal, since a plan with a thousand of them takes seconds.
    given = F.from_json(F.lit(json.dumps(objectives)), OBJECTIVES.simpleString())
    start = window_start(F.col("window_start_ms"), base_seconds(job_input.window_seconds))
    counted = (
        facts.where(F.col("kind").isin(_API, _RESPONSE))
        .withColumns({"window_start_ms": start, "objective": F.explode(given)})
        .where(_is_evidence())
        .withColumn("topic", F.explode(_topics()))
        .withColumns(_counts())
        .where("answers > 0")
    )
    group = {name: F.when(F.array_contains("objective.group_by", name), F.col(name)) for name in GROUP}
    fields = dict.fromkeys(OBJECTIVE) | {"objective": "name", "counted_threshold_us": "counted_us"}
    rows = counted.select(
        "window_start_ms",
        "event_source",
        F.struct(*(F.col(f"objective.{field or name}").alias(name) for name, field in fields.items())).alias(_BY),
        F.struct(*(value.alias(name) for name, value in group.items())).alias(_OF),
        *TALLY.sums,
    )
    return _judged(TALLY.added(rows, {"sources": "event_source"}))


def longer(rows: DataFrame, seconds: int, job_input: JobInput) -> DataFrame:
    """Rows of windows added up to those of longer ones."""
    del job_input
    start = window_start(F.col("window_start_ms"), seconds).alias("window_start_ms")
    packed = (F.struct(*OBJECTIVE).alias(_BY), F.struct(*GROUP).alias(_OF))
    return _judged(LONGER_TALLY.added(rows.select(start, *packed, *TALLY.sums, "sources")))


def _judged(rows: DataFrame) -> DataFrame:
    """Rows with their keys as columns, and how fast the budget goes."""
    share = (100 - F.col("by.target").cast("decimal(9,6)")) * (WHOLE // 100)
    bad = F.col("bad").cast("double") * float(WHOLE)
    rate = F.try_divide(bad, F.col("answers").cast("double") * share.cast("double"))
    return rows.select("window_start_ms", "by.*", "of.*", *TALLY.sums, rate.alias("burn_rate"), "sources")


def _is_evidence() -> Column:
    """Whether a fact counts for its `objective`, but for topics."""
    kind = F.when(F.col("kind") == _API, TRAFFIC).otherwise(REQUESTS)
    found = kind == F.col("objective.evidence")
    for name in ("principal", "client_id", "api", "client_software_name", "k8s_namespace", "k8s_workload"):
        found &= matches(F.col(name), F.col("objective.match")[name])
    return found


def _topics() -> Column:
    """For each time that a fact counts, the topic it counts for: null unless the objective groups by topics."""
    pattern = F.col("objective.match")["topic"]
    named = F.array_distinct(F.coalesce("topics", F.array().cast("array<string>")))
    matching = F.filter(named, lambda topic: matches(topic, pattern))
    once = F.array(F.lit(None).cast("string"))
    none = F.array().cast("array<string>")
    return (
        F.when(F.array_contains("objective.group_by", "topic"), matching)
        .when(pattern.isNotNull(), F.when(F.size(matching) > 0, once).otherwise(none))
        .otherwise(once)
    )


def _counts() -> dict[str, Column]:
    """Answers, good and bad ones of them; an error is taken for one of a fast answer where nobody can tell."""
    is_api = F.col("kind") == _API
    single = F.when(F.col("response_time_us").isNotNull(), 1).otherwise(0)
    answers = F.when(is_api, F.coalesce(total(F.col("response_time")), F.lit(0))).otherwise(single)
    fast = F.when(
        is_api, F.coalesce(counted_to(F.col("response_time"), F.col("objective.bucket")), F.lit(0))
    ).otherwise(F.when(F.col("response_time_us") <= F.col("objective.threshold_us"), 1).otherwise(0))
    errors = F.coalesce("errors", F.lit(0))
    without = F.when(F.col("objective.errors_are_bad"), F.greatest(fast - errors, F.lit(0))).otherwise(fast)
    return {"answers": answers, "good": without, "bad": answers - without, "errors": errors}


def _fact(topics: Sequence[str]) -> Column:
    """The fact of a record of the topics, or of their seals; of what says nothing of answers, only that it is there."""
    event = F.col("event").getField
    is_seal, is_request = event("schema") == SCHEMAS[SEALS], event("schema") == SCHEMAS[REQUESTS]
    errors = F.map_filter(event("errors"), lambda code, _: code != "0")
    said = {name: event(name) for name in ("api", "topics", "response_time_us", *IDENTITY_KEYS)}
    said["response_time"] = event("response_time")["buckets"]
    said["errors"] = F.when(is_request, F.when(F.size(errors) > 0, 1).otherwise(0)).otherwise(total(errors))
    columns = {
        **{name: event(name) for name in ("event_source", "event_epoch", "event_seq")},
        "kind": F.when(is_seal, SEAL).otherwise(event("kind")),
        "window_start_ms": F.when(is_request, event("occurred_at_ms")).otherwise(event("window_start_ms")),
        "window_end_ms": F.when(is_request, event("occurred_at_ms") + 1).otherwise(event("window_end_ms")),
        "sealed_records": F.when(is_seal, event("count")),
        **{name: F.when(F.col("_counts"), value) for name, value in said.items()},
    }
    wanted = F.when(is_seal, event("topic").isin(*topics)).otherwise(
        event("schema").isin(*(SCHEMAS[topic] for topic in topics))
    )
    return F.when(wanted, fact_of(FACTS, columns))


def _is_of_answers() -> Column:
    """Whether an event is of answers that count."""
    event = F.col("event").getField
    is_api = (event("schema") == SCHEMAS[TRAFFIC]) & (event("kind") == _API)
    is_answer = (event("schema") == SCHEMAS[REQUESTS]) & (event("kind") == _RESPONSE) & _is_served()
    return F.coalesce(is_api | is_answer, F.lit(False))


def _is_served() -> Column:
    """Whether a broker gave an answer when it could: not to a fetch without records, nor when a group was complete."""
    event = F.col("event").getField
    fetched = F.from_json(event("partitions"), FETCHED.simpleString())
    has_records = F.exists(fetched, lambda one: one["bytes"] > 0)
    is_fetch = event("api").isin(*_FETCHES)
    return ~event("api").isin(*_NOT_TIMED) & (~is_fetch | F.coalesce(has_records, F.lit(False)))


def _problem() -> Column:
    """What is wrong with an event whose JSON is as it should be."""
    event = F.col("event").getField
    is_request = event("schema") == SCHEMAS[REQUESTS]
    start = F.when(is_request, event("occurred_at_ms")).otherwise(event("window_start_ms"))
    end = F.when(is_request, start + 1).otherwise(event("window_end_ms"))
    buckets = event("response_time")["buckets"]
    numbers = [event(name) for name in ("event_seq", "event_epoch", "requests", "response_time_us", "count")]
    unknown = [
        (event("schema") == SCHEMAS[topic]) & ~F.coalesce(event("kind").isin(*kinds), F.lit(False))
        for topic, kinds in _KINDS.items()
    ]
    timed = is_request | (event("kind") == _API)
    return F.coalesce(
        window_problem(start, end),
        count_problem(numbers, [event("errors"), buckets]),
        F.when(unknown[0] | unknown[1], problem(INVALID, "field kind is none that is known")),
        F.when(timed & event("api").isNull(), problem(INVALID, "api is absent")),
        sketch_problem([buckets]),
        seal_problem(),
    )
