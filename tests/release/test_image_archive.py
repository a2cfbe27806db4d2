"""Digests of a release's images depend on what images contain, and on nothing of the machine that built them."""

from __future__ import annotations

import io
import json
import tarfile
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from kwitness.devtools.release.image_archive import ArchivedImage, WrittenImage, write_images
from kwitness.images.commands import CommandFailedError

from tests.registries import registry_on
from tests.release.saved_image import CREATED, FILES, LATEST, REFERENCE, File, archive

pytestmark = pytest.mark.slow


def write(source: Path, layout: Path, *, push: str = "") -> WrittenImage:
    labels = {"org.opencontainers.image.version": "0.2.0"}
    image = ArchivedImage(name="tried", reference=REFERENCE, latest=LATEST, labels=labels, push=push)
    return write_images(source, [image], layout, CREATED)["tried"]


def blob(layout: Path, digest: str) -> bytes:
    return (layout / "blobs" / digest.replace(":", "/")).read_bytes()


def content(layout: Path, written: WrittenImage) -> tuple[dict[str, Any], dict[str, Any], list[tarfile.TarInfo]]:
    """Return manifest, configuration and entries of the layer of an image of a layout."""
    manifest = json.loads(blob(layout, written.platforms["linux/amd64"]))
    (layer,) = manifest["layers"]
    with tarfile.open(fileobj=io.BytesIO(blob(layout, layer["digest"])), mode="r:gz") as files:
        entries = files.getmembers()
    return manifest, json.loads(blob(layout, manifest["config"]["digest"])), entries


def test_times_order_and_machine_do_not_count_and_a_byte_does(tmp_path: Path) -> None:
    # Given
    first = archive(tmp_path / "first.tar")
    # The names of one file in another order: the other one has the content.
    swapped = (
        replace(FILES[2], kind=tarfile.REGTYPE, link="", content=b"program", mode=0o755),
        replace(FILES[1], kind=tarfile.LNKTYPE, link="opt/b", content=b""),
    )
    others = [
        replace(file, owner="builder", modified=file.modified + (9000 if file.modified > LATEST else 0))
        for file in (*swapped, FILES[0], *reversed(FILES[3:]), File("var/log/apt/history.log", b"now"))
    ]
    second = archive(tmp_path / "second.tar", others, machine="two")
    changed = [replace(file, content=b"Program") if file.name == "opt/a" else file for file in FILES]

    # When
    digests = [
        write(source, tmp_path / f"layout-{number}").digest
        for number, source in enumerate((first, first, second, archive(tmp_path / "changed.tar", changed)))
    ]

    # Then
    assert digests[0] == digests[1] == digests[2]
    assert digests[3] != digests[0]


def test_an_image_keeps_its_files_with_labels_and_one_time(tmp_path: Path) -> None:
    written = write(archive(tmp_path / "saved.tar"), tmp_path / "layout")

    manifest, config, listed = content(tmp_path / "layout", written)
    entries = {entry.name: entry for entry in listed}
    assert list(entries) == ["opt", "opt/.wh.gone", "opt/a", "opt/b", "opt/old", "opt/points"]
    assert entries["opt/old"].mtime == LATEST - 1000
    assert {entry.mtime for name, entry in entries.items() if name != "opt/old"} == {LATEST}
    assert {(entry.uname, entry.gname) for entry in entries.values()} == {("", "")}
    assert entries["opt/a"].pax_headers == {"SCHILY.xattr.user.kept": "1"}
    assert (entries["opt/a"].mode, entries["opt/b"].linkname) == (0o755, "opt/a")
    assert config["config"] == {
        "Entrypoint": ["/opt/a"],
        "Labels": {"own": "1", "org.opencontainers.image.version": "0.2.0"},
    }
    assert {step["created"] for step in config["history"]} == {config["created"]} == {"2023-11-14T22:13:20Z"}
    assert manifest["annotations"] == {"org.opencontainers.image.version": "0.2.0"}


def test_a_damaged_archive_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    # Given
    whole = archive(tmp_path / "whole.tar").read_bytes()
    half, flipped = tmp_path / "half.tar", tmp_path / "flipped.tar"
    half.write_bytes(whole[: len(whole) // 2])
    flipped.write_bytes(whole.replace(b"program", b"Program"))

    # When, Then
    with pytest.raises(CommandFailedError, match=r"kwitness/tried:1 in \S+half\.tar: .+: save it again"):
        write(half, tmp_path / "layouts" / "half")
    with pytest.raises(CommandFailedError, match=r"flipped\.tar: layer sha256:\S+ is damaged, .+: save it again"):
        write(flipped, tmp_path / "layouts" / "flipped")
    assert not (tmp_path / "layouts").exists()


@pytest.fixture
def registry() -> Iterator[str]:
    with registry_on() as address:
        yield address


def test_a_pushed_image_is_pulled_by_the_digest_that_is_reported(registry: str, tmp_path: Path) -> None:
    written = write(archive(tmp_path / "saved.tar"), tmp_path / "layout", push=f"{registry}/team/tried:0.2.0")

    def pulled(path: str) -> bytes:
        with urllib.request.urlopen(f"http://{registry}/v2/team/tried/{path}", timeout=30) as answer:
            body: bytes = answer.read()
            return body

    index = pulled(f"manifests/{written.digest}")
    assert index == pulled("manifests/0.2.0") == blob(tmp_path / "layout", written.digest)
    (platform,) = json.loads(index)["manifests"]
    assert written.platforms == {"linux/amd64": platform["digest"]}
    manifest = json.loads(pulled(f"manifests/{platform['digest']}"))
    for part in (manifest["config"], *manifest["layers"]):
        found = pulled(f"blobs/{part['digest']}")
        assert (f"sha256:{sha256(found).hexdigest()}", len(found)) == (part["digest"], part["size"])


def test_a_registry_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandFailedError, match=r"127\.0\.0\.1:1/team/tried:0\.2\.0 could not be pushed"):
        write(archive(tmp_path / "saved.tar"), tmp_path / "layout", push="127.0.0.1:1/team/tried:0.2.0")
