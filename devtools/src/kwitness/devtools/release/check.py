"""Refuses a release whose sources could not be found again, and one with names of an example."""

from __future__ import annotations

import re
from typing import Final

from kwitness.devtools.release.cosign import public_key
from kwitness.devtools.release.registry import is_loopback
from kwitness.devtools.release.release import REPOSITORY, Release, ReleaseError, git, version_remedy
from kwitness.devtools.release.version_places import source_version
from kwitness.images.commands import Progress

__all__ = ["check", "newest_release", "parsed", "refuse_changed_files"]

_VERSION: Final = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-rc\.([1-9]\d*))?")
_RELEASED: Final = float("inf")
_MOST_FILES: Final = 10


def check(release: Release, progress: Progress) -> None:
    """Check version, sources, names, and the key where one signs.

    Raises
    ------
    ReleaseError
        The version is malformed, is not that of the sources or goes back; sources are not committed; a registry
        elsewhere would get a release with an example's names; or the key cannot sign.
    CommandFailedError
        cosign, which uses the key, could not be built.
    """
    parsed(release.version)
    _refuse_example_names(release)
    refuse_changed_files("a release is made of a commit")
    sources = source_version(REPOSITORY)
    if sources != release.version:
        raise ReleaseError(
            f"the sources are of version {sources}, not {release.version}: {version_remedy(release.version)}"
        )
    newest = newest_release()
    if newest is not None and parsed(newest) > parsed(release.version):
        raise ReleaseError(f"version {release.version} goes back: {newest} is released, see the tag v{newest}")
    if newest == release.version and git("rev-list", "--max-count=1", f"v{newest}") != release.commit:
        raise ReleaseError(f"version {newest} is released: the tag v{newest} is another commit. Take the next")
    if release.key is not None:
        public_key(release.key, progress)
    progress(f"{release.version} of commit {release.commit[:12]}, to {release.registry} and {release.out}")


def parsed(version: str) -> tuple[float, ...]:
    """Return what versions are ordered by; a candidate, such as `0.2.0-rc.1`, comes before its release.

    Raises
    ------
    ReleaseError
        The version is malformed.
    """
    found = _VERSION.fullmatch(version)
    if found is None:
        raise ReleaseError(f"version {version!r} is malformed: write it as 0.2.0, or 0.2.0-rc.1 for a candidate")
    return tuple(_RELEASED if part is None else int(part) for part in found.groups())


def newest_release() -> str | None:
    """Return the newest version that has a tag."""
    versions = (tag[1:] for tag in git("tag", "--list", "v[0-9]*").split())
    return max(filter(_VERSION.fullmatch, versions), key=parsed, default=None)


def refuse_changed_files(reason: str) -> None:
    """Refuse to go on where files differ from the commit.

    Raises
    ------
    ReleaseError
        Files differ; the message begins with the reason.
    """
    if changed := git("status", "--porcelain").splitlines():
        more = f" and {len(changed) - _MOST_FILES} more" if len(changed) > _MOST_FILES else ""
        files = ", ".join(line[3:] for line in changed[:_MOST_FILES])
        raise ReleaseError(f"{reason}, and these files differ from it: {files}{more}: commit them")


def _refuse_example_names(release: Release) -> None:
    names = release.identity.placeholders()
    if names and not is_loopback(release.registry):
        raise ReleaseError(
            f"{release.registry} is not on this machine, and {', '.join(names)} in devtools/release/identity.toml "
            "have the names of an example: write your own there, or release to a registry on 127.0.0.1"
        )
