"""Describes wheels: their metadata, the packages that they require, and the crates and jars in them."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from spdx_tools.spdx.model import Document, Package, RelationshipType

from kwitness.devtools.release.bills.document import add, describing
from kwitness.devtools.release.bills.native_parts import add_crate, add_jar, jar
from kwitness.devtools.release.bills.packages import described
from kwitness.devtools.release.checksums import sha256_of
from kwitness.devtools.release.release import Release
from kwitness.devtools.release.wheel_checks import read_metadata

__all__ = ["wheel_bill"]


def wheel_bill(release: Release, wheel: Path) -> Document:
    """Return the document of a wheel.

    Raises
    ------
    ReleaseError
        Its metadata is not valid.
    """
    metadata, sha256 = read_metadata(wheel), sha256_of(wheel)
    name, version = canonicalize_name(metadata.name), str(metadata.version)
    root = described(
        "pypi",
        name,
        version,
        f"pkg:pypi/{name}@{version}",
        licence=metadata.license_expression or "",
        sha256=sha256,
        file_name=wheel.name,
    )
    document = describing(release, wheel.name, root, sha256=sha256)
    _add_requirements(document, root, metadata.requires_dist or [])
    _add_content(document, root, wheel, release)
    return document


def _add_requirements(document: Document, root: Package, requirements: list[Requirement]) -> None:
    """Add the packages that installers choose; the wheel has ranges of their versions alone."""
    for requirement in requirements:
        name = canonicalize_name(requirement.name)
        if name == root.name:
            continue
        package = described("pypi", name, None, f"pkg:pypi/{name}")
        optional = requirement.marker is not None and "extra" in str(requirement.marker)
        relation = RelationshipType.OPTIONAL_DEPENDENCY_OF if optional else RelationshipType.DEPENDS_ON
        add(document, root, relation, package, str(requirement))


def _add_content(document: Document, root: Package, wheel: Path, release: Release) -> None:
    if not wheel.stem.endswith("-any"):
        add_crate(document, root, root.name, release)
    with zipfile.ZipFile(wheel) as archive:
        for path in (path for path in archive.namelist() if path.endswith(".jar")):
            sha256 = hashlib.sha256(archive.read(path)).hexdigest()
            add_jar(document, root, jar(PurePosixPath(path).stem, release, sha256=sha256, file_name=path))
