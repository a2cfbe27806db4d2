"""What somebody should look at: epochs whose numbers do not agree, and which ledger tells more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.analyses.ledger_audit.numbers import INTERCEPTORS, OBSERVER, OTLP, PLUGIN, SEALING
from kwitness.jobs.analyses.ledger_audit.transform import grace_ms_of
from kwitness.jobs.frame.findings import MAX_EXAMPLES, Finding, Findings
from kwitness.jobs.frame.intervals import text
from kwitness.jobs.frame.job import JobInput

GAP = "Gap"
UNSEALED = "Unsealed"
DUPLICATE = "Duplicate"
_SHOWN_RANGES = 20
_MAX_SUBJECT = 512
_MAX_MESSAGE = 1024

_OWN_LEDGER = {
    OBSERVER: 'kwitness_observer_events_total{outcome="dropped"} of its pod',
    INTERCEPTORS: "kwitness_interceptor_dropped_events_total of its profile",
    PLUGIN: 'kwitness_plugin_events_total{outcome="dropped"} of its broker',
    OTLP: 'kwitness_ledger_events_total{hop="receive"} of the collector',
}


def findings(table: DataFrame, job_input: JobInput, now_ms: int) -> Findings:
    """Epochs with gaps, without seals, or with duplicates, the newest first.

    What is younger than `grace` may still come, and is none. It is for a job that has read all there is: while it is
    behind, what it has not read looks like what never came.
    """
    horizon = now_ms - grace_ms_of(job_input)
    looks: tuple[tuple[str, Column, Callable[[Row], str]], ...] = (
        (GAP, (F.col("missing") > 0) & (F.col("missing_since_ms") < horizon), _gap),
        (UNSEALED, (F.col("unsealed") > 0) & (F.col("unsealed_since_ms") < horizon), _unsealed),
        (DUPLICATE, F.col("duplicates") > 0, _duplicate),
    )
    [counted] = table.agg(*(F.count(F.when(is_one, 1)).alias(kind) for kind, is_one, _ in looks)).collect()
    examples: list[Finding] = []
    for kind, is_one, message in looks:
        room = MAX_EXAMPLES - len(examples)
        if room and counted[kind]:
            found = table.where(is_one).orderBy(F.desc("last_ms"), "event_source", "event_epoch").limit(room)
            examples += [Finding(kind, _subject(row), message(row)[:_MAX_MESSAGE]) for row in found.collect()]
    return Findings(counted.asDict(), tuple(examples))


def _subject(row: Row) -> str:
    return f"{row['event_source']}/{row['event_epoch']}"[:_MAX_SUBJECT]


def _gap(row: Row) -> str:
    ranges = _ranges(row["gaps"])
    if row["kind"] in SEALING:
        topics = ", ".join(
            f"{one['topic']} {one['found']} of {one['sealed']}" for one in row["topics"] if one["found"] < one["sealed"]
        )
        return (
            f"{row['missing']} numbers that were sealed are in no topic, among {ranges} (found of sealed: "
            f"{topics or 'as many, in other windows'}): the collector acknowledged them. See whether retention "
            'removed them before this job read them, then kwitness_ledger_events_total{hop="events_topic"} of the '
            "collector and the topic's replicas"
        )
    return (
        f"{row['missing']} numbers of pushes are in no topic: {ranges}. Compare with {_OWN_LEDGER[row['kind']]}, then "
        'kwitness_ledger_events_total{hop="topic"} of the collector: what neither has dropped, the topic lost'
    )


def _unsealed(row: Row) -> str:
    last = row["last_seal_seq"]
    after = "no seal of it was found" if last is None else f"its last seal is number {last}"
    return (
        f"{row['unsealed']} numbers have no seal: {_ranges(row['unsealed_ranges'])}; {after}. What else was in their "
        "windows is uncertain: the source ended without a last word, or its seals were dropped. See whether its "
        f"process was killed then, and {_OWN_LEDGER[row['kind']]}"
    )


def _duplicate(row: Row) -> str:
    return (
        f"{row['duplicates']} of {row['records']} records came again under their numbers: a restart of the collector, "
        "or an answer that was lost, makes some. Readers that do not remove them by source, epoch and number count "
        'them twice; see kwitness_ledger_events_total{reason="duplicate"} of the collector'
    )


def _ranges(entries: list[Any]) -> str:
    if not entries:
        return "ranges that are not told apart any more"
    return text((one["first"], one["last"]) for one in entries[:_SHOWN_RANGES])
