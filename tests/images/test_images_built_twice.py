"""An image that is built twice has one digest, though its files were written at two times."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kwitness.devtools.release.image_archive import ArchivedImage, write_images
from kwitness.e2e.binaries import PAUSE, built
from kwitness.images import container_engine

pytestmark = pytest.mark.node

REFERENCE = "kwitness/twice:1"


def digest(folder: Path, modified: int) -> str:
    """Build an image from files of a time, without what the engine keeps, and return its digest."""
    context = folder / "context"
    context.mkdir(parents=True)
    (context / "pause").write_bytes((built(PAUSE) / "pause").read_bytes())
    (context / "pause").chmod(0o755)
    (context / "Dockerfile").write_text("FROM scratch\nCOPY pause /bin/pause\nWORKDIR /made\nUSER 1\n")
    for file in context.iterdir():
        os.utime(file, (modified, modified))
    container_engine.build(context, REFERENCE, is_cached=False)
    try:
        container_engine.save([REFERENCE], folder / "saved.tar")
    finally:
        container_engine.docker("rmi", REFERENCE)
    image = ArchivedImage(name="twice", reference=REFERENCE, latest=1_600_000_000, labels={})
    return write_images(folder / "saved.tar", [image], folder / "layout", 1_700_000_000)["twice"].digest


def test_an_image_that_is_built_twice_has_one_digest(tmp_path: Path) -> None:
    container_engine.ensure_engine()

    assert digest(tmp_path / "first", 1_650_000_000) == digest(tmp_path / "second", 1_660_000_000)
