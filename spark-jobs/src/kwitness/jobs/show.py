"""`python -m kwitness.jobs.show clientInventory`: prints a job's table without a JVM, for people or as JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kwitness.contracts.job_config import JobConfig

_CONFIG = Path("/etc/kwitness/job/job.json")
#: What people see of each table: heading, column.
_COLUMNS: dict[str, tuple[tuple[str, str], ...]] = {
    "clientInventory": (
        ("KIND", "kind"),
        ("SOFTWARE", "client_software_name"),
        ("VERSION", "client_software_version"),
        ("CLIENT ID", "client_id"),
        ("INSTANCE", "client_instance_id"),
        ("LISTENER", "listener"),
        ("ROLES", "roles"),
        ("METRICS", "metrics"),
        ("CONFORMS", "conforms"),
        ("MISSING", "missing_required"),
        ("CONNECTIONS", "max_connections"),
        ("FIRST SEEN", "first_seen_ms"),
        ("LAST SEEN", "last_seen_ms"),
        ("OURS", "ours"),
    ),
}
_COUNTED = frozenset({"metrics", "missing_required"})


class NoTableError(LookupError):
    """There is no table to show."""


def read_rows(path: str) -> list[dict[str, Any]]:
    """All rows of a Delta table.

    Raises
    ------
    NoTableError
        There is no table at the path yet.
    """
    # Imported here, so that --help needs no library.
    from deltalake import DeltaTable  # noqa: PLC0415
    from deltalake.exceptions import TableNotFoundError  # noqa: PLC0415

    try:
        table = DeltaTable(path)
    except TableNotFoundError:
        raise NoTableError(f"no Delta table at {path}: wait for the job's first micro-batch") from None
    # By way of the dataset: `to_pyarrow_table` was seen to abort the interpreter at its exit.
    rows: list[dict[str, Any]] = table.to_pyarrow_dataset().to_table().to_pylist()
    return rows


def render(job_type: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as aligned text."""
    columns = _COLUMNS[job_type]
    ordered = sorted(rows, key=lambda row: [str(row.get(name) or "") for _, name in columns[:5]])
    cells = [[heading for heading, _ in columns]]
    cells += [[_cell(name, row.get(name)) for _, name in columns] for row in ordered]
    widths = [max(len(line[index]) for line in cells) for index in range(len(columns))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if there is none."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.jobs.show", description="Prints a job's table.")
    parser.add_argument("type", choices=sorted(_COLUMNS), help="the job's type")
    parser.add_argument("--table", help=f"path of the Delta table (default: as in {_CONFIG})")
    parser.add_argument("--json", action="store_true", help="a JSON array with all columns")
    options = parser.parse_args(arguments)
    path = options.table or JobConfig.model_validate_json(_CONFIG.read_bytes()).table_path
    try:
        rows = read_rows(path)
    except NoTableError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(json.dumps(rows) if options.json else render(options.type, rows))
    sys.stdout.write("\n")
    return 0


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if name.endswith("_ms"):
        return datetime.fromtimestamp(value / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    if name in _COUNTED:
        return str(len(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ",".join(map(str, value)) or "-"
    # Clients choose what they are called; control characters would reach the terminal.
    return "".join(one if one.isprintable() else "?" for one in str(value))[:48]


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: deltalake 1.6 still has threads, and now and then aborts an interpreter that ends around them.
    os._exit(code)
