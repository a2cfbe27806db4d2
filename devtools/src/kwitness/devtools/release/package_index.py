"""Writes a package index (PEP 503) of wheels, as files that any web server serves."""

from __future__ import annotations

import html
import shutil
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from packaging.utils import parse_wheel_filename

from kwitness.devtools.release.checksums import sha256_of
from kwitness.devtools.release.wheel_checks import read_metadata

__all__ = ["write_index"]

_PAGE: Final = """\
<!DOCTYPE html>
<html>
  <head><meta name="pypi:repository-version" content="1.0"><title>{title}</title></head>
  <body>
{links}
  </body>
</html>
"""


def write_index(wheels: Iterable[Path], folder: Path) -> None:
    """Write the pages for wheels that are in the folder above; links are relative, with SHA-256 and Python's versions.

    Raises
    ------
    ReleaseError
        The metadata of a wheel is not valid.
    InvalidWheelFilename
        A file has no name of a wheel.
    """
    projects: dict[str, list[Path]] = defaultdict(list)
    for wheel in sorted(wheels):
        projects[parse_wheel_filename(wheel.name)[0]].append(wheel)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _write(folder, "Packages", (f'<a href="{name}/">{name}</a>' for name in sorted(projects)))
    for name, files in projects.items():
        (folder / name).mkdir()
        _write(folder / name, f"Files of {name}", map(_link, files))


def _link(wheel: Path) -> str:
    requires = html.escape(str(read_metadata(wheel).requires_python or ""))
    attribute = f' data-requires-python="{requires}"' if requires else ""
    name = html.escape(wheel.name)
    return f'<a href="../../{name}#sha256={sha256_of(wheel)}"{attribute}>{name}</a>'


def _write(folder: Path, title: str, links: Iterable[str]) -> None:
    lines = "\n".join(f"    {link}<br>" for link in links)
    (folder / "index.html").write_text(_PAGE.format(title=title, links=lines), encoding="utf-8")
