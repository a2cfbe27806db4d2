"""Locks of base images: which version of each package a base image has, and the latest time of its files.

A lock is beside the list of packages that it resolves, and `make lock-images` writes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kwitness.images.container_engine import docker

__all__ = ["BaseLock", "installed_packages", "lock_file", "lock_text", "package_differences", "read_lock"]

_HEAD: Final = "# Written by `make lock-images`. No file of the image is younger than second "
_HEAD_LINE: Final = re.compile(rf"{re.escape(_HEAD)}(?P<latest>\d+)\.")


@dataclass(frozen=True, kw_only=True)
class BaseLock:
    """Packages of a base image."""

    latest: int
    """The latest time of a file, in seconds since 1970: that of the lock, so all its packages are older."""
    packages: Mapping[str, str]
    """Version by package."""


def lock_file(packages_file: Path) -> Path:
    """Return the lock of a list of packages."""
    return packages_file.with_suffix(".lock")


def read_lock(file: Path) -> BaseLock:
    """Read a lock.

    Raises
    ------
    FileNotFoundError
        There is none.
    ValueError
        It is malformed.
    """
    head, *lines = file.read_text(encoding="utf-8").splitlines() or [""]
    found = _HEAD_LINE.fullmatch(head)
    pairs = [line.partition("=") for line in lines]
    if found is None or not all(name and version for name, _, version in pairs):
        raise ValueError(f"{file} is no lock of a base image: write it again by `make lock-images`")
    return BaseLock(latest=int(found["latest"]), packages={name: version for name, _, version in pairs})


def lock_text(lock: BaseLock) -> str:
    """Return the content of a lock's file."""
    lines = (f"{name}={version}\n" for name, version in sorted(lock.packages.items()))
    return f"{_HEAD}{lock.latest}.\n{''.join(lines)}"


def installed_packages(image: str) -> dict[str, str]:
    """Return the version of each package of an image.

    Raises
    ------
    CommandFailedError
        The image could not be run, or has no dpkg.
    """
    query = ("dpkg-query", "--show", "--showformat", "${Package}=${Version}\n")
    listed = docker("run", "--rm", "--network=none", image, *query)
    return dict(line.split("=", maxsplit=1) for line in listed.splitlines())


def package_differences(locked: Mapping[str, str], installed: Mapping[str, str]) -> list[str]:
    """Return a line for each package that is not as the lock has it."""
    return [
        f"{name} {installed.get(name, 'absent')}, locked {locked.get(name, 'absent')}"
        for name in sorted(locked.keys() | installed.keys())
        if locked.get(name) != installed.get(name)
    ]
