"""Base images: the published Debian with packages where it can be pulled, else the same made from Debian's archive."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from kwitness.images.cache import cache_folder, content_key, exclusive
from kwitness.images.commands import CommandFailedError, Progress, run, silent
from kwitness.images.container_engine import build, docker, image_exists, install

#: What every image is made from, where a registry is in reach.
PUBLISHED = "debian:bookworm-slim"
_SUITE = "bookworm"
#: Seconds an answer of the registry is believed, so that a warm run asks nobody.
_BELIEVED_SECONDS = 24 * 3600


def base_image(name: str, packages_file: Path, progress: Progress = silent) -> str:
    """The name of a local Debian 12 image with the packages listed in a file, made if it is not there, once.

    Parameters
    ----------
    name
        Repository of the image, for example `kwitness-base/python`.
    packages_file
        One Debian package a line; `#` begins a comment.

    Raises
    ------
    CommandFailedError
        apt or mmdebstrap failed.
    NoEngineError
        mmdebstrap is needed, not there, and could not be installed.
    """
    tag = base_tag(name, packages_file)
    packages = read_packages(packages_file)
    with exclusive(cache_folder() / "bases" / f"{tag.replace('/', '-')}.lock"):
        if image_exists(tag):
            return tag
        progress(f"making base image {tag}")
        if published_base_in_reach():
            _build_on_published(tag, packages)
        else:
            _make_from_archive(tag, packages, progress)
    return tag


def base_tag(name: str, packages_file: Path) -> str:
    """The name `base_image` gives the image; it depends on the packages alone."""
    return f"{name}:{content_key('1', _SUITE, *read_packages(packages_file))}"


def read_packages(file: Path) -> list[str]:
    """The package names in a file, sorted."""
    lines = (line.partition("#")[0].strip() for line in file.read_text().splitlines())
    return sorted(line for line in lines if line)


@functools.cache
def published_base_in_reach() -> bool:
    """Whether the published Debian image is here or can be pulled; a failed try is remembered for a day."""
    if image_exists(PUBLISHED):
        return True
    memory = cache_folder() / "registry.json"
    try:
        if time.time() - json.loads(memory.read_text())["unreachable_at"] < _BELIEVED_SECONDS:
            return False
    except (FileNotFoundError, KeyError, ValueError):
        pass  # never asked, or the memory is not readable: ask
    try:
        run(["docker", "pull", "--quiet", PUBLISHED], timeout_seconds=120)
    except (CommandFailedError, subprocess.TimeoutExpired):
        memory.parent.mkdir(parents=True, exist_ok=True)
        memory.write_text(json.dumps({"unreachable_at": time.time()}))
        return False
    return True


def _build_on_published(tag: str, packages: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        names = " ".join(packages)
        Path(folder, "Dockerfile").write_text(
            f"FROM {PUBLISHED}\n"
            "RUN apt-get update -q && mkdir -p /usr/share/man/man1"
            f" && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends {names}"
            " && rm -rf /var/lib/apt/lists/*\n"
        )
        build(Path(folder), tag)


def _make_from_archive(tag: str, packages: list[str], progress: Progress) -> None:
    if shutil.which("mmdebstrap") is None:
        install("mmdebstrap", f"{PUBLISHED} cannot be pulled", progress)
    with tempfile.TemporaryDirectory(dir=_scratch()) as folder:
        archive = Path(folder, "base.tar")
        run(
            [
                "mmdebstrap",
                "--variant=minbase",
                f"--include={','.join(packages)}",
                "--aptopt=APT::Install-Recommends false",
                # As in the published slim image: documentation and translations stay out.
                "--dpkgopt=path-exclude=/usr/share/doc/*",
                "--dpkgopt=path-exclude=/usr/share/man/*",
                "--dpkgopt=path-exclude=/usr/share/locale/*",
                "--dpkgopt=path-include=/usr/share/doc/*/copyright",
                # A Java package links a manual page into this folder and fails without it.
                '--essential-hook=mkdir -p "$1"/usr/share/man/man1',
                _SUITE,
                archive,
            ]
        )
        docker("import", archive, tag)


def _scratch() -> Path:
    folder = cache_folder() / "scratch"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
