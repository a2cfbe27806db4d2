"""The jar before Spark's on the class path is the same bytes whenever it is written, with the time that images have."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from kwitness.images.class_archive import CLASSPATH, write_classpath

pytestmark = pytest.mark.slow


def written(folder: Path, modified: int) -> Path:
    resources = folder / "resources"
    (resources / "inner").mkdir(parents=True)
    (resources / "inner" / "settings").write_text("a=1\n")
    os.utime(resources / "inner" / "settings", (modified, modified))
    write_classpath(folder / CLASSPATH, resources, [folder / "jars" / "a.jar"])
    return folder / CLASSPATH


def test_the_class_path_does_not_depend_on_when_it_is_written(tmp_path: Path) -> None:
    first, second = written(tmp_path / "one", 1_600_000_000), written(tmp_path / "two", 1_700_000_000)

    assert first.read_bytes() == second.read_bytes()
    assert first.stat().st_mtime == second.stat().st_mtime == 315532800
    with zipfile.ZipFile(first) as jar:
        assert jar.read("inner/settings") == b"a=1\n"
        assert b"Class-Path: jars/a.jar" in jar.read("META-INF/MANIFEST.MF")
