"""Keys that cannot sign are refused before anything is made, and without a key nothing is signed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from kwitness.devtools.release.__main__ import main
from kwitness.devtools.release.cosign import COSIGN
from kwitness.devtools.release.release import Release
from kwitness.devtools.release.signatures import signatures

from tests.release.conftest import VERSION


def write(folder: Path, text: str) -> Path:
    file = folder / "cosign.key"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (
            lambda folder: folder / "absent.key",
            r"absent\.key cannot be read: No such file or directory: correct the path",
        ),
        (lambda folder: folder, "cannot be read: Is a directory: correct the path"),
        (
            lambda folder: write(folder, ""),
            "is no private key of cosign, whose first line is -----BEGIN ENCRYPTED SIGST",
        ),
        (lambda folder: write(folder, "-----BEGIN PUBLIC KEY-----\nMFkw\n"), "is no private key of cosign"),
        (lambda folder: write(folder, "-----BEGIN PRIVATE KEY-----\nMFkw\n"), "is no private key of cosign"),
    ],
    ids=["absent", "folder", "empty", "public", "not encrypted"],
)
@pytest.mark.usefixtures("sources")
def test_a_file_that_is_no_key_is_refused_before_images_are_built(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, make, reason
) -> None:
    key = make(tmp_path)
    options = [f"--version={VERSION}", f"--out={tmp_path / 'out'}", "--registry=127.0.0.1:5000", f"--key={key}"]
    monkeypatch.setattr(sys, "argv", ["release", *options])

    assert main() == 1

    printed = capfd.readouterr()
    assert printed.out == "check:\n"
    assert printed.err.startswith(f"error: KEY={key}")
    assert re.search(reason, printed.err)
    assert "cosign generate-key-pair" in printed.err


def test_cosign_reports_the_version_of_its_module() -> None:
    (version,) = re.findall(
        r"^require github.com/sigstore/cosign/v2 (v\S+)$", (COSIGN.module / "go.mod").read_text(), re.MULTILINE
    )

    assert COSIGN.variables == (f"sigs.k8s.io/release-utils/version.gitVersion={version}",)


def test_without_a_key_signatures_of_an_older_release_are_removed(tmp_path: Path) -> None:
    for name in ("cosign.pub", "SHA256SUMS.sig", "SHA256SUMS"):
        (tmp_path / name).touch()
    lines: list[str] = []

    signatures(Release(version=VERSION, out=tmp_path, registry="127.0.0.1:5000"), lines.append)

    assert [file.name for file in tmp_path.iterdir()] == ["SHA256SUMS"]
    assert lines == ["nothing is signed: no KEY is given"]
