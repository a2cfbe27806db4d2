"""What somebody should look at: topics that are proved to be unused, and how many may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.analyses.unused_topics.schema import TOPIC
from kwitness.jobs.frame.findings import MAX_EXAMPLES, Finding, Findings
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.moments import to_the_minute
from kwitness.jobs.frame.owner_names import OwnerNames

_KINDS = ("Unused", "NotSeen")
#: Of what a client calls itself.
_MAX_NAME = 100


def findings(table: DataFrame, job_input: JobInput, now_ms: int) -> Findings:
    """Count topics by verdict; tell those that hold most bytes first. What is not proved is counted only."""
    owners = OwnerNames(job_input.owners, now_ms)
    told = table.where((F.col("kind") == TOPIC) & F.col("listed") & F.col("reported"))
    counted = {row["verdict"]: row["count"] for row in told.groupBy("verdict").count().collect()}
    order = (F.desc_nulls_last("log_bytes"), F.asc("subject"))
    unused = told.where(F.col("verdict") == "Unused").orderBy(*order).limit(MAX_EXAMPLES).collect()
    return Findings(
        {kind: counted.get(kind, 0) for kind in _KINDS},
        tuple(Finding("Unused", row["subject"], message(row.asDict(), job_input, owners)) for row in unused),
    )


def message(row: Mapping[str, Any], job_input: JobInput, owners: OwnerNames) -> str:
    """What was found of an unused topic, by which evidence, and what to do."""
    owner = owners.of_topic(row["subject"]) or "its owner"
    size = "bytes not known" if row["log_bytes"] is None else _size(row["log_bytes"])
    return (
        f"neither written nor read for {job_input.parameters.unused_for}: no end offset moved since "
        f"{to_the_minute(row['ends_since_ms'])}, no group had members or moved its offsets since "
        f"{to_the_minute(row['groups_since_ms'])}, and observers, who saw each software that was connected, which need "
        "not be each client of it, saw no reader; "
        f"last written {_who(row, 'last_produced_')}, last read {_who(row, 'last_fetched_')}; "
        f"{row['partitions']} partitions, {size}: ask {owner}, then delete it, or list it in "
        "parameters.unusedTopics.ignore"
    )


def _who(row: Mapping[str, Any], prefix: str) -> str:
    if row[f"{prefix}ms"] is None:
        return "before anybody looked, or never"
    named = (("principal", "by"), ("client_id", "as"), ("client_software_name", "with"))
    words = (f"{word} {str(row[prefix + name])[:_MAX_NAME]}" for name, word in named if row[prefix + name])
    return " ".join((to_the_minute(row[f"{prefix}ms"]), *words))


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:  # noqa: PLR2004
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.0f} TiB"
