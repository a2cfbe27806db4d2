"""Describes a running sandbox in a file, by which commands in other terminals find its collector."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

__all__ = ["Session", "find_session", "published"]

_FOLDER: Final = "kwitness-try"
_OF_USERS: Final = Path("/run/user")
"""Folders for running programs, by the number of the user."""


class Session(BaseModel):
    """Addresses of the parts of one sandbox; `reader_token` permits to read the collector's inventory."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    pid: int
    bootstrap: str
    collector_address: str
    metrics_url: str
    reader_token: str


@contextlib.contextmanager
def published(session: Session) -> Iterator[Path]:
    """Keep the file of a session, readable for this user alone, until the block ends.

    The file is locked for as long as this process runs, so that one which was killed leaves no session behind.

    Raises
    ------
    PermissionError
        The folder of these files is another user's.
    """
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_own(folder):
        raise PermissionError(
            f"{folder} belongs to another user or is open to others: remove it, or set XDG_RUNTIME_DIR"
        )
    file = folder / f"{session.pid}.json"
    partial = file.with_suffix(".partial")
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        opened.write(session.model_dump_json())
        opened.flush()
        partial.rename(file)
        try:
            yield file
        finally:
            file.unlink(missing_ok=True)


def find_session() -> Session | None:
    """Return the session that was published last and whose process still runs; None when there is none."""
    folder = _folder()
    if not _is_own(folder):
        return None
    files = sorted(folder.glob("*.json"), key=_modified_ns, reverse=True)
    return next((session for file in files if (session := _read(file)) is not None), None)


def _read(file: Path) -> Session | None:
    try:
        with file.open() as opened:
            if _is_free(opened.fileno()):
                return None
            return Session.model_validate_json(opened.read())
    except (OSError, ValidationError):
        return None


def _is_free(descriptor: int) -> bool:
    """Return whether no process holds the lock of a file: the one that wrote it has ended."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_own(folder: Path) -> bool:
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077


def _modified_ns(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _folder() -> Path:
    """Of this user alone: in the folder for running programs, else beside temporary files.

    Programs with language models start others with few variables and without XDG_RUNTIME_DIR, whose usual value is
    assumed then.
    """
    usual = _OF_USERS / str(os.getuid())
    runtime = os.environ.get("XDG_RUNTIME_DIR") or (usual if usual.is_dir() else None)
    return Path(runtime) / _FOLDER if runtime else Path(tempfile.gettempdir()) / f"{_FOLDER}-{os.getuid()}"
