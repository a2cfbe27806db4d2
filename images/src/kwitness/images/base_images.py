"""Base images: the published Debian with packages where it can be pulled, else the same made from Debian's archive.

Whichever way, a base image has what its lock says, or the difference is reported.
"""

from __future__ import annotations

import functools
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kwitness.images.base_lock import (
    BaseLock,
    installed_packages,
    lock_file,
    lock_text,
    package_differences,
    read_lock,
)
from kwitness.images.cache import cache_folder, content_key, exclusive, scratch_folder
from kwitness.images.commands import CommandFailedError, Progress, run, silent
from kwitness.images.container_engine import build, docker, image_exists, install

#: What every image is made from, where a registry is in reach.
PUBLISHED = "debian:bookworm-slim"
_SUITE = "bookworm"
#: Seconds an answer of the registry is believed, so that a warm run asks nobody.
_BELIEVED_SECONDS = 24 * 3600
#: The latest time of files of a base image without a lock, which is not shipped: 1 January 2026.
_UNLOCKED_LATEST = 1767225600
#: Gives Java's trust store one time, where a base has one.
_TRUST_STORE_TIMES = Path(__file__).with_name("trust_store_times.py")
_TRUST_STORE = "/etc/ssl/certs/java/cacerts"


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
    with exclusive(cache_folder() / "bases" / f"{tag.replace('/', '-')}.lock"):
        if image_exists(tag):
            return tag
        progress(f"making base image {tag}")
        locked = read_lock(lock_file(packages_file)) if lock_file(packages_file).is_file() else None
        _make(tag, read_packages(packages_file), locked.latest if locked else _UNLOCKED_LATEST, progress)
        if locked:
            for line in package_differences(locked.packages, installed_packages(tag)):
                progress(f"{tag} differs from its lock: {line} (`make lock-images` locks it)")
    return tag


def base_tag(name: str, packages_file: Path) -> str:
    """The name `base_image` gives the image; it depends on the packages and their lock alone."""
    lock = lock_file(packages_file)
    locked = [lock.read_text(encoding="utf-8")] if lock.is_file() else []
    return f"{name}:{content_key('2', _SUITE, _TRUST_STORE_TIMES, *read_packages(packages_file), *locked)}"


def lock_base(name: str, packages_file: Path, progress: Progress = silent) -> bool:
    """Make a base image of what Debian's archive has now, and write its lock; return whether that changed.

    Raises
    ------
    CommandFailedError, NoEngineError
        As `base_image`.
    """
    file = lock_file(packages_file)
    before = read_lock(file) if file.is_file() else None
    tag, now = f"{name}:being-locked", int(time.time())
    progress(f"resolving {packages_file.name}")
    _make(tag, read_packages(packages_file), now, progress)
    try:
        packages = installed_packages(tag)
        if before and before.packages == packages:
            return False
        file.write_text(lock_text(BaseLock(latest=now, packages=packages)), encoding="utf-8")
        # It need not be made again.
        docker("tag", tag, base_tag(name, packages_file))
    finally:
        docker("rmi", tag)
    return True


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


def _make(tag: str, packages: list[str], latest: int, progress: Progress) -> None:
    if published_base_in_reach():
        _build_on_published(tag, packages, latest)
    else:
        _make_from_archive(tag, packages, latest, progress)


def _build_on_published(tag: str, packages: list[str], latest: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        names = " ".join(packages)
        shutil.copy2(_TRUST_STORE_TIMES, folder)
        Path(folder, "Dockerfile").write_text(
            f"FROM {PUBLISHED}\nCOPY {_TRUST_STORE_TIMES.name} /tmp/\n"
            # What the archive has mended since the image was published comes with it, as it does without the image.
            f"RUN export SOURCE_DATE_EPOCH={latest} PYTHONHASHSEED=0 DEBIAN_FRONTEND=noninteractive"
            " && apt-get update -q && mkdir -p /usr/share/man/man1 && apt-get upgrade -y -q"
            f" && apt-get install -y -q --no-install-recommends {names}"
            f" && {{ ! [ -e {_TRUST_STORE} ] || python3 /tmp/{_TRUST_STORE_TIMES.name} {_TRUST_STORE} {latest}; }}"
            f" && rm -rf /var/lib/apt/lists/* /tmp/{_TRUST_STORE_TIMES.name} && apt-get clean\n"
        )
        build(Path(folder), tag)


def _make_from_archive(tag: str, packages: list[str], latest: int, progress: Progress) -> None:
    if shutil.which("mmdebstrap") is None:
        install("mmdebstrap", f"{PUBLISHED} cannot be pulled", progress)
    program = shutil.which("mmdebstrap") or "mmdebstrap"
    with tempfile.TemporaryDirectory(dir=scratch_folder()) as folder:
        archive = Path(folder, "base.tar")
        run(
            [
                program,
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
                f'--customize-hook={shlex.join([sys.executable, str(_TRUST_STORE_TIMES)])} "$1"{_TRUST_STORE} {latest}',
                _SUITE,
                archive,
            ],
            # Debian's Python comes first: it is started for each package, and what chooses a Python by folder is slow.
            environment={
                "SOURCE_DATE_EPOCH": str(latest),
                "PYTHONHASHSEED": "0",
                "PATH": f"/usr/bin{os.pathsep}{os.environ.get('PATH', '')}",
            },
        )
        docker("import", archive, tag)
