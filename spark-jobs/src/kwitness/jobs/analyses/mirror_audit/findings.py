"""What somebody should look at: partitions whose mirror lacks records, and mirrors that are not there."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.analyses.mirror_audit.schema import PARTITION
from kwitness.jobs.analyses.mirror_audit.transform import tolerance_ms_of
from kwitness.jobs.analyses.mirror_audit.verdicts import NOT_MIRRORED, NOT_SEEN, UNREACHABLE
from kwitness.jobs.frame.findings import MAX_EXAMPLES, Finding, Findings
from kwitness.jobs.frame.job import JobInput

_MAX_SUBJECT = 512
_MAX_MESSAGE = 1024


def findings(table: DataFrame, job_input: JobInput, now_ms: int) -> Findings:
    """Partitions by what is wrong, the largest numbers first. Where the mirror is away there is one for all."""
    del now_ms  # Judged when both sides were asked, at that time.
    tolerance_ms = tolerance_ms_of(job_input)
    is_now = F.col("kind") == PARTITION
    [latest] = table.where(is_now).agg(F.max("surveyed_ms").alias("at")).collect()
    # What was deleted since, or is not mirrored any more, is said no more.
    present = table.where(~is_now | (F.col("surveyed_ms") == F.lit(latest["at"])))
    looks: tuple[tuple[str, Column, Column, Callable[[Row], str]], ...] = (
        ("Missing", F.col("missing") > 0, F.col("missing"), _missing),
        ("Extra", F.col("extra") > 0, F.col("extra"), _extra),
        (NOT_MIRRORED, F.col("verdict") == NOT_MIRRORED, F.col("source_end"), _not_mirrored),
        ("Behind", F.col("lag_ms") > tolerance_ms, F.col("lag_ms"), _behind),
        (NOT_SEEN, F.col("verdict") == NOT_SEEN, F.col("not_seen"), _not_seen),
    )
    counting = [F.count(F.when(is_now & is_one, 1)).alias(kind) for kind, is_one, _, _ in looks]
    counting += [
        F.count(F.when(F.col("changed") > 0, 1)).alias("Changed"),
        F.max(F.when(F.col("verdict") == UNREACHABLE, 1).otherwise(0)).alias(UNREACHABLE),
    ]
    [row] = present.agg(*counting).collect()
    counts = {kind: count or 0 for kind, count in row.asDict().items()}
    examples: list[Finding] = []
    if counts[UNREACHABLE]:
        examples.append(Finding(UNREACHABLE, "target", _UNREACHABLE))
    changed = ("Changed", F.col("changed") > 0, F.col("changed"), _changed)
    for kind, is_one, order, message in (*looks, changed):
        room = MAX_EXAMPLES - len(examples)
        if room and counts[kind]:
            of_kind = present.where(is_one if kind == "Changed" else is_one & is_now)
            found = of_kind.orderBy(order.desc_nulls_last(), "topic", "partition").limit(room).collect()
            examples += [Finding(kind, _subject(one), message(one)[:_MAX_MESSAGE]) for one in found]
    return Findings(counts, tuple(examples))


_UNREACHABLE = (
    "the mirror's cluster does not answer, so nothing is compared since; the source is counted on, and the mirror is "
    "read from where it was read to. See whether its brokers can be reached from here, and network policies"
)


def _subject(row: Row) -> str:
    return (row["topic"] if row["partition"] < 0 else f"{row['topic']}-{row['partition']}")[:_MAX_SUBJECT]


def _how(row: Row) -> str:
    return "by MirrorMaker's offsets" if row["evidence"] == "offset-syncs" else "about, by counts of observers"


def _missing(row: Row) -> str:
    return (
        f"{row['missing']} records of the source are not in {row['target_topic']} ({_how(row)}): see the log of "
        "the mirror's tasks, whether retention removed them before they were read, and what filters leave out"
    )


def _extra(row: Row) -> str:
    return (
        f"{row['target_topic']} has {row['extra']} records more than the source ({_how(row)}): the mirror sent some "
        "again, as after a restart without exactly-once, or others write there as well"
    )


def _not_mirrored(row: Row) -> str:
    return (
        f"{row['target_topic']} has no such partition, or is not there: see whether the mirror's topics include it, "
        "and the prefixes in parameters.mirrorAudit.topics"
    )


def _behind(row: Row) -> str:
    records = "" if row["lag_records"] is None else f" by {row['lag_records']} records"
    return (
        f"{row['target_topic']} is behind{records}: the first record that is not there has waited for "
        f"{row['lag_ms'] // 1000} s. See whether the mirror's tasks run, and how fast"
    )


def _not_seen(row: Row) -> str:
    if row["unanswered"] is not None:
        return (
            f"nobody can tell whether {row['target_topic']} has all: {row['unanswered']} did not answer when the "
            "clusters were surveyed. See whether each partition has a leader, and what the credential may describe"
        )
    return (
        f"nobody can tell whether {row['target_topic']} has all: neither MirrorMaker's offsets, which differ by "
        f"{row['not_seen']} that may be markers or compacted gaps, nor observers before both clusters prove it"
    )


def _changed(row: Row) -> str:
    return (
        f"{row['changed']} records reached consumers of the mirror with other bytes than they were sent with, by the "
        "checksums of interceptors: see what transforms between the clusters change"
    )
