"""`python -m kwitness.jobs.show ClientInventory`: prints a job's tables without a JVM, for people or as JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from kwitness.contracts.job_config import JobConfig
from kwitness.contracts.resources.analyses import JOB_TYPES
from kwitness.jobs.analyses.registry import find_job
from kwitness.jobs.frame.first_rows import NoTableError, all_rows, first_rows
from kwitness.jobs.frame.job import DisplayColumn
from kwitness.jobs.frame.losses import LOSS_SCHEMA
from kwitness.jobs.frame.object_store import StorageKeysError, reader_variables
from kwitness.jobs.frame.text_table import render

_CONFIG = Path("/etc/kwitness/job/job.json")
#: Rows that are shown unless told otherwise, and columns that sort them.
_LIMIT = 1000
_SORTED_BY = 5
_QUARANTINE = (
    DisplayColumn("TOPIC", "topic"),
    DisplayColumn("PARTITION", "partition"),
    DisplayColumn("OFFSET", "offset"),
    DisplayColumn("REASON", "reason"),
    DisplayColumn("MESSAGE", "message"),
    DisplayColumn("BYTES", "value_bytes"),
    DisplayColumn("TIME", "timestamp_ms"),
)
_LOSSES = tuple(DisplayColumn(name.replace("_", " ").upper(), name) for name in LOSS_SCHEMA.names)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if there is none, or if there is no job here to ask."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.jobs.show", description="Prints a job's tables.")
    parser.add_argument("type", choices=JOB_TYPES, help="the job's type")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--quarantine", action="store_true", help="records that could not be used, with the reason")
    which.add_argument("--losses", action="store_true", help="records that were gone before they were read")
    parser.add_argument("--table", help=f"path of the Delta table (default: as in {_CONFIG})")
    parser.add_argument("--json", action="store_true", help="a JSON array with all columns")
    parser.add_argument(
        "--limit", type=int, default=_LIMIT, metavar="N", help=f"rows at most (default: {_LIMIT}); 0: all, only as JSON"
    )
    options = parser.parse_args(arguments)
    columns = (
        _QUARANTINE if options.quarantine else _LOSSES if options.losses else find_job(options.type).display_columns
    )
    if options.limit < 0 or (options.limit == 0 and not options.json):
        parser.error("--limit 0, all rows, is for --json: a table for people is sorted and aligned, in memory")
    try:
        path = options.table or _configured(options)
        if options.limit == 0:
            _write_all(path)
        else:
            _write_first(path, columns, options.limit, as_json=options.json)
    except (NoTableError, StorageKeysError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _write_first(path: str, columns: Sequence[DisplayColumn], limit: int, *, as_json: bool) -> None:
    shown = [one.column for one in columns]
    found = first_rows(path, shown[:_SORTED_BY], limit, None if as_json else shown)
    sys.stdout.write(json.dumps(found.rows, default=str) if as_json else render(columns, found.rows))
    sys.stdout.write("\n")
    if found.total > len(found.rows):
        sys.stderr.write(f"{len(found.rows)} of {found.total} rows: --limit says how many\n")


def _write_all(path: str) -> None:
    between = "["
    for row in all_rows(path):
        sys.stdout.write(between + json.dumps(row, default=str))
        between = ",\n"
    sys.stdout.write("[]\n" if between == "[" else "]\n")


def _configured(options: argparse.Namespace) -> str:
    try:
        config = JobConfig.model_validate_json(_CONFIG.read_bytes())
    except (OSError, ValidationError):
        raise NoTableError(
            f"{_CONFIG} does not say where the table is: run this in the driver's pod, or give --table"
        ) from None
    os.environ.update(reader_variables(config))
    if options.quarantine:
        return f"{config.quarantine_path}/records"
    return f"{config.quarantine_path}/losses" if options.losses else config.table_path


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: deltalake 1.6 still has threads, and now and then aborts an interpreter that ends around them.
    os._exit(code)
