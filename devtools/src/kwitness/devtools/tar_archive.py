"""Packs files into tar archives that have the same bytes whenever and by whomever they are packed."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Collection, Mapping

__all__ = ["packed"]


def packed(files: Mapping[str, bytes], *, programs: Collection[str] = (), epoch: int = 0) -> bytes:
    """Return a gzipped tar with the files in the order of their names, without owners.

    Parameters
    ----------
    files
        Content by path within the archive.
    programs
        Those that can be executed.
    epoch
        Time of every file, seconds since 1970.
    """
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            entry.mode = 0o755 if name in programs else 0o644
            entry.mtime = epoch
            tar.addfile(entry, io.BytesIO(data))
    return gzip.compress(content.getvalue(), mtime=0)
