"""Writes `SHA256SUMS`, which names every file of a release with its checksum."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kwitness.devtools.release.release import Release, ReleaseError
from kwitness.images.commands import Progress

__all__ = ["CHECKSUMS", "checksums", "digests", "sha256_of"]

CHECKSUMS: Final = "SHA256SUMS"


def checksums(release: Release, progress: Progress) -> None:
    """Write the file, as `sha256sum --check` reads it.

    Raises
    ------
    ReleaseError
        There is no file.
    """
    lines = [f"{digest}  {name}\n" for name, digest in digests(release.out) if not name.startswith(CHECKSUMS)]
    if not lines:
        raise ReleaseError(f"{release.out} has no files: run the other steps first")
    (release.out / CHECKSUMS).write_text("".join(lines), encoding="utf-8")
    progress(f"{CHECKSUMS}: {len(lines)} files")


def digests(folder: Path) -> Iterator[tuple[str, str]]:
    """Return files below a folder, by their names, with their SHA-256."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        yield path.relative_to(folder).as_posix(), sha256_of(path)


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
