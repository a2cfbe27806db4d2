"""Makes `python/`: the wheels, checked, and a package index of them."""

from __future__ import annotations

from kwitness.devtools.release.package_index import write_index
from kwitness.devtools.release.release import Release
from kwitness.devtools.release.wheel_checks import check_metadata, check_platform
from kwitness.devtools.release.wheels import build_wheels
from kwitness.images.commands import Progress

__all__ = ["python"]


def python(release: Release, progress: Progress) -> None:
    """Build the wheels, the same bytes for the same commit, and write the index.

    Raises
    ------
    ReleaseError
        An index would refuse a wheel, or it needs a newer glibc than its tag says.
    CommandFailedError
        A build failed.
    """
    folder = release.folder("python")
    wheels = build_wheels(folder, progress, epoch=release.epoch)
    for wheel in wheels:
        check_metadata(wheel, release.version)
        check_platform(wheel)
        progress(wheel.name)
    write_index(wheels, folder / "simple")
