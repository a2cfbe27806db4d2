"""Signatures of a release are verified by its key, by no other, and not after a byte has changed."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.devtools.release.charts import charts
from kwitness.devtools.release.checksums import checksums
from kwitness.devtools.release.cosign import PASSWORD, cosign, public_key
from kwitness.devtools.release.image_archive import ArchivedImage, write_images
from kwitness.devtools.release.provenance import provenance
from kwitness.devtools.release.release import REPOSITORY, Release, ReleaseError
from kwitness.devtools.release.signatures import signatures
from kwitness.images.commands import silent
from kwitness.images.image_recipes import SHIPPED

from tests.registries import registry_on
from tests.release.saved_image import CREATED, FILES, LATEST, REFERENCE, File, archive
from tests.release.sources import sources_version

pytestmark = pytest.mark.release

GUIDE = REPOSITORY / "docs/guides/verify-a-release.md"
NOWHERE = "http://127.0.0.1:9"
"""A proxy that does not answer, through which every request to another machine goes."""


def push(registry: str, folder: Path, names: list[str], *, content: bytes = b"program") -> None:
    """Push an image of one file under names, and write them into a layout and a lock."""
    folder.mkdir(exist_ok=True)
    saved = archive(folder / "saved.tar", [*FILES, File("opt/content", content)])
    version = sources_version()
    images = [
        ArchivedImage(
            name=name,
            reference=REFERENCE,
            latest=LATEST,
            labels={"name": name},
            push=f"{registry}/kwitness/{name}:{version}",
        )
        for name in names
    ]
    written = write_images(saved, images, folder / "images", CREATED)
    saved.unlink()
    lock = {name: {"repository": f"kwitness/{name}", **dataclasses.asdict(image)} for name, image in written.items()}
    (folder / "images.lock.json").write_text(json.dumps(lock))


def key_pair(folder: Path, password: str) -> Path:
    """Write a key pair; return the private key."""
    folder.mkdir()
    environment = {**os.environ, PASSWORD: password}
    subprocess.run([cosign(), "generate-key-pair"], cwd=folder, env=environment, check=True, capture_output=True)
    return folder / "cosign.key"


@pytest.fixture(scope="module")
def registry() -> Iterator[str]:
    with registry_on() as address:
        yield address


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory, registry: str) -> Iterator[Release]:
    """A release with images and charts in a registry, signed."""
    folder = tmp_path_factory.mktemp("release")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(PASSWORD, "secret")
        key = key_pair(folder / "key", "secret")
        push(registry, folder / "out", list(SHIPPED))
        release = Release(version=sources_version(), out=folder / "out", registry=registry, key=key)
        for step in (charts, provenance, checksums, signatures):
            step(release, silent)
        yield release


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home without anything that cosign has kept."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def shell(release: Release, home: Path, commands: str) -> subprocess.CompletedProcess[str]:
    """Run commands of a user in the folder of the release, with no way to other machines and without a password."""
    environment = {
        "PATH": f"{cosign().parent}:{os.environ['PATH']}",
        "HOME": str(home),
        "HTTP_PROXY": NOWHERE,
        "HTTPS_PROXY": NOWHERE,
    }
    script = commands.replace("registry.example.org", release.registry).replace("VERSION", release.version)
    return subprocess.run(
        ["bash", "-euc", script], cwd=release.out, env=environment, capture_output=True, text=True, check=False
    )


def blocks() -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def verify(reference: str, key: str = "cosign.pub") -> str:
    return f"SIGSTORE_REKOR_PUBLIC_KEY={key} cosign verify --key {key} --insecure-ignore-tlog=true {reference}"


def references(release: Release) -> list[str]:
    locks = (json.loads((release.out / f"{kind}.lock.json").read_text()) for kind in ("images", "charts"))
    return [f"{release.registry}/{entry['repository']}@{entry['digest']}" for lock in locks for entry in lock.values()]


def test_commands_of_the_guide_verify_image_chart_and_files(released: Release, home: Path) -> None:
    done = shell(released, home, "".join(blocks()))

    assert (done.returncode, done.stdout.count("docker-manifest-digest"), done.stderr) == (0, 2, done.stderr)
    assert done.stdout.endswith("Verified OK\n")  # of OpenSSL
    assert "Could not fetch" not in done.stderr
    assert list(home.iterdir()) == []  # cosign keeps there what it fetches
    (released.out / "SHA256SUMS.der").unlink()


def test_each_image_and_chart_is_signed_and_not_by_another_key(released: Release, home: Path, tmp_path: Path) -> None:
    other = key_pair(tmp_path / "other", "").with_suffix(".pub")
    assert len(references(released)) == len(SHIPPED) + 2

    for reference in references(released):
        assert shell(released, home, verify(reference)).returncode == 0
        done = shell(released, home, verify(reference, str(other)))
        assert done.returncode != 0
        assert "no matching signatures" in done.stderr


def test_what_a_platform_pulls_is_signed_too(released: Release, home: Path) -> None:
    lock = json.loads((released.out / "images.lock.json").read_text())
    digest = lock["operator"]["platforms"]["linux/amd64"]

    assert shell(released, home, verify(f"{released.registry}/kwitness/operator@{digest}")).returncode == 0


def test_a_tag_that_has_another_image_is_not_verified(released: Release, home: Path, tmp_path: Path) -> None:
    tag = f"{released.registry}/kwitness/injector:{released.version}"
    assert shell(released, home, verify(tag)).returncode == 0

    push(released.registry, tmp_path / "other", ["injector"], content=b"Program")

    done = shell(released, home, verify(tag))
    assert done.returncode != 0
    assert "no signatures found" in done.stderr


def test_another_key_or_byte_of_the_checksums_is_not_verified(released: Release, home: Path, tmp_path: Path) -> None:
    other = key_pair(tmp_path / "other", "").with_suffix(".pub")
    command = next(line for block in blocks() for line in block.splitlines() if "verify-blob" in line)
    file = released.out / "SHA256SUMS"
    text = file.read_bytes()
    assert shell(released, home, command).stderr.endswith("Verified OK\n")

    assert shell(released, home, command.replace("cosign.pub", str(other))).returncode != 0
    file.write_bytes(text[:10] + bytes([text[10] ^ 1]) + text[11:])
    try:
        done = shell(released, home, command)
        opened = shell(released, home, blocks()[-1])
    finally:
        file.write_bytes(text)
        (released.out / "SHA256SUMS.der").unlink()
    assert done.returncode != 0
    assert "invalid signature" in done.stderr
    assert (opened.returncode, "Verification failure" in opened.stdout + opened.stderr) == (1, True)


def test_a_release_that_is_signed_again_has_one_signature_of_each(released: Release, home: Path) -> None:
    (released.out / "cosign.pub").unlink()

    signatures(released, silent)

    for reference in references(released):
        printed = shell(released, home, verify(reference)).stdout
        assert len(json.loads(printed)) == 1
    assert (released.out / "cosign.pub").read_text() == released.key.with_suffix(".pub").read_text()


def copy(released: Release, folder: Path, *, registry: str | None = None) -> Release:
    """Return the release in another folder, and in another registry as far as it says."""
    shutil.copytree(released.out, folder)
    return dataclasses.replace(released, out=folder, registry=registry or released.registry)


def test_checksums_and_statement_are_the_same_after_signing(released: Release, tmp_path: Path) -> None:
    again = copy(released, tmp_path / "out")

    provenance(again, silent)
    checksums(again, silent)

    for name in ("SHA256SUMS", "provenance.json"):
        assert (again.out / name).read_bytes() == (released.out / name).read_bytes()
    assert not (again.out / "SHA256SUMS.sig").exists()


def test_checksums_of_other_files_are_not_signed(released: Release, tmp_path: Path) -> None:
    other = copy(released, tmp_path / "out")
    (other.out / "later.txt").touch()

    with pytest.raises(ReleaseError, match=r"SHA256SUMS is not that of the files beside it.*run the step checksums"):
        signatures(other, silent)
    (other.out / "SHA256SUMS").unlink()
    with pytest.raises(ReleaseError, match=r"SHA256SUMS is missing: run the step checksums"):
        signatures(other, silent)


def test_an_image_that_the_registry_has_not_is_named(released: Release, tmp_path: Path) -> None:
    with registry_on() as empty:
        other = copy(released, tmp_path / "out", registry=empty)

        with pytest.raises(
            ReleaseError, match=f"{empty}/kwitness/.* could not be signed: .*: run the step that pushes"
        ):
            signatures(other, silent)


def test_a_registry_that_is_away_is_named(released: Release, tmp_path: Path) -> None:
    other = copy(released, tmp_path / "out", registry="127.0.0.1:1")

    with pytest.raises(ReleaseError, match=r"could not be signed: .*connection refused: start it, or correct REGISTRY"):
        signatures(other, silent)


@pytest.mark.parametrize("password", ["wrong", None])
def test_a_key_with_another_password_is_refused(
    released: Release, monkeypatch: pytest.MonkeyPatch, password: str | None
) -> None:
    if password is None:
        monkeypatch.delenv(PASSWORD)
    else:
        monkeypatch.setenv(PASSWORD, password)

    with pytest.raises(ReleaseError, match=r"KEY=\S+ cannot be decrypted: set COSIGN_PASSWORD to its password"):
        public_key(released.key)


def test_a_damaged_key_is_refused(released: Release, tmp_path: Path) -> None:
    lines = released.key.read_text().splitlines()
    damaged = tmp_path / "cosign.key"
    damaged.write_text("\n".join([lines[0], *lines[2:]]))

    with pytest.raises(ReleaseError, match=r"cosign cannot read KEY=\S+: .*: write one by `cosign generate-key-pair`"):
        public_key(damaged)
