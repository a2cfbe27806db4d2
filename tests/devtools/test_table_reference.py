"""The page of the jobs' tables, and what every table of a job has to be for the commands that read it."""

from __future__ import annotations

import pytest
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from kwitness.cli import forgetting
from kwitness.contracts.resources.analyses import JOB_TYPES
from kwitness.devtools.table_reference import described_jobs, tables_page
from kwitness.jobs.frame.job import COMPUTED_BY, WindowsSink
from kwitness.jobs.frame.losses import LOSS_SCHEMA
from kwitness.jobs.frame.rejection import QUARANTINE_SCHEMA

TABLES: dict[str, StructType] = {
    **{job.name: job.schema for job in described_jobs()},
    "quarantine": QUARANTINE_SCHEMA,
    "losses": LOSS_SCHEMA,
}
FACTS = {job.name: job.sink.facts for job in described_jobs() if isinstance(job.sink, WindowsSink)}


@pytest.mark.parametrize("name", TABLES)
def test_every_column_says_what_it_means(name: str) -> None:
    assert [field.name for field in TABLES[name] if not field.metadata.get("comment", "").endswith(".")] == []


@pytest.mark.parametrize(
    "schema", [*TABLES.values(), *FACTS.values()], ids=[*TABLES, *(f"{name}, facts" for name in FACTS)]
)
def test_principals_are_where_they_can_be_forgotten(schema: StructType) -> None:
    forgetting.mentions(to_arrow_schema(schema))


def test_the_quarantine_is_known_by_its_columns() -> None:
    assert set(QUARANTINE_SCHEMA.names) >= forgetting._QUARANTINE


def test_the_page_has_every_column_of_every_job() -> None:
    page = tables_page()

    assert {"ClientInventory"} <= {job.name for job in described_jobs()} <= set(JOB_TYPES)
    for job in described_jobs():
        part = page.partition(f"\n## {job.name}\n")[2].partition("\n## ")[0]
        assert [name for name in (*job.schema.names, COMPUTED_BY.name) if f"| `{name}` |" not in part] == []
        assert f"`{job.computed_by}` in `computed_by`" in part
