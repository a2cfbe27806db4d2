"""Describes the release that is made: its version, its commit, and where it goes."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from kwitness.devtools.release.identity import Identity, read_identity
from kwitness.images.image_parts import REPOSITORY

__all__ = ["REPOSITORY", "Release", "ReleaseError", "git", "version_remedy"]


class ReleaseError(RuntimeError):
    """A release cannot be made; the message says why and what to do."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """Version, sources and destinations, which all steps share."""

    version: str
    """Such as `0.2.0`."""
    out: Path
    """Folder of its files, a folder for each kind."""
    registry: str
    """Registry of images and charts: `host[:port][/path]`."""
    key: Path | None = None
    """Private key that signs; without, nothing is signed."""
    openpgp_key: Path | None = None
    """Secret OpenPGP key that signs Maven's artefacts; without, they have no signatures."""
    identity: Identity = field(default_factory=read_identity)

    @property
    def commit(self) -> str:
        """The commit that is released, 40 hexadecimal digits."""
        return git("rev-parse", "HEAD")

    @property
    def epoch(self) -> int:
        """Seconds since 1970 of the commit: the one time that artefacts contain (`SOURCE_DATE_EPOCH`)."""
        return int(git("show", "--no-patch", "--format=%ct", "HEAD"))

    @property
    def created(self) -> str:
        """The same time, such as `2026-12-01T00:00:00Z`."""
        return datetime.fromtimestamp(self.epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    @contextlib.contextmanager
    def replaced_folder(self, name: str) -> Iterator[Path]:
        """Have an empty folder that takes the place of one below ``out`` when the block ends without an error."""
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=self.folder("")) as scratch:
            folder = Path(scratch) / name
            folder.mkdir()
            yield folder
            shutil.rmtree(self.folder(name))
            folder.replace(self.out / name)

    def empty_folder(self, name: str) -> Path:
        """Return a folder below ``out`` from which what was there is removed."""
        shutil.rmtree(self.out / name, ignore_errors=True)
        return self.folder(name)

    def folder(self, name: str) -> Path:
        """Return a folder below ``out``, made where it is absent."""
        folder = self.out / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def version_remedy(version: str) -> str:
    """Return what to do where sources are of another version."""
    return f"run `make version VERSION={version}` and commit what it writes"


def git(*arguments: str) -> str:
    """Return what a command of git printed about this repository.

    Raises
    ------
    ReleaseError
        The command failed: an export of the sources is no repository.
    """
    done = subprocess.run(["git", "-C", REPOSITORY, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"`git {' '.join(arguments)}` failed in {REPOSITORY}: {done.stderr.strip()}")
    return done.stdout.rstrip()
