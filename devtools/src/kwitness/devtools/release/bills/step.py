"""Makes `sbom/`: an SPDX document of each image, wheel, jar and crate of a release."""

from __future__ import annotations

from collections.abc import Iterator

from spdx_tools.spdx.model import Document

from kwitness.devtools.release.bills.document import FOLDER, write
from kwitness.devtools.release.bills.images import image_bill
from kwitness.devtools.release.bills.libraries import crate_bill, jar_bill
from kwitness.devtools.release.bills.wheels import wheel_bill
from kwitness.devtools.release.images_lock import read_images_lock
from kwitness.devtools.release.release import Release, ReleaseError
from kwitness.images.commands import Progress
from kwitness.images.image_recipes import SHIPPED

__all__ = ["bills", "library_bills"]

_NO_CODE = ("-sources.jar", "-javadoc.jar")


def bills(release: Release, progress: Progress) -> None:
    """Write the documents, of what other steps have made, in place of those that are there.

    Raises
    ------
    ReleaseError
        Images or libraries are missing, syft does not read an image, or a document is not valid.
    """
    images = read_images_lock(release)
    folder = release.empty_folder(FOLDER)
    for name, image in images.items():
        for platform in image.platforms:
            document = image_bill(release, name, image, platform, SHIPPED[name].base_lock.packages)
            progress(f"{write(document, folder).name}: {len(document.packages) - 1} packages")
    for document in library_bills(release):
        progress(f"{write(document, folder).name}: {len(document.packages) - 1} packages")


def library_bills(release: Release) -> Iterator[Document]:
    """Return the documents of wheels, jars and the crate.

    Raises
    ------
    ReleaseError
        A step has made none.
    """
    jars = [file for file in (release.out / "maven").rglob("*.jar") if not file.name.endswith(_NO_CODE)]
    files = {
        "python": (wheel_bill, (release.out / "python").glob("*.whl")),
        "maven": (jar_bill, jars),
        "crates": (crate_bill, (release.out / "crates").glob("*.crate")),
    }
    for step, (bill, found) in files.items():
        artefacts = sorted(found)
        if not artefacts:
            raise ReleaseError(
                f"{release.out / step} has nothing that a bill could describe: run the step {step} before"
            )
        for artefact in artefacts:
            yield bill(release, artefact)
