"""Describes images: packages of Debian, Python and Java by syft, and what compilers have put into programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spdx_tools.spdx.model import Document, Package, Relationship

from kwitness.devtools.release.bills.document import DOCUMENT, creation
from kwitness.devtools.release.bills.native_parts import CRATES_OF_IMAGES, JARS_OF_IMAGES, add_crate, add_jar, jar
from kwitness.devtools.release.bills.packages import package_url
from kwitness.devtools.release.bills.syft import SYFT, scanned
from kwitness.devtools.release.images import LAYOUT
from kwitness.devtools.release.images_lock import LockedImage
from kwitness.devtools.release.release import Release, ReleaseError

__all__ = ["image_bill"]

_OURS: Final = "kwitness"
_DEBIAN: Final = "pkg:deb/"


def image_bill(release: Release, name: str, image: LockedImage, platform: str, debian: Mapping[str, str]) -> Document:
    """Return the document of an image on a platform, such as `linux/amd64`.

    Parameters
    ----------
    debian
        The version of each package that its base is locked to.

    Raises
    ------
    ReleaseError
        The layout lacks the image, or syft finds other packages of Debian than those.
    """
    digest = image.platforms[platform]
    document = scanned(release.out / LAYOUT, digest, image.repository, release.version)
    _keep_packages(document)
    root = _root(document)
    root.external_references = [package_url(_url(name, digest, platform))]
    root.comment = f"The manifest for {platform}; the index, by which the image is pulled, is {image.digest}."
    _refuse_other_packages(name, document, debian)
    if crate := CRATES_OF_IMAGES.get(name):
        add_crate(document, root, crate, release)
    if artefact := JARS_OF_IMAGES.get(name):
        add_jar(document, root, jar(artefact, release))
    file = f"{name}-{platform.replace('/', '-')}"
    document.creation_info = creation(release, file, digest.rpartition(":")[2], tools=(SYFT, "spdx-tools"))
    return document


def _keep_packages(document: Document) -> None:
    """Remove files, which have no checksums, identifiers that syft guesses, and our jars, whose POM it lacks."""
    root = _root(document)
    document.files = []
    document.packages = [
        package for package in document.packages if package is root or not package.name.startswith(_OURS)
    ]
    kept = {DOCUMENT, *(package.spdx_id for package in document.packages)}
    document.relationships = [relation for relation in document.relationships if _ends(relation) <= kept]
    for package in document.packages:
        package.external_references = [
            reference for reference in package.external_references if reference.reference_type == "purl"
        ]


def _ends(relation: Relationship) -> set[str]:
    return {relation.spdx_element_id, str(relation.related_spdx_element_id)}


def _root(document: Document) -> Package:
    described = {
        str(relation.related_spdx_element_id)
        for relation in document.relationships
        if relation.spdx_element_id == DOCUMENT
    }
    (root,) = (package for package in document.packages if package.spdx_id in described)
    return root


def _refuse_other_packages(name: str, document: Document, debian: Mapping[str, str]) -> None:
    found = {
        package.name: package.version
        for package in document.packages
        if any(reference.locator.startswith(_DEBIAN) for reference in package.external_references)
    }
    if differing := sorted(dict(found.items() ^ debian.items())):
        raise ReleaseError(
            f"syft finds other packages of Debian in {name} than its base is locked to: {', '.join(differing)}: "
            "run the step images again; if they still differ, syft does not read them"
        )


def _url(name: str, digest: str, platform: str) -> str:
    return f"pkg:oci/{name}@{digest.replace(':', '%3A')}?arch={platform.partition('/')[2]}"
