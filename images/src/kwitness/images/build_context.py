"""Writes the files of a build so that an image has nothing of the machine that they were on: times, owners, umask."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import IO, Final

__all__ = ["write_context"]

_FILES_FROM: Final = 315532800
"""The time of files: the first that a zip can have, 1 January 1980."""


def write_context(folder: Path, sink: IO[bytes]) -> None:
    """Write all files of a folder as a tar archive, by name.

    Java refuses an archive of classes whose jars have another time than when it was written. So jars get their time
    here, and not when the image is finished. Several names of one file are several files: what a folder was filled
    with are hard links, and which of them are to one file depends on the cache.
    """
    with tarfile.open(fileobj=sink, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(folder.rglob("*")):
            entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
            entry.mtime = _FILES_FROM
            if path.is_symlink():
                entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, str(path.readlink()), 0o777
                archive.addfile(entry)
            elif path.is_dir():
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(entry)
            else:
                state = path.stat()
                entry.size, entry.mode = state.st_size, 0o755 if state.st_mode & 0o100 else 0o644
                with path.open("rb") as content:
                    archive.addfile(entry, content)
