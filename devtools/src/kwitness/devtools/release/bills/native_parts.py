"""Describes what compilers have linked or shaded into a program, which no tool finds in the program itself."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final

from spdx_tools.spdx.model import Document, Package, RelationshipType

from kwitness.devtools.release.bills.document import add
from kwitness.devtools.release.bills.packages import described, spdx_package
from kwitness.devtools.release.maven import PROJECTS
from kwitness.devtools.release.release import REPOSITORY, Release, ReleaseError
from kwitness.devtools.release.third_party import Package as ThirdParty
from kwitness.devtools.release.third_party import maven_artifacts, rust_crates

__all__ = [
    "CRATES_OF_IMAGES", "JARS_OF_IMAGES", "LICENCE", "add_crate", "add_jar", "add_shaded", "jar", "jar_name",
]  # fmt: skip

CRATES_OF_IMAGES: Final[Mapping[str, str]] = {
    "interceptors": "kwitness-interceptors-librdkafka",
    "observer": "kwitness-observer",
    "spark": "kwitness-otlp",
    "spark-s3a": "kwitness-otlp",
}
"""The crate of this workspace that an image's program or library is compiled from."""
JARS_OF_IMAGES: Final[Mapping[str, str]] = {"interceptors": "kwitness-interceptors"}
"""The jar of ours that an image has."""
LICENCE: Final = "Apache-2.0"


def add_crate(document: Document, holder: Package, crate: str, release: Release) -> None:
    """Add a crate of this workspace that is compiled into an artefact, and the crates of others in it."""
    url = f"pkg:cargo/{crate}@{release.version}"
    own = described("cargo", crate, release.version, url, licence=LICENCE)
    add(document, holder, RelationshipType.CONTAINS, own)
    for package in rust_crates(crate):
        add(document, own, RelationshipType.STATIC_LINK, spdx_package(package))


def add_jar(document: Document, holder: Package, own: Package) -> None:
    """Add a jar of ours that an artefact contains, and what is shaded in it."""
    add(document, holder, RelationshipType.CONTAINS, own)
    add_shaded(document, own)


def add_shaded(document: Document, own: Package) -> None:
    """Add the artefacts of others whose classes are in a jar of ours.

    Raises
    ------
    ReleaseError
        No project has such a jar.
    """
    artefact = own.name.rpartition(":")[2]
    project = next((project for project in PROJECTS if jar_name(project) == artefact), None)
    if project is None:
        raise ReleaseError(
            f"no project of Java has the jar {artefact}, so its content is unknown: add it to PROJECTS of maven.py"
        )
    for package in _shaded(project):
        add(document, own, RelationshipType.CONTAINS, spdx_package(package))


def jar(artefact: str, release: Release, *, sha256: str | None = None, file_name: str | None = None) -> Package:
    """Return a jar of ours, by its Maven coordinates.

    Parameters
    ----------
    artefact
        Name without the group, such as `kwitness-headers`.
    """
    group, version = release.identity.group, release.version
    return described(
        "maven",
        f"{group}:{artefact}",
        version,
        f"pkg:maven/{group}/{artefact}@{version}",
        licence=LICENCE,
        sha256=sha256,
        file_name=file_name,
    )


def jar_name(project: str) -> str:
    """Return the artefact of a project in `services/`: `kwitness-headers` of `headers-java`."""
    return f"kwitness-{project.removesuffix('-java')}"


@functools.cache
def _shaded(project: str) -> tuple[ThirdParty, ...]:
    # Maven takes seconds, and a jar is in an image or a wheel, too.
    return tuple(maven_artifacts(REPOSITORY / "services" / project / "pom.xml"))
