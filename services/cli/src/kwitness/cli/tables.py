"""`kwitness tables`: reads the Delta tables of jobs without Spark, queries them in SQL, and forgets principals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kwitness.answers.failure import WrongUseError
from kwitness.answers.tables.delta_tables import filtered, find_tables, open_datasets, open_table
from kwitness.answers.tables.isolated_sql import DEFAULT_ROWS
from kwitness.cli.columns import columns_of, row_of
from kwitness.cli.forgetting import count, forget, vacuum
from kwitness.cli.named_arguments import job_option, named
from kwitness.cli.options import Options, new_app, shared
from kwitness.cli.output import Output, warn
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.cli.table_answers import ask, list_tables, show_history, show_rows
from kwitness.contracts.spelling import quantity

if TYPE_CHECKING:
    from kwitness.answers.tables.tables_of_jobs import TablesOfJobs

__all__ = ["app"]

app = new_app(SUBCOMMANDS["tables"].about)

_FOLDER = named("FOLDER", "Local folder with tables, at any depth.")
_Folder = Annotated[str, _FOLDER]
_MaybeFolder = Annotated[str | None, _FOLDER]
_MaybePath = Annotated[
    str | None, named("PATH", "Table or job's folder, or the address of a table in an object store.")
]
_Job = Annotated[str | None, job_option("AnalyticsJob whose table is read.")]
_Where = Annotated[
    list[str] | None,
    typer.Option("--where", metavar="CONDITION", help="Only such rows, as 'day >= 2026-11-29'; repeatable."),
]
_Reader = Annotated[
    str | None,
    typer.Option(
        "--reader",
        metavar="[NAMESPACE/]NAME",
        help="Service account that reads rows through a job's driver; by default kwitness-readers.",
    ),
]
_Driver = Annotated[
    str | None,
    typer.Option(
        "--driver-address",
        metavar="HOST:PORT",
        help="Address of the status port of the job's driver; by default a port is forwarded to its pod.",
    ),
]


@app.command("list")
@shared
def list_folder(options: Options, *, folder: _Folder) -> None:
    """List the tables of a folder."""
    list_tables(Output(options), find_tables(folder))


@app.command()
@shared
def show(
    options: Options,
    *,
    path: _MaybePath = None,
    job: _Job = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Most rows; by default 100.")] = 100,
    columns: Annotated[
        str, typer.Option("--columns", metavar="A,B", help="Columns to show; by default all that have values.")
    ] = "",
    version: Annotated[
        int | None,
        typer.Option("--version", metavar="N", min=0, help="Version of the table; by default the newest."),
    ] = None,
    where: _Where = None,
    reader: _Reader = None,
    driver: _Driver = None,
) -> None:
    """Show rows of a table."""
    _require_path_or_job(path, job)
    names, left_out = _names(columns), 0
    if path is not None:
        dataset = filtered(open_table(path, version), where or ())
    else:
        tables = _jobs(options, reader, driver)
        dataset, left_out, reason = tables.first_rows(str(job), limit, names, where or (), version)
        if reason not in {None, "limit"}:
            warn(f"the driver left out {quantity(left_out, 'row')} ({reason})")
    show_rows(Output(options), dataset, limit=limit, columns=names, left_out=left_out)


@app.command()
@shared
def sql(
    options: Options,
    *,
    query: Annotated[str, named("QUERY", "Query in SQL.")],
    folder: _MaybeFolder = None,
    job: Annotated[list[str] | None, job_option("AnalyticsJob whose table is read; repeatable.")] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="Most rows; by default 1000.", show_default=False)
    ] = DEFAULT_ROWS,
    columns: Annotated[
        str, typer.Option("--columns", metavar="A,B", help="Columns to read through a driver; by default all.")
    ] = "",
    where: _Where = None,
    reader: _Reader = None,
    driver: _Driver = None,
) -> None:
    """Query tables in DuckDB's SQL, by the names that `list` shows.

    The table of an AnalyticsJob has the name of its field `table`.
    """
    if (folder is None) == (not job):
        raise WrongUseError("give either a FOLDER with tables or --job NAME")
    if folder is not None and (columns or where):
        raise WrongUseError("--columns and --where are for tables of jobs, which drivers read: write them in the QUERY")
    if folder is not None:
        datasets = open_datasets(find_tables(folder))
    else:
        datasets = _jobs(options, reader, driver).datasets(job or (), _names(columns), where or ())
    ask(Output(options), query, datasets, limit=limit)


@app.command()
@shared
def history(
    options: Options,
    *,
    path: _MaybePath = None,
    job: _Job = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Most commits; by default 20.")] = 20,
) -> None:
    """Show the commits of a table, the newest first."""
    _require_path_or_job(path, job)
    table = open_table(path) if path is not None else _jobs(options).table(str(job))
    show_history(Output(options), table, limit=limit)


@app.command("forget")
@shared
def forget_principal(
    options: Options,
    *,
    folder: _Folder,
    principal: Annotated[
        str, typer.Option("--principal", metavar="NAME", help="Principal as in the tables, such as User:alice.")
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Remove it; by default rows are only counted.")] = False,
    remove_files: Annotated[
        bool, typer.Option("--vacuum", help="Remove files of older versions as well; needs --yes.")
    ] = False,
) -> None:
    """Remove a principal from all tables of a folder."""
    if remove_files and not yes:
        raise WrongUseError("--vacuum removes files: give --yes as well, or leave it out to count rows")
    tables = find_tables(folder)
    change = forget if yes else count
    done = [(name, path, change(path, principal)) for name, path in tables]
    verb = "" if yes else " TO BE"
    headings = ("TABLE", f"ROWS{verb} REMOVED", f"ROWS{verb} EMPTIED OF IT")
    Output(options).show(
        done,
        columns_of(headings),
        lambda table: row_of(headings, (table[0], *table[2])),
        document=lambda table: {"name": table[0], "path": table[1], **table[2]._asdict(), "done": yes},
        name=lambda table: table[1],
        empty="there are no tables",
    )
    if not yes:
        warn("nothing was changed: --yes removes the principal")
    elif remove_files:
        files = sum(vacuum(path) for _, path in tables)
        warn(
            f"{files} files of older versions were removed. The tables' logs name least and greatest values of files, "
            "and the principal, until jobs clean them (2 days)"
        )
    else:
        warn(
            "files of older versions still hold the principal, until the job's maintenance removes them (a day "
            "later), or --vacuum does now"
        )


def _require_path_or_job(path: str | None, job: str | None) -> None:
    if (path is None) == (job is None):
        raise WrongUseError("give either the PATH of a table or --job NAME")


def _names(columns: str) -> list[str]:
    return list(dict.fromkeys(filter(None, columns.split(","))))


def _jobs(options: Options, reader: str | None = None, driver: str | None = None) -> TablesOfJobs:
    # Imported here: a table that is named by its path needs no cluster.
    from kwitness.answers.access.cluster_access import connect  # noqa: PLC0415
    from kwitness.answers.tables.driver_rows import DriverAccess  # noqa: PLC0415
    from kwitness.answers.tables.tables_of_jobs import TablesOfJobs  # noqa: PLC0415

    access = connect(options)
    return TablesOfJobs(access, DriverAccess(access, reader, driver))
