"""Describes jars and the crate of a release."""

from __future__ import annotations

from pathlib import Path

from spdx_tools.spdx.model import Document, RelationshipType

from kwitness.devtools.release.bills.document import add, describing
from kwitness.devtools.release.bills.native_parts import LICENCE, add_shaded, jar
from kwitness.devtools.release.bills.packages import described, spdx_package
from kwitness.devtools.release.checksums import sha256_of
from kwitness.devtools.release.crates import CRATE
from kwitness.devtools.release.release import Release
from kwitness.devtools.release.third_party import rust_crates

__all__ = ["crate_bill", "jar_bill"]


def jar_bill(release: Release, file: Path) -> Document:
    """Return the document of a jar in a Maven repository, with what is shaded in it.

    Raises
    ------
    ReleaseError
        No project has such a jar.
    """
    sha256 = sha256_of(file)
    root = jar(file.parents[1].name, release, sha256=sha256, file_name=file.name)
    document = describing(release, file.name, root, sha256=sha256)
    add_shaded(document, root)
    return document


def crate_bill(release: Release, file: Path) -> Document:
    """Return the document of the crate, which is sources, with the crates that it is tested with."""
    sha256, url = sha256_of(file), f"pkg:cargo/{CRATE}@{release.version}"
    root = described("cargo", CRATE, release.version, url, licence=LICENCE, sha256=sha256, file_name=file.name)
    document = describing(release, file.name, root, sha256=sha256)
    for package in rust_crates(CRATE):
        add(document, root, RelationshipType.DEPENDS_ON, spdx_package(package))
    return document
