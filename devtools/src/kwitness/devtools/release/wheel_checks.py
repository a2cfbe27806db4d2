"""Refuses wheels that a package index would refuse, or that would not run where their tag says."""

from __future__ import annotations

import json
import os
import re
import sys
import zipfile
from pathlib import Path
from typing import Final

from packaging.metadata import InvalidMetadata, Metadata
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

from kwitness.devtools.release.release import ReleaseError, version_remedy
from kwitness.images.commands import CommandFailedError, run

__all__ = ["check_metadata", "check_platform", "read_metadata"]

_REQUIRED: Final = (
    "summary", "description", "description_content_type", "license_expression", "license_files", "requires_python",
)  # fmt: skip
"""Fields that an index shows or installers decide by; the standard itself requires name and version alone."""
_GLIBC: Final = re.compile(r"manylinux_(\d+)_(\d+)_\w+")


def read_metadata(wheel: Path) -> Metadata:
    """Read and validate the metadata of a wheel, by the rules of package indexes.

    Raises
    ------
    ReleaseError
        It is not valid.
    """
    with zipfile.ZipFile(wheel) as archive:
        (file,) = (name for name in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        content = archive.read(file)
    try:
        return Metadata.from_email(content, validate=True)
    except ExceptionGroup as invalid:
        fields = "; ".join(
            f"{error.field}: {error}" if isinstance(error, InvalidMetadata) else str(error)
            for error in invalid.exceptions
        )
        raise ReleaseError(f"{wheel.name}: its metadata is not valid: {fields}: mend its pyproject.toml") from invalid


def check_metadata(wheel: Path, version: str) -> None:
    """Check that metadata is valid, has every field that an index shows, and is of the version.

    Raises
    ------
    ReleaseError
        It is not.
    """
    metadata = read_metadata(wheel)
    if missing := [field for field in _REQUIRED if not getattr(metadata, field)]:
        raise ReleaseError(f"{wheel.name}: its metadata has no {', '.join(missing)}: add them to its pyproject.toml")
    if metadata.version != Version(version):
        raise ReleaseError(f"{wheel.name} is of version {metadata.version}, not {version}: {version_remedy(version)}")


def check_platform(wheel: Path) -> None:
    """Check that a wheel with machine code runs with the glibc that its tag names, and needs no other library.

    Raises
    ------
    ReleaseError
        It has no manylinux tag, or what is in it needs more than the tag says.
    """
    try:
        tags = {tag.platform for tag in parse_wheel_filename(wheel.name)[3]}
    except InvalidWheelFilename as error:
        raise ReleaseError(f"{wheel.name} is no name of a wheel: {error}") from error
    if tags == {"any"}:
        return
    promised = min((_glibc(tag) for tag in tags if _GLIBC.fullmatch(tag)), default=None)
    if promised is None:
        raise ReleaseError(
            f"{wheel.name} has no manylinux tag, but {', '.join(sorted(tags))}: package indexes refuse it. "
            "Build it by `make wheels`, in the profile `release`"
        )
    audited = _audit(wheel)
    needed = str(audited["overall_tag"])
    if not _GLIBC.fullmatch(needed):
        raise ReleaseError(f"{wheel.name} runs on no distribution but this machine's: auditwheel calls it {needed}")
    if _glibc(needed) > promised:
        symbols = "; ".join(f"{name}: {', '.join(found)}" for name, found in audited["versioned_symbols"].items())
        raise ReleaseError(
            f"{wheel.name} promises glibc {_text(promised)} and needs {_text(_glibc(needed))} ({symbols}): "
            "build it by `make wheels`, whose linker takes an older glibc"
        )
    if libraries := sorted(audited["external_libs"]):
        raise ReleaseError(f"{wheel.name} needs libraries that not every machine has: {', '.join(libraries)}")


def _audit(wheel: Path) -> dict[str, dict[str, list[str]]]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    try:
        # A problem is on the standard output, with an exit status of 1.
        printed = run(["auditwheel", "show", "--json", wheel], environment={"PATH": path})
    except CommandFailedError as failed:
        raise ReleaseError(f"auditwheel cannot read {wheel.name}: {failed.output.strip()}") from failed
    audited: dict[str, dict[str, list[str]]] = json.loads(printed)
    return audited


def _glibc(tag: str) -> tuple[int, int]:
    found = _GLIBC.fullmatch(tag)
    if found is None:
        raise ValueError(f"{tag} names no glibc")
    return int(found[1]), int(found[2])


def _text(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))
