"""The step `bills` as a whole, with an image that has what compilers put into programs and jars."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

from kwitness.devtools.release.bills.step import bills
from kwitness.devtools.release.image_archive import ArchivedImage, write_images
from kwitness.devtools.release.release import Release
from kwitness.images.commands import silent
from kwitness.images.image_recipes import SHIPPED

from tests.release.documents import packages, related
from tests.release.saved_image import CREATED, FILES, LATEST, REFERENCE, File, archive
from tests.release.test_wheels import wheel

pytestmark = pytest.mark.release

IMAGE = "interceptors"
JAR = "maven/dev/kwitness/kwitness-interceptors/0.2.0/kwitness-interceptors-0.2.0"


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """A release with an image that has the packages of its lock, a wheel, a jar and a crate."""
    out = tmp_path / "out"
    for folder in ("python", "crates", Path(JAR).parent):
        (out / folder).mkdir(parents=True)
    wheel(out / "python")
    for name in (f"{JAR}.jar", f"{JAR}-sources.jar", f"{JAR}-javadoc.jar", "crates/kwitness-protocol-0.2.0.crate"):
        (out / name).write_bytes(name.encode())
    status = "\n".join(
        f"Package: {name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: {version}\n"
        for name, version in SHIPPED[IMAGE].base_lock.packages.items()
    )
    files = (File("etc/os-release", b'ID=debian\nVERSION_ID="12"\n'), File("var/lib/dpkg/status", status.encode()))
    saved = archive(tmp_path / "saved.tar", [*FILES, *files])
    image = ArchivedImage(name=IMAGE, reference=REFERENCE, latest=LATEST, labels={})
    written = write_images(saved, [image], out / "images", CREATED)[IMAGE]
    lock = {IMAGE: {"repository": f"kwitness/{IMAGE}", **dataclasses.asdict(written)}}
    (out / "images.lock.json").write_text(json.dumps(lock))
    return Release(version="0.2.0", out=out, registry="127.0.0.1:5000")


def contents(release: Release) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (release.out / "sbom").iterdir()}


def test_each_artefact_has_one_valid_document_which_is_the_same_again(release: Release) -> None:
    bills(release, silent)
    first = contents(release)
    (release.out / "sbom/older.spdx.json").touch()
    bills(release, silent)

    assert contents(release) == first
    assert set(first) == {
        "interceptors-linux-amd64.spdx.json",
        "kwitness-0.2.0-py3-none-any.whl.spdx.json",
        "kwitness-interceptors-0.2.0.jar.spdx.json",
        "kwitness-protocol-0.2.0.crate.spdx.json",
    }
    for name in first:
        document = parse_file(str(release.out / "sbom" / name))
        assert (name, validate_full_spdx_document(document)) == (name, [])


def test_an_image_has_packages_of_debian_linked_crates_and_shaded_classes(release: Release) -> None:
    bills(release, silent)

    document = json.loads(contents(release)["interceptors-linux-amd64.spdx.json"])
    debian = {url for url in packages(document) if url.startswith("pkg:deb/")}
    linked = related(document, "pkg:cargo/kwitness-interceptors-librdkafka@0.2.0", "STATIC_LINK")
    shaded = related(document, "pkg:maven/dev.kwitness/kwitness-interceptors@0.2.0", "CONTAINS")
    assert len(debian) == len(SHIPPED[IMAGE].base_lock.packages)
    assert "pkg:cargo/ureq" in {url.partition("@")[0] for url in linked}
    assert [url.partition("@")[0] for url in shaded] == ["pkg:maven/net.bytebuddy/byte-buddy"]
