"""A base image is keyed by its lock, and compared with it; with programs that only pretend to be an engine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from kwitness.devtools.release import images as release_step
from kwitness.devtools.release.release import ReleaseError
from kwitness.images.base_images import base_image, base_tag, lock_base, published_base_in_reach, read_packages
from kwitness.images.base_lock import BaseLock, lock_file, lock_text, package_differences, read_lock
from kwitness.images.image_recipes import SHIPPED

NAME = "kwitness-base/tried"
LOCKED = BaseLock(latest=1_700_000_000, packages={"tini": "0.19.0-1", "base-files": "12.4+deb12u1"})
# No image is here and none can be pulled; a container lists what the file `installed` has.
DOCKER = """#!/bin/sh
case "$1" in
  image | pull) exit 1 ;;
  run) cat {folder}/installed ;;
  *) echo "$*" >> {folder}/calls ;;
esac
"""
MMDEBSTRAP = '#!/bin/sh\necho "$SOURCE_DATE_EPOCH" > {folder}/epoch\n'


@pytest.fixture
def packages_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A list of packages with its lock, and an engine whose images have what is locked."""
    programs = tmp_path / "path"
    programs.mkdir()
    for name, text in (("docker", DOCKER), ("mmdebstrap", MMDEBSTRAP)):
        (programs / name).write_text(text.format(folder=tmp_path))
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    published_base_in_reach.cache_clear()
    file = tmp_path / "tried.txt"
    file.write_text("tini\n")
    lock_file(file).write_text(lock_text(LOCKED))
    install(file, LOCKED.packages)
    yield file
    published_base_in_reach.cache_clear()


def install(packages_file: Path, packages: Mapping[str, str]) -> None:
    lines = (f"{name}={version}\n" for name, version in packages.items())
    packages_file.with_name("installed").write_text("".join(lines))


@pytest.mark.parametrize(
    "packages_file", sorted({recipe.packages_file for recipe in SHIPPED.values()}), ids=lambda file: file.stem
)
def test_each_base_that_is_shipped_on_has_a_lock_with_its_packages(packages_file: Path) -> None:
    assert set(read_packages(packages_file)) < set(read_lock(lock_file(packages_file)).packages)


def test_a_lock_is_read_as_it_was_written(packages_file: Path) -> None:
    assert read_lock(lock_file(packages_file)) == LOCKED
    assert lock_file(packages_file).read_text().splitlines()[1:] == ["base-files=12.4+deb12u1", "tini=0.19.0-1"]


@pytest.mark.parametrize("text", ["", "tini=1\n", f"{lock_text(LOCKED)}tini\n"])
def test_a_malformed_lock_is_refused_with_its_remedy(packages_file: Path, text: str) -> None:
    lock_file(packages_file).write_text(text)

    with pytest.raises(ValueError, match=r"tried\.lock is no lock of a base image: .* `make lock-images`"):
        read_lock(lock_file(packages_file))


def test_another_lock_makes_another_base(packages_file: Path) -> None:
    before = base_tag(NAME, packages_file)
    changed = BaseLock(latest=LOCKED.latest, packages={**LOCKED.packages, "tini": "0.19.0-2"})

    lock_file(packages_file).write_text(lock_text(changed))

    assert base_tag(NAME, packages_file) != before


def test_differences_name_both_versions() -> None:
    assert package_differences({"a": "1", "b": "1", "c": "1"}, {"b": "2", "c": "1", "d": "1"}) == [
        "a absent, locked 1",
        "b 2, locked 1",
        "d 1, locked absent",
    ]


def test_a_base_as_locked_reports_nothing_and_has_the_locks_time(packages_file: Path) -> None:
    reported: list[str] = []

    tag = base_image(NAME, packages_file, reported.append)

    assert reported == [f"making base image {tag}"]
    assert packages_file.with_name("epoch").read_text() == f"{LOCKED.latest}\n"


def test_another_version_is_reported_and_the_base_is_made(packages_file: Path) -> None:
    reported: list[str] = []
    install(packages_file, {**LOCKED.packages, "tini": "0.19.0-2"})

    tag = base_image(NAME, packages_file, reported.append)

    assert reported[1:] == [
        f"{tag} differs from its lock: tini 0.19.0-2, locked 0.19.0-1 (`make lock-images` locks it)"
    ]
    assert packages_file.with_name("calls").read_text().endswith(f" {tag}\n")


def test_a_release_refuses_another_version(packages_file: Path) -> None:
    release_step.refuse_other_packages(packages_file)
    install(packages_file, {**LOCKED.packages, "tini": "0.19.0-2"})

    with pytest.raises(ReleaseError, match=r"tried\.lock: tini 0\.19\.0-2, locked 0\.19\.0-1: run `make lock-images`"):
        release_step.refuse_other_packages(packages_file)


def test_a_lock_is_written_again_where_packages_changed_and_only_there(packages_file: Path) -> None:
    assert not lock_base(NAME, packages_file)
    assert read_lock(lock_file(packages_file)) == LOCKED
    changed = {**LOCKED.packages, "tini": "0.19.0-2"}
    install(packages_file, changed)

    assert lock_base(NAME, packages_file)

    written = read_lock(lock_file(packages_file))
    assert written.packages == changed
    assert written.latest > LOCKED.latest
    assert f"tag {NAME}:being-locked {base_tag(NAME, packages_file)}\n" in packages_file.with_name("calls").read_text()
