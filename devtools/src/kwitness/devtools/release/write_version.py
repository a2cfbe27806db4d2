"""Writes a version into all files that name it, and dates the changelog: `make version VERSION=0.2.0`."""

from __future__ import annotations

import argparse
import sys

from kwitness.devtools.release.check import newest_release, parsed, refuse_changed_files
from kwitness.devtools.release.fragments import dated_versions, make_section, problems
from kwitness.devtools.release.release import REPOSITORY, ReleaseError
from kwitness.devtools.release.version_places import rewritten, source_version, version_places

__all__ = ["main", "write_version"]


def write_version(version: str) -> list[str]:
    """Write a version into all files that name it, and return these files.

    Fragments of the changelog become the section of the version. Those of a candidate stay for its release.

    Raises
    ------
    ReleaseError
        The version is malformed or not newer than what is released and in the sources, files are not committed, or
        the changelog lacks what to do.
    """
    _refuse_older(version)
    refuse_changed_files("a version is written into the files of a commit")
    if found := problems(REPOSITORY):
        raise ReleaseError("; ".join(found))
    files = sorted({place.file for place in version_places(REPOSITORY)})
    for file in files:
        path = REPOSITORY / file
        path.write_text(rewritten(file, path.read_text(encoding="utf-8"), version), encoding="utf-8")
    if "-" not in version:
        make_section(REPOSITORY, version)
    return [str(file) for file in files]


def _refuse_older(version: str) -> None:
    sources = source_version(REPOSITORY)
    if parsed(version) < parsed(sources):
        raise ReleaseError(f"version {version} goes back: the sources are of {sources}. Take a newer version")
    for released in (newest_release(), *dated_versions(REPOSITORY)):
        if released is not None and parsed(version) <= parsed(released):
            raise ReleaseError(f"version {version} is not newer than {released}, which is released. Take a newer one")


def main() -> int:
    """Write the version that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.devtools.release.write_version", description=__doc__)
    parser.add_argument("version", help="such as 0.2.0")
    try:
        for file in write_version(parser.parse_args().version):
            print(file)
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
