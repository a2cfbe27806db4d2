"""Tools for tables of analyses: those of the folder that the caller named, and those of AnalyticsJobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Annotated, Any, Final

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from kwitness.answers.failure import WrongUseError
from kwitness.answers.tables.delta_tables import NamedTable, filtered, find_tables, open_datasets, open_table
from kwitness.answers.tables.driver_rows import DriverAccess
from kwitness.answers.tables.isolated_sql import answer_query
from kwitness.answers.tables.json_values import json_value
from kwitness.answers.tables.table_facts import describe_table
from kwitness.answers.tables.tables_of_jobs import TablesOfJobs
from kwitness.mcp.installation import Installation
from kwitness.mcp.results import DEFAULT_LIMIT, MOST, answered
from kwitness.mcp.tool import Argument, Tool

__all__ = ["table_tools"]

_LIBRARIES: Final = ("deltalake", "duckdb", "pyarrow")
_LIMIT: Final = Argument(Annotated[int, Field(description="Most rows.", ge=1, le=MOST)], DEFAULT_LIMIT)


class TableItem(BaseModel):
    """A table: rows, version, when it changed in milliseconds since 1970, and what computed it."""

    name: str
    rows: int
    version: int
    changed_ms: int
    computed_by: str | None


class Tables(BaseModel):
    """Tables of the folder."""

    items: list[TableItem]
    left_out: int = Field(0, description="How many tables are not in this answer.")


class Rows(BaseModel):
    """Rows by columns."""

    items: list[dict[str, Any]]
    left_out: int = Field(0, description="How many rows are known not to be in this answer.")
    has_more: bool = Field(False, description="true where the limit leaves rows out.")


def table_tools(installation: Installation) -> Iterator[Tool]:
    """Yield the tools, none where the libraries of the extra `tables` are not installed."""
    if any(find_spec(name) is None for name in _LIBRARIES):
        return
    if installation.tables is not None:
        yield Tool("tables", "Tables of analyses in the folder.", {}, Tables, call=lambda: _tables(installation))
    table = Annotated[str, Field(description="Table of the folder, as `tables` names it.")]
    job = Annotated[str, Field(description="AnalyticsJob whose table is read, NAMESPACE/NAME or NAME.")]
    columns = Annotated[list[str], Field(description="Columns; by default all.")]
    where = Annotated[list[str], Field(description="Only rows for which all hold, such as `day >= 2026-11-29`.")]
    yield Tool(
        "table_rows",
        "First rows of one table of analyses; give either table or job.",
        {
            "table": Argument(table, ""),
            "job": Argument(job, ""),
            "columns": Argument(columns, ()),
            "where": Argument(where, ()),
            "limit": _LIMIT,
        },
        Rows,
        call=lambda **given: _rows(installation, **given),
    )
    query = Annotated[str, Field(description="Query in DuckDB's SQL, which reads the tables and nothing else.")]
    jobs = Annotated[list[str], Field(description="AnalyticsJobs whose tables are read instead of the folder's.")]
    yield Tool(
        "sql",
        "Answer of a query in SQL on tables of analyses; an AnalyticsJob's table has the name of its field `table`.",
        {"query": Argument(query), "jobs": Argument(jobs, ()), "where": Argument(where, ()), "limit": _LIMIT},
        Rows,
        call=lambda **given: _sql(installation, **given),
    )


def _tables(installation: Installation) -> CallToolResult:
    described = [describe_table(table) for table in _folder(installation)]
    return answered({"items": [{name: table[name] for name in TableItem.model_fields} for table in described]})


def _rows(
    installation: Installation, *, table: str, job: str, columns: Sequence[str], where: Sequence[str], limit: int
) -> CallToolResult:
    if bool(table) == bool(job):
        raise WrongUseError("give either table or job")
    left_out = 0
    if table:
        known = {named.name: named.path for named in _folder(installation)}
        if table not in known:
            raise WrongUseError(f"there is no table {table} in the folder: it has {', '.join(known)}")
        dataset = filtered(open_table(known[table]), where)
    else:
        dataset, left_out, _ = _jobs(installation).first_rows(job, limit, columns, where, None)
    names = dataset.schema.names
    if unknown := [name for name in columns if name not in names]:
        raise WrongUseError(f"the table has no column {unknown[0]}: it has {', '.join(names)}")
    rows = dataset.head(limit, columns=list(columns) or None).to_pylist(maps_as_pydicts="lossy")
    left_out += dataset.count_rows() - len(rows)
    return answered({"items": json_value(rows), "left_out": left_out, "has_more": left_out > 0})


def _sql(
    installation: Installation, *, query: str, jobs: Sequence[str], where: Sequence[str], limit: int
) -> CallToolResult:
    datasets: Mapping[str, Any]
    if jobs:
        datasets = _jobs(installation).datasets(jobs, (), where)
    elif where:
        raise WrongUseError("where is for tables of jobs, which drivers read: write it in the query")
    else:
        datasets = open_datasets(_folder(installation))
    found = answer_query(query, datasets, limit=limit)
    rows = [json_value(dict(zip(found.columns, row, strict=True))) for row in found.rows]
    return answered({"items": rows, "has_more": found.has_more})


def _folder(installation: Installation) -> list[NamedTable]:
    if installation.tables is None:
        raise WrongUseError(
            "no folder of tables is open to this server: name AnalyticsJobs, or start it by "
            "`kwitness mcp --tables FOLDER`"
        )
    return find_tables(installation.tables)


def _jobs(installation: Installation) -> TablesOfJobs:
    access = installation.kubernetes()
    return TablesOfJobs(access, DriverAccess(access, None, None))
