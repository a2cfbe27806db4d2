"""Java programs of one file, compiled once and not by each virtual machine that runs them."""

from __future__ import annotations

import os
from pathlib import Path

from kwitness.images.cache import cached_folder, content_key
from kwitness.images.commands import run

_OLDEST_RUNTIME = "11"
"""The oldest release of Java that tests run."""


def program(source: Path, libraries: str, *, compiled_with: str | None = None) -> list[str]:
    """The options and the class that run a program.

    Parameters
    ----------
    libraries
        The class path that it runs with.
    compiled_with
        The class path that it is compiled with; the same when absent.
    """
    against = compiled_with or libraries

    def make(folder: Path) -> None:
        run(["javac", "--release", _OLDEST_RUNTIME, "-d", folder, "-cp", against, source])

    classes = cached_folder("java-programs", content_key(source, against, _OLDEST_RUNTIME), make)
    return ["-cp", f"{classes}{os.pathsep}{libraries}", source.stem]
