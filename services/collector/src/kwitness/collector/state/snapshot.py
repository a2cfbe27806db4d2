"""The state file: rows of JSON, compressed, replaced as a whole, and refused as a whole when damaged."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

_NAME: Final = "kwitness.collector-state/"
FORMAT: Final = 2
"""Number of what is written; the one before is read."""
_ROWS_PER_WRITE: Final = 500
_MODE: Final = 0o600


class DamagedStateError(ValueError):
    """The state file is not what was written."""


class UnknownFormatError(ValueError):
    """The state file is of a later version, whose number is ``format``."""

    def __init__(self, path: Path, number: str) -> None:
        super().__init__(f"{path} is of format {number}, {FORMAT} is read")
        self.format = number


def keep_aside(path: Path, found: str) -> None:
    """Rename a file that was not read, so that it is not replaced; ``found`` says what it is. One such file is kept."""
    for former in path.parent.glob("state.*.kept"):
        former.unlink(missing_ok=True)
    path.rename(path.with_name(f"state.{found}.kept"))


def write(path: Path, sections: Iterable[tuple[str, Iterable[list[object]]]]) -> None:
    """Replace the file by all rows of all sections.

    Raises
    ------
    OSError
        If it cannot be written; the old file is still there then.
    """
    temporary = path.with_suffix(".new")
    # It says who is connected from where: as the journals it is for this process alone.
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _MODE), "wb") as file:
        os.fchmod(file.fileno(), _MODE)
        with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=1, mtime=0) as out:
            count = 0
            lines = [json.dumps(["begin", f"{_NAME}{FORMAT}"])]
            for section, rows in sections:
                lines.append(json.dumps(["section", section]))
                for row in rows:
                    lines.append(json.dumps(row))
                    count += 1
                    if len(lines) >= _ROWS_PER_WRITE:
                        out.write(("\n".join(lines) + "\n").encode())
                        lines.clear()
            lines.append(json.dumps(["end", count]))
            out.write(("\n".join(lines) + "\n").encode())
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def is_current(path: Path) -> bool:
    """Whether the file is of this format; also where there is none, or one that cannot be read.

    Raises
    ------
    UnknownFormatError
        If a later version wrote it.
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            begin = json.loads(file.readline())
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        return True
    match begin:
        case ["begin", str() as schema] if schema.startswith(_NAME):
            number = schema.removeprefix(_NAME)
            if number.isdecimal() and int(number) > FORMAT:
                raise UnknownFormatError(path, number)
            return number == str(FORMAT)
    return True


def read(path: Path) -> Iterator[tuple[str, list[Any]]]:
    """Yield all rows with their section; nothing when there is no file. Checked as a whole before the first row.

    Raises
    ------
    DamagedStateError
        If the file is cut, altered or from something else.
    """
    try:
        for _ in _rows(path):
            pass
    except FileNotFoundError:
        return
    except (OSError, EOFError, zlib.error, ValueError, IndexError, TypeError, RecursionError) as error:
        raise DamagedStateError(f"{path} cannot be read: {error}") from error
    yield from _rows(path)


def _rows(path: Path) -> Iterator[tuple[str, list[Any]]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        if json.loads(next(file, "null")) not in (["begin", f"{_NAME}{FORMAT}"], ["begin", f"{_NAME}{FORMAT - 1}"]):
            raise ValueError(f"it does not begin with {_NAME}{FORMAT}")
        section, read_rows = "", 0
        for line in file:
            match json.loads(line):
                case ["section", str() as name]:
                    section = name
                case ["end", int() as count]:
                    if count != read_rows:
                        raise ValueError(f"{count} rows were written, {read_rows} are there")
                    if file.read():  # to the end, where gzip compares its checksum
                        raise ValueError("something comes after its end")
                    return
                case [str(), *_] as row:
                    read_rows += 1
                    yield section, row
                case _:
                    raise ValueError("a row does not say what it is")
    raise ValueError("it has no end")
