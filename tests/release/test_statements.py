"""Checks the checksums of a release, and the statement of how it was made."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kwitness.devtools.release.checksums import checksums
from kwitness.devtools.release.provenance import provenance
from kwitness.devtools.release.release import REPOSITORY, Release, ReleaseError, git
from kwitness.images.commands import silent

DIGEST = "a" * 64
LOCKS = ("images", "charts")


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """A release with an image, a chart and a wheel."""
    release = Release(version="0.2.0", out=tmp_path, registry="127.0.0.1:5000/")
    for kind in LOCKS:
        artefact = {"repository": f"kwitness/{kind}", "digest": f"sha256:{DIGEST}"}
        (tmp_path / f"{kind}.lock.json").write_text(json.dumps({kind: artefact}))
    for name in ("python/a.whl", "images/blobs/layer"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_bytes(b"content")
    return release


def statement(release: Release) -> dict[str, Any]:
    provenance(release, silent)
    found: dict[str, Any] = json.loads((release.out / "provenance.json").read_text())
    return found


def test_sha256sum_accepts_the_checksums_and_names_what_changed(release: Release) -> None:
    provenance(release, silent)
    checksums(release, silent)
    once = (release.out / "SHA256SUMS").read_text()
    checksums(release, silent)

    assert (release.out / "SHA256SUMS").read_text() == once
    assert [line.split()[1] for line in once.splitlines()] == [
        "charts.lock.json", "images/blobs/layer", "images.lock.json", "provenance.json", "python/a.whl",
    ]  # fmt: skip
    check = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    assert subprocess.run(check, cwd=release.out, capture_output=True, check=False).returncode == 0
    (release.out / "python/a.whl").write_bytes(b"other")
    done = subprocess.run(check, cwd=release.out, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "python/a.whl: FAILED\n")


def test_a_release_without_files_has_no_checksums(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="has no files: run the other steps first"):
        checksums(Release(version="0.2.0", out=tmp_path, registry="127.0.0.1"), silent)


def test_the_statement_names_artefacts_commit_and_locks(release: Release) -> None:
    found = statement(release)

    assert [(subject["name"], subject["digest"]["sha256"]) for subject in found["subject"]] == [
        ("127.0.0.1:5000/kwitness/images", DIGEST),
        ("127.0.0.1:5000/kwitness/charts", DIGEST),
        ("charts.lock.json", hashlib.sha256((release.out / "charts.lock.json").read_bytes()).hexdigest()),
        ("images.lock.json", hashlib.sha256((release.out / "images.lock.json").read_bytes()).hexdigest()),
        ("python/a.whl", hashlib.sha256(b"content").hexdigest()),
    ]
    [source, *locks] = found["predicate"]["buildDefinition"]["resolvedDependencies"]
    assert source["digest"] == {"gitCommit": git("rev-parse", "HEAD")}
    digests = {lock["uri"]: lock["digest"]["sha256"] for lock in locks}
    assert digests["Cargo.lock"] == hashlib.sha256((REPOSITORY / "Cargo.lock").read_bytes()).hexdigest()
    assert {"locks/operator.txt", "images/base/python.lock", "images/spark-s3a/jars.sha256"} <= digests.keys()
    assert "level" not in json.dumps(found).lower()


def test_the_statement_is_the_same_after_all_steps(release: Release) -> None:
    first = statement(release)
    checksums(release, silent)

    assert statement(release) == first


@pytest.mark.parametrize("kind", LOCKS)
def test_a_statement_without_images_or_charts_is_refused(release: Release, kind: str) -> None:
    (release.out / f"{kind}.lock.json").unlink()

    with pytest.raises(ReleaseError, match=rf"{kind}\.lock\.json is missing: run the step {kind}"):
        provenance(release, silent)
