"""Checks which wheels a release refuses, and the index of those that it takes."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from kwitness.devtools.release.package_index import write_index
from kwitness.devtools.release.release import ReleaseError
from kwitness.devtools.release.wheel_checks import check_metadata, check_platform

METADATA = """\
Metadata-Version: 2.4
Name: kwitness
Version: 0.2.0
Summary: Shows clients.
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.11
Description-Content-Type: text/markdown

# kwitness
"""
OLD, HERE = "manylinux_2_17_x86_64", f"manylinux_{str(os.confstr('CS_GNU_LIBC_VERSION'))[6:].replace('.', '_')}_x86_64"

PROGRAM = "kwitness-0.2.0.data/scripts/kwitness"


def wheel(folder: Path, name: str = "kwitness-0.2.0-py3-none-any", metadata: str = METADATA) -> Path:
    """Write a wheel; one for a platform has a program of this machine."""
    path = folder / f"{name}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("kwitness-0.2.0.dist-info/METADATA", metadata)
        archive.writestr("kwitness-0.2.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        archive.writestr("kwitness-0.2.0.dist-info/RECORD", f"{PROGRAM},,\n")
        if not name.endswith("-any"):
            archive.write(str(shutil.which("true")), PROGRAM)
    return path


def test_a_wheel_with_all_that_an_index_needs_is_accepted(tmp_path: Path) -> None:
    check_metadata(wheel(tmp_path), "0.2.0")
    check_platform(wheel(tmp_path))


@pytest.mark.parametrize(
    ("line", "replaced", "reason"),
    [
        ("License-Expression: Apache-2.0", "License-Expression: Apache", "license-expression: "),
        ("Requires-Python: >=3.11", "Requires-Python: 3.11 and later", "requires-python: "),
        ("Version: 0.2.0", "Version: two", "version: "),
        ("text/markdown", "text/html", "description-content-type: "),
        ("Name: kwitness", "Named: kwitness", "name"),
    ],
)
def test_metadata_that_an_index_refuses_is_named(tmp_path: Path, line: str, replaced: str, reason: str) -> None:
    with pytest.raises(ReleaseError, match=f"its metadata is not valid: .*{reason}"):
        check_metadata(wheel(tmp_path, metadata=METADATA.replace(line, replaced)), "0.2.0")


@pytest.mark.parametrize(
    "field", ["Summary", "License-Expression", "License-File", "Requires-Python", "Description-Content-Type"]
)
def test_a_field_that_an_index_shows_is_missed(tmp_path: Path, field: str) -> None:
    metadata = re.sub(f"{field}: .*\n", "", METADATA)

    with pytest.raises(ReleaseError, match=f"its metadata has no {field.lower().replace('-', '_')}s?: add them"):
        check_metadata(wheel(tmp_path, metadata=metadata), "0.2.0")


def test_a_wheel_of_another_version_is_refused(tmp_path: Path) -> None:
    candidate = wheel(tmp_path, metadata=METADATA.replace("0.2.0", "0.2.0rc1"))

    check_metadata(candidate, "0.2.0-rc.1")
    with pytest.raises(
        ReleaseError, match=r"is of version 0\.2\.0rc1, not 0\.2\.0: run `make version VERSION=0\.2\.0`"
    ):
        check_metadata(candidate, "0.2.0")


def test_machine_code_without_a_manylinux_tag_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="has no manylinux tag, but linux_x86_64: package indexes refuse it"):
        check_platform(wheel(tmp_path, "kwitness-0.2.0-py3-none-linux_x86_64"))


def test_machine_code_that_needs_a_newer_glibc_than_its_tag_is_refused(tmp_path: Path) -> None:
    check_platform(wheel(tmp_path, f"kwitness-0.2.0-py3-none-{HERE}"))
    with pytest.raises(ReleaseError, match=r"promises glibc 2\.17 and needs 2\.\d\d \(libc\.so\.6: .*GLIBC_2\.\d\d"):
        check_platform(wheel(tmp_path, f"kwitness-0.2.0-py3-none-{OLD}"))


def test_the_oldest_of_several_tags_is_the_promise(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"promises glibc 2\.17"):
        check_platform(wheel(tmp_path, f"kwitness-0.2.0-py3-none-{HERE}.{OLD}"))


def test_a_wheel_without_machine_code_is_for_any_platform(tmp_path: Path) -> None:
    path = wheel(tmp_path).rename(tmp_path / f"kwitness-0.2.0-py3-none-{OLD}.whl")

    with pytest.raises(ReleaseError, match="auditwheel cannot read"):
        check_platform(path)


def test_a_file_that_is_no_wheel_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"kwitness\.whl is no name of a wheel"):
        check_platform(tmp_path / "kwitness.whl")


def test_the_index_has_a_page_for_each_project_with_checksums(tmp_path: Path) -> None:
    newer = wheel(tmp_path, "kwitness-0.10.0-py3-none-any")
    older, other = wheel(tmp_path), wheel(tmp_path, "kwitness_otlp-0.2.0-py3-none-any")
    (tmp_path / "simple/gone").mkdir(parents=True)

    write_index([other, older, newer], tmp_path / "simple")

    projects = (tmp_path / "simple/index.html").read_text()
    assert re.findall(r'<a href="(.*?)">(.*?)</a>', projects) == [
        ("kwitness/", "kwitness"),
        ("kwitness-otlp/", "kwitness-otlp"),
    ]
    assert {path.name for path in (tmp_path / "simple").iterdir()} == {"index.html", "kwitness", "kwitness-otlp"}
    links = re.findall(r'<a href="(.*?)" data-requires-python="&gt;=3.11">(.*?)</a>', page(tmp_path, "kwitness"))
    assert links == [
        (f"../../{path.name}#sha256={hashlib.sha256(path.read_bytes()).hexdigest()}", path.name)
        for path in (newer, older)
    ]
    assert other.name in page(tmp_path, "kwitness-otlp")


def page(folder: Path, project: str) -> str:
    return (folder / "simple" / project / "index.html").read_text()
