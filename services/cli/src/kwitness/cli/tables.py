"""`kwitness tables`: reads the Delta tables of jobs without Spark, asks them in SQL, and forgets principals."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from kwitness.cli.arguments import Arguments
from kwitness.cli.delta_tables import find_tables, open_table, require_libraries
from kwitness.cli.failure import CommandFailedError
from kwitness.cli.forgetting import count, forget, vacuum
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.cli.table_answers import ask, list_tables, show_history, show_rows
from kwitness.jobs.frame.text_table import aligned

ABOUT = SUBCOMMANDS["tables"].about
_FOLDER = "Local folder with tables, at any depth."
_PATH = "Table or job's folder, or the address of a table in an object store."


def run(arguments: Sequence[str]) -> NoReturn:
    """Answer, and end this process."""
    code = 0
    try:
        answer(arguments)
    except CommandFailedError as error:
        print(f"kwitness tables: {error}", file=sys.stderr)
        code = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        pass
    # Not sys.exit: deltalake 1.6 still has threads, and now and then aborts an interpreter that ends around them.
    os._exit(code)


def answer(arguments: Sequence[str]) -> None:
    """Print what is asked for.

    Raises
    ------
    CommandFailedError
        It cannot be answered.
    """
    given = parser().parse_args(arguments)
    require_libraries()
    match given.what:
        case "list":
            list_tables(find_tables(given.folder), as_json=given.json)
        case "show":
            columns = [one for one in given.columns.split(",") if one]
            show_rows(open_table(given.path, given.version), limit=given.limit, columns=columns, as_json=given.json)
        case "history":
            show_history(open_table(given.path), limit=given.limit, as_json=given.json)
        case "sql":
            ask(given.query, find_tables(given.folder), as_json=given.json)
        case _:
            _forget(given)


def _forget(given: argparse.Namespace) -> None:
    tables = find_tables(given.folder)
    change = forget if given.yes else count
    done = [(name, *change(path, given.principal)) for name, path in tables]
    verb = "" if given.yes else " TO BE"
    print(aligned(["TABLE", f"ROWS{verb} REMOVED", f"ROWS{verb} EMPTIED OF IT"], done))
    if not given.yes:
        print("kwitness tables: nothing was changed; --yes does it", file=sys.stderr)
    elif given.vacuum:
        files = sum(vacuum(path) for _, path in tables)
        print(
            f"kwitness tables: {files} files of older versions were removed. The tables' logs name least and greatest "
            "values of files, and what was forgotten, until jobs clean them (2 days)",
            file=sys.stderr,
        )
    else:
        print(
            "kwitness tables: files of older versions still hold it, until the job's maintenance removes them (a day "
            "later), or --vacuum does now",
            file=sys.stderr,
        )


def parser() -> Arguments:
    """Return the parser of its arguments."""
    whole = Arguments(prog="kwitness tables", description=f"{ABOUT} Needs no Spark.")
    whats = whole.add_subparsers(title="Commands", dest="what", required=True, metavar="COMMAND")
    listing = whats.add_parser("list", help="List the tables of a folder.")
    listing.add_argument("folder", metavar="FOLDER", help=_FOLDER)

    show = whats.add_parser("show", help="Show rows of a table.")
    show.add_argument("path", metavar="PATH", help=_PATH)
    show.add_argument("--limit", type=_positive, default=100, metavar="N", help="Most rows; by default 100.")
    show.add_argument("--columns", default="", metavar="A,B", help="Columns to show; by default all that have values.")
    show.add_argument("--version", type=int, metavar="N", help="Version of the table; by default the newest.")

    sql = whats.add_parser("sql", help="Query tables in DuckDB's SQL, by the names that `list` shows.")
    sql.add_argument("query", metavar="QUERY", help="Query in SQL.")
    sql.add_argument("folder", metavar="FOLDER", help=_FOLDER)

    history = whats.add_parser("history", help="Show the commits of a table, the newest first.")
    history.add_argument("path", metavar="PATH", help=_PATH)
    history.add_argument("--limit", type=_positive, default=20, metavar="N", help="Most commits; by default 20.")

    forgetting = whats.add_parser("forget", help="Remove a principal from all tables of a folder.")
    forgetting.add_argument(
        "--principal", required=True, metavar="NAME", help="Principal as in the tables, such as User:alice."
    )
    forgetting.add_argument("folder", metavar="FOLDER", help=_FOLDER)
    forgetting.add_argument("--yes", action="store_true", help="Remove it; by default rows are only counted.")
    forgetting.add_argument("--vacuum", action="store_true", help="Remove files of older versions as well.")
    for one in (listing, show, sql, history):
        one.add_argument("--json", action="store_true", help="Print JSON.")
    return whole


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number
