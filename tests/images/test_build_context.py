"""The files of a build come to the engine without what the machine adds to them."""

from __future__ import annotations

import io
import os
import sys
import tarfile
from pathlib import Path
from typing import IO

import pytest

from kwitness.images.build_context import write_context
from kwitness.images.commands import CommandFailedError, feed


def context(folder: Path, *, modified: int, mask: int) -> bytes:
    """Write an archive of a folder that a machine with a umask filled at a time."""
    (folder / "jars").mkdir(parents=True)
    (folder / "jars" / "a.jar").write_bytes(b"jar")
    (folder / "start.sh").write_text("true")
    (folder / "start.sh").chmod(0o777 & ~mask)
    (folder / "jars" / "a.jar").chmod(0o666 & ~mask)
    (folder / "newest").symlink_to("jars/a.jar")
    os.utime(folder / "jars" / "a.jar", (modified, modified))
    written = io.BytesIO()
    write_context(folder, written)
    return written.getvalue()


def test_times_and_umask_of_the_machine_do_not_count(tmp_path: Path) -> None:
    first = context(tmp_path / "one", modified=1_600_000_000, mask=0o022)

    assert first == context(tmp_path / "two", modified=1_700_000_000, mask=0o077)


def test_files_keep_names_contents_and_who_may_run_them(tmp_path: Path) -> None:
    folder = tmp_path / "context"
    archive = context(folder, modified=1_600_000_000, mask=0o022)

    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        entries = {entry.name: entry for entry in opened.getmembers()}
        jar = opened.extractfile("jars/a.jar")
        assert jar is not None
        assert jar.read() == b"jar"
    assert [*entries] == ["jars", "jars/a.jar", "newest", "start.sh"]
    assert [entries[name].mode for name in ("jars", "jars/a.jar", "start.sh")] == [0o755, 0o644, 0o755]
    assert entries["newest"].linkname == "jars/a.jar"
    assert {(entry.mtime, entry.uid, entry.uname) for entry in entries.values()} == {(315532800, 0, "")}


def test_two_names_of_one_file_are_two_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("same")
    os.link(tmp_path / "a", tmp_path / "b")
    written = io.BytesIO()

    write_context(tmp_path, written)

    with tarfile.open(fileobj=io.BytesIO(written.getvalue())) as opened:
        assert [(entry.isreg(), entry.size) for entry in opened] == [(True, 4), (True, 4)]


def test_a_program_that_ends_before_it_has_read_is_named_with_its_output() -> None:
    program = [sys.executable, "-c", "import sys; sys.exit('no room for it')"]

    def write(sink: IO[bytes]) -> None:
        for _ in range(100):
            sink.write(bytes(1 << 16))

    with pytest.raises(CommandFailedError, match="no room for it"):
        feed(program, write)
