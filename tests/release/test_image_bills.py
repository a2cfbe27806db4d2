"""Bills of images name what is in a layout, and what compilers have put into its programs."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from kwitness.devtools.release.bills.document import write
from kwitness.devtools.release.bills.images import image_bill
from kwitness.devtools.release.bills.native_parts import CRATES_OF_IMAGES, JARS_OF_IMAGES
from kwitness.devtools.release.image_archive import ArchivedImage, write_images
from kwitness.devtools.release.images_lock import LockedImage
from kwitness.devtools.release.release import Release, ReleaseError
from kwitness.images.image_parts import DECODER_SOURCES, JAVA_INTERCEPTORS, PLUGIN_SOURCES, RUST_SOURCES
from kwitness.images.image_recipes import SHIPPED

from tests.release.documents import packages, related
from tests.release.saved_image import CREATED, FILES, LATEST, REFERENCE, File, archive

NAMES = ("operator", "observer")
LIBC = "Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2.36-9+deb12u14\nDescription: C\n"
DEBIAN = {"libc6": "2.36-9+deb12u14"}
PLATFORM = "linux/amd64"


def jar(**properties: str) -> bytes:
    """Return a jar with the coordinates that Maven writes into one."""
    content = io.BytesIO()
    path = f"META-INF/maven/{properties['groupId']}/{properties['artifactId']}/pom.properties"
    with zipfile.ZipFile(content, "w") as written:
        written.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
        written.writestr(path, "".join(f"{name}={value}\n" for name, value in properties.items()))
    return content.getvalue()


CONTENT = (
    File("etc/os-release", b'ID=debian\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\n'),
    File("opt/jars/delta.jar", jar(groupId="io.delta", artifactId="delta-storage", version="4.1.0")),
    File("opt/jars/kwitness-interceptors.jar", jar(groupId="x", artifactId="kwitness-interceptors", version="1")),
    File("opt/kwitness/aiohttp-3.14.5.dist-info/METADATA", b"Name: aiohttp\nVersion: 3.14.5\nLicense: Apache-2.0\n"),
    File("var/lib/dpkg/status", LIBC.encode()),
)


def release_of(out: Path, content: tuple[File, ...] = CONTENT) -> tuple[Release, dict[str, LockedImage]]:
    """Return a release with a layout of two images, and their lock."""
    out.mkdir()
    saved = archive(out / "saved.tar", [*FILES, *content])
    images = [ArchivedImage(name=name, reference=REFERENCE, latest=LATEST, labels={"name": name}) for name in NAMES]
    written = write_images(saved, images, out / "images", CREATED)
    lock = {name: LockedImage(repository=f"kwitness/{name}", **asdict(image)) for name, image in written.items()}
    return Release(version="0.2.0", out=out, registry="127.0.0.1:5000"), lock


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Release, dict[str, LockedImage]]:
    return release_of(tmp_path_factory.mktemp("release") / "out")


def bill(
    release: Release, lock: dict[str, LockedImage], folder: Path, name: str = "operator"
) -> tuple[dict[str, Any], str]:
    """Return the document that is written of an image, and its text."""
    folder.mkdir(exist_ok=True)
    text = write(image_bill(release, name, lock[name], PLATFORM, DEBIAN), folder).read_text()
    document: dict[str, Any] = json.loads(text)
    return document, text


@pytest.mark.slow
def test_a_bill_names_the_image_and_packages_of_each_kind(made, tmp_path: Path) -> None:
    release, lock = made
    document, _ = bill(release, lock, tmp_path)

    digest = lock["operator"].platforms[PLATFORM]
    root = f"pkg:oci/operator@{digest.replace(':', '%3A')}?arch=amd64"
    assert set(packages(document)) == {
        root,
        "pkg:deb/debian/libc6@2.36-9%2Bdeb12u14?arch=amd64&distro=debian-12",
        "pkg:maven/io.delta/delta-storage@4.1.0",
        "pkg:pypi/aiohttp@3.14.5",
    }
    assert packages(document)[root]["versionInfo"] == "0.2.0"
    assert packages(document)[root]["checksums"] == [{"algorithm": "SHA256", "checksumValue": digest[7:]}]
    assert lock["operator"].digest in packages(document)[root]["comment"]
    assert packages(document)["pkg:pypi/aiohttp@3.14.5"]["licenseDeclared"] == "Apache-2.0"
    assert related(document, root, "CONTAINS") == set(packages(document)) - {root}
    assert "files" not in document


@pytest.mark.slow
def test_crates_that_are_linked_into_a_program_are_named(made, tmp_path: Path) -> None:
    release, lock = made
    document, _ = bill(release, lock, tmp_path, "observer")

    own = "pkg:cargo/kwitness-observer@0.2.0"
    linked = {url.partition("@")[0] for url in related(document, own, "STATIC_LINK")}
    assert {"pkg:cargo/tokio", "pkg:cargo/rustls", "pkg:cargo/hyper"} <= linked
    assert "pkg:cargo/proptest" not in linked


@pytest.mark.slow
def test_the_same_image_has_the_same_bill_and_another_one_has_not(made, tmp_path: Path) -> None:
    release, lock = made
    first, text = bill(release, lock, tmp_path / "first")
    again = release_of(tmp_path / "again")
    content = (*CONTENT[:-1], File("var/lib/dpkg/status", f"{LIBC}Section: libs\n".encode()))
    other = release_of(tmp_path / "other", content)

    assert bill(*again, tmp_path / "second")[1] == text
    assert first["creationInfo"]["created"] == release.created
    assert bill(*other, tmp_path / "third")[0]["documentNamespace"] != first["documentNamespace"]


@pytest.mark.slow
def test_an_image_with_other_packages_than_its_lock_has_no_bill(made) -> None:
    release, lock = made
    locked = {"libc6": "2.36-10", "tini": "0.19"}

    with pytest.raises(ReleaseError, match="in operator than its base is locked to: libc6, tini: run the step images"):
        image_bill(release, "operator", lock["operator"], PLATFORM, locked)


@pytest.mark.slow
def test_a_layout_that_is_not_of_the_lock_is_refused(tmp_path: Path) -> None:
    release, lock = release_of(tmp_path / "out")
    digest = lock["operator"].platforms[PLATFORM]
    blob = release.out / "images/blobs" / digest.replace(":", "/")
    manifest = json.loads(blob.read_text())
    (release.out / "images/blobs" / manifest["layers"][0]["digest"].replace(":", "/")).unlink()

    with pytest.raises(ReleaseError, match=r"syft cannot read kwitness/operator in .*: run the step images again"):
        image_bill(release, "operator", lock["operator"], PLATFORM, DEBIAN)
    blob.unlink()
    with pytest.raises(ReleaseError, match=rf"has no {digest}, which is kwitness/operator in images\.lock\.json"):
        image_bill(release, "operator", lock["operator"], PLATFORM, DEBIAN)


def test_each_image_with_a_program_of_ours_has_the_crates_or_jars_of_it() -> None:
    sources = {
        "kwitness-observer": RUST_SOURCES,
        "kwitness-otlp": DECODER_SOURCES,
        "kwitness-interceptors-librdkafka": PLUGIN_SOURCES,
    }
    bases = {name: recipe.base for name, recipe in SHIPPED.items()}
    recipes = {name: [recipe] for name, recipe in SHIPPED.items()}
    for name, base in bases.items():
        recipes[name] += [recipe for recipe in SHIPPED.values() if recipe is base]

    crates = {
        name: crate
        for name, of in recipes.items()
        for crate, files in sources.items()
        if any(set(files) <= set(recipe.inputs) for recipe in of)
    }
    jars = {
        name
        for name, of in recipes.items()
        if any(
            isinstance(part, Path) and part.is_relative_to(JAVA_INTERCEPTORS) for recipe in of for part in recipe.inputs
        )
    }

    assert crates == CRATES_OF_IMAGES
    assert jars == set(JARS_OF_IMAGES)
