"""The reference page of the jobs' tables, from the schemas that the jobs write by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyspark.sql.types import StructType

from kwitness.contracts.resources.analyses import JOB_TYPES
from kwitness.jobs.analyses.registry import find_job
from kwitness.jobs.frame.job import COMPUTED_BY, Job, LatticeSink, TableSink, WindowsSink
from kwitness.jobs.frame.losses import LOSS_SCHEMA
from kwitness.jobs.frame.rejection import QUARANTINE_SCHEMA
from kwitness.jobs.frame.stored_samples import SAMPLES

__all__ = ["described_jobs", "tables_page"]

_HEAD = """\
<!-- Generated from the jobs' schemas by `make generate`; do not edit. -->

# Tables of the analyses

Each AnalyticsJob has a folder, `<tableRoot>/<namespace>/<table>`, with its table in `table`, records that could
not be used in `quarantine/records`, and what was gone before it could be read in `quarantine/losses`. All are Delta
tables of reader version 1. A newer version of a job may add columns, and never renames, retypes or removes one. How to
read them: [tables](../guides/tables.md).

Times end in `_ms`: milliseconds since 1970, UTC. A value that is not known is null.
"""


def tables_page() -> str:
    """The page of all job types of this version, and of the tables that every job has."""
    parts = [_HEAD]
    for job in described_jobs():
        parts += _job(job)
    parts += [
        "## Records that could not be used",
        "The table `quarantine/records` of each job; contents are cut to bounds.\n",
        *_columns(QUARANTINE_SCHEMA),
        "\n## Records that were gone",
        "The table `quarantine/losses` of each job, which is made with the first.\n",
        *_columns(LOSS_SCHEMA),
    ]
    return "\n".join(parts) + "\n"


def described_jobs() -> list[Job]:
    """All jobs of this version; a type whose analysis is not there yet is left out."""
    jobs = []
    for name in JOB_TYPES:
        try:
            jobs.append(find_job(name))
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("kwitness.jobs.analyses."):
                raise
    return jobs


def _job(job: Job) -> Iterator[str]:
    yield f"## {job.name}"
    yield f"{_shape(job)}{_partitions(job)} Rows of this version say `{job.computed_by}` in `{COMPUTED_BY.name}`.\n"
    yield from _columns(StructType([*job.schema.fields, COMPUTED_BY]))
    match job.sink:
        case WindowsSink():
            yield f"\n### Facts of {job.name}\n"
            yield "What single records said, each once; windows are computed from them.\n"
            yield from _columns(job.sink.facts)
        case TableSink() if job.inputs.survey:
            yield f"\n### Samples of {job.name}\n"
            yield "What topics stored when brokers were asked, in `facts` beside the table.\n"
            yield from _columns(SAMPLES)
    yield ""


def _shape(job: Job) -> str:
    match job.sink:
        case LatticeSink():
            return f"One row for each value of {_named(job.sink.keys)}."
        case TableSink():
            return f"One row for each value of {_named((job.sink.period, *job.sink.keys))}."
        case WindowsSink():
            lengths = ", ".join(str(length) for length in job.sink.lengths)
            return (
                f"One row for each window and what is counted in it; windows of {lengths} s are made from shorter ones."
            )


def _named(keys: Iterable[str]) -> str:
    return ", ".join(f"`{key}`" for key in keys)


def _partitions(job: Job) -> str:
    if not job.layout.partitions:
        return ""
    return f" Partitioned by {', '.join(f'`{column}`' for column in job.layout.partitions)}."


def _columns(schema: StructType) -> Iterator[str]:
    yield "| Column | Type | Meaning |"
    yield "|---|---|---|"
    for field in schema:
        meaning = str(field.metadata.get("comment", "")).replace("|", "\\|")
        kind = field.dataType.simpleString()
        yield f"| `{field.name}` | `{kind}`{'' if field.nullable else ', never null'} | {meaning} |"
