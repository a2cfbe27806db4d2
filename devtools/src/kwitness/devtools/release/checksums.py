"""Writes `SHA256SUMS`, which names every file of a release with its checksum."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kwitness.devtools.release.release import Release, ReleaseError
from kwitness.images.commands import Progress

__all__ = ["CHECKSUMS", "PUBLIC_KEY", "SIGNATURE", "checksum_lines", "checksums", "digests", "sha256_of"]

CHECKSUMS: Final = "SHA256SUMS"
SIGNATURE: Final = f"{CHECKSUMS}.sig"
"""Name of the file with its signature."""
PUBLIC_KEY: Final = "cosign.pub"
"""Name of the file with the public key."""


def checksums(release: Release, progress: Progress) -> None:
    """Write the file, as `sha256sum --check` reads it, and remove the signature of an older one.

    Raises
    ------
    ReleaseError
        There is no file.
    """
    lines = checksum_lines(release)
    if not lines:
        raise ReleaseError(f"{release.out} has no files: run the other steps first")
    (release.out / SIGNATURE).unlink(missing_ok=True)
    (release.out / CHECKSUMS).write_text("".join(lines), encoding="utf-8")
    progress(f"{CHECKSUMS}: {len(lines)} files")


def checksum_lines(release: Release) -> list[str]:
    """Return a line for each file but itself and those that sign it."""
    left_out = {CHECKSUMS, SIGNATURE, PUBLIC_KEY}
    return [f"{digest}  {name}\n" for name, digest in digests(release.out) if name not in left_out]


def digests(folder: Path) -> Iterator[tuple[str, str]]:
    """Return files below a folder, by their names, with their SHA-256."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        yield path.relative_to(folder).as_posix(), sha256_of(path)


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
