"""Finds the Delta tables of a folder, gives them names, and opens them; without Spark."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from kwitness.answers.failure import CommandFailedError
from kwitness.contracts.plain_text import plain_text

_LOG = "_delta_log"
MOST_FOLDERS: Final = 20_000
"""Folders that are searched for tables; those of a table itself are not counted."""
_COMMIT: Final = re.compile(r"\d{20}\.json")
_READING: Final = ("deltalake", "duckdb")
"""Libraries that read tables; datasets of Arrow need pyarrow too."""


class NamedTable(NamedTuple):
    """A table by the name that SQL has it by, and its path."""

    name: str
    path: str


def find_tables(folder: str) -> list[NamedTable]:
    """Return all tables of a local folder and those below it, by name.

    A job's folder has its table as `table`, and is known by its own name; others are known by their path below.

    Raises
    ------
    CommandFailedError
        It is no local folder, there is no table in it, or it has too many folders to search.
    """
    require_libraries()
    root = _local(folder)
    found = []
    for number, (place, folders, _) in enumerate(os.walk(root)):
        if number == MOST_FOLDERS:
            raise CommandFailedError(
                f"{folder} has more than {MOST_FOLDERS:,} folders: name the folder that jobs write to"
            )
        if _LOG in folders:
            found.append(Path(place))
            folders.clear()
    if not found:
        raise CommandFailedError(f"there is no Delta table in {folder}: name a folder that jobs write to")
    tables: dict[str, str] = {}
    for path in sorted(found):
        tables[distinct_name(_name(path, root), tables)] = str(path)
    return [NamedTable(name, path) for name, path in tables.items()]


def newest_commit(path: str) -> tuple[str, int, int] | None:
    """Return what changes with each version of a local table, also where the table was recreated; None without one.

    The table is not opened: that takes the names of its log alone.
    """
    try:
        with os.scandir(Path(path) / _LOG) as files:
            newest = max((file for file in files if _COMMIT.fullmatch(file.name)), key=lambda file: file.name)
            facts = newest.stat()
    except (OSError, ValueError):
        return None
    return newest.name, facts.st_mtime_ns, facts.st_ino


def distinct_name(name: str, known: Container[str]) -> str:
    """Return a name, with a number behind it where it is known already."""
    distinct, number = name, 1
    while distinct in known:
        number += 1
        distinct = f"{name}_{number}"
    return distinct


def open_datasets(tables: Sequence[NamedTable]) -> dict[str, Any]:
    """Return datasets of Arrow by the names of tables; a query reads the columns and files that it needs."""
    return {table.name: dataset_of(open_table(table.path)) for table in tables}


def dataset_of(table: Any) -> Any:
    """Return the rows of a `deltalake.DeltaTable` as a dataset of Arrow.

    Raises
    ------
    CommandFailedError
        pyarrow is not installed.
    """
    require_libraries((*_READING, "pyarrow"))
    return table.to_pyarrow_dataset()


def filtered(table: Any, conditions: Sequence[str]) -> Any:
    """Return the dataset of a table's rows for which all conditions hold, as `filter_of` takes them.

    Raises
    ------
    CommandFailedError
        A condition does not fit the table.
    """
    from kwitness.jobs.frame.row_filter import InvalidFilterError, filter_of  # noqa: PLC0415

    dataset = dataset_of(table)
    try:
        condition = filter_of(dataset.schema, conditions)
    except InvalidFilterError as error:
        raise CommandFailedError(f"--where: {error}") from error
    return dataset if condition is None else dataset.filter(condition)


def open_table(path: str, version: int | None = None) -> Any:
    """Open a table, or that of a job's folder; the result is a `deltalake.DeltaTable`.

    Raises
    ------
    CommandFailedError
        There is no table, or it has no such version.
    """
    require_libraries()
    from deltalake import DeltaTable  # noqa: PLC0415
    from deltalake.exceptions import DeltaError, TableNotFoundError  # noqa: PLC0415

    if "://" not in path and not (Path(path) / _LOG).is_dir() and (Path(path) / "table" / _LOG).is_dir():
        path = str(Path(path) / "table")
    try:
        return DeltaTable(path, version=version, storage_options=_storage_options() if "://" in path else None)
    except TableNotFoundError as error:
        raise CommandFailedError(
            f"there is no Delta table at {path}: `kwitness tables list FOLDER` names those of a folder"
        ) from error
    except (DeltaError, OSError, ValueError) as error:
        if "://" in path and isinstance(error, OSError):
            raise CommandFailedError(
                f"{path} cannot be read ({_cause(error)}): give region, keys and endpoint by the variables of the "
                "store's own tools, such as AWS_ENDPOINT_URL (docs/guides/object-stores.md#read-the-tables)"
            ) from error
        which = path if version is None else f"version {version} of {path}"
        raise CommandFailedError(
            f"{which} cannot be read ({error}): `kwitness tables history PATH` lists its versions"
        ) from error


def require_libraries(libraries: Sequence[str] = _READING) -> None:
    """Check what reads tables.

    Raises
    ------
    CommandFailedError
        A library is not installed.
    """
    if lacks := [name for name in libraries if find_spec(name) is None]:
        raise CommandFailedError(
            f"reading tables needs {', '.join(lacks)}, not installed beside this command: install kwitness with its "
            "extra `tables`, as in `pip install --find-links dist 'kwitness[tables]'`"
        )


def _storage_options() -> dict[str, str]:
    """Bounds of time for a store that is away, and what the reader does not take from the environment itself."""
    options = {"connect_timeout": "5s", "timeout": "30s", "max_retries": "2", "retry_timeout": "30s"}
    if endpoint := os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL"):
        options["aws_endpoint_url"] = endpoint
        if endpoint.startswith("http:"):
            options["aws_allow_http"] = "true"
    return options


def _cause(error: OSError) -> str:
    """Return the first and the last reason of an error that a library draws as a tree, in colour."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [plain_text(line.strip(" \u21b3")) for line in plain.splitlines() if line.strip()]
    return lines[0] if len(lines) == 1 else f"{lines[0]}: {lines[-1]}"


def _local(folder: str) -> Path:
    address = urlsplit(folder)
    if "://" in folder and address.scheme != "file":
        raise CommandFailedError(
            f"{folder} is no local folder, and others cannot be searched: mount it, name one table to `show`, or its "
            "AnalyticsJob by --job"
        )
    root = Path(unquote(address.path)) if "://" in folder else Path(folder)
    if not root.is_dir():
        raise CommandFailedError(f"{folder} is no folder: name one that jobs write to")
    return root.resolve()


def _name(path: Path, root: Path) -> str:
    parts = list(path.relative_to(root).parts)
    if parts[-1:] == ["table"]:
        parts.pop()
    words = re.sub(r"[^a-z0-9]+", "_", "_".join(parts or [_own_name(root)]).lower()).strip("_")
    return words if words[:1].isalpha() else f"table_{words}".rstrip("_")


def _own_name(root: Path) -> str:
    return root.parent.name if root.name == "table" else root.name
