"""Reads what tests need to know of the sources that they make releases of."""

from __future__ import annotations

import tomllib

from kwitness.devtools.release.release import REPOSITORY


def sources_version() -> str:
    """Return the version of the sources."""
    version: str = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return version
