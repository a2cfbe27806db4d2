"""Writes images of the container engine in a form that depends on their content alone, by a program in Go."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kwitness.e2e.binaries import NODE_SOURCES, GoCommand, built
from kwitness.images.commands import Progress, run, silent

__all__ = ["NORMALIZE", "ArchivedImage", "WrittenImage", "write_images"]

NORMALIZE: Final = GoCommand("normalize", NODE_SOURCES / "registry", "./normalize")


@dataclass(frozen=True, kw_only=True)
class ArchivedImage:
    """An image in an archive, and where it goes."""

    name: str
    reference: str
    """Its name in the archive."""
    latest: int
    """The latest time that a file may have, in seconds since 1970; later ones get it."""
    labels: Mapping[str, str]
    push: str = ""
    """Name in a registry that it is pushed to; empty, it is not pushed."""


@dataclass(frozen=True, kw_only=True)
class WrittenImage:
    """The digests of an image."""

    digest: str
    """Of its index, by which it is pulled on every platform."""
    platforms: Mapping[str, str]
    """Of what a platform gets: `linux/amd64`."""


def write_images(
    archive: Path, images: Sequence[ArchivedImage], layout: Path, created: int, progress: Progress = silent
) -> dict[str, WrittenImage]:
    """Write images of an archive into an OCI image layout, push them, and return their digests by name.

    Parameters
    ----------
    archive
        As `docker save` writes it.
    layout
        A folder that is absent; it appears when all images are complete, and before they are pushed.
    created
        The time that images say they were created at, in seconds since 1970.

    Raises
    ------
    CommandFailedError
        The archive is damaged, or a registry refused; the message says which image and why.
    """
    program = built(NORMALIZE, progress) / NORMALIZE.name
    request = {
        "archive": str(archive),
        "layout": str(layout),
        "created": created,
        "images": [dataclasses.asdict(image) for image in images],
    }
    # As large as the archive are the layers that it keeps until all are complete.
    environment = {"TMPDIR": str(archive.parent)}
    digests = json.loads(run([program], input_text=json.dumps(request), environment=environment))
    return {name: WrittenImage(**written) for name, written in digests.items()}
