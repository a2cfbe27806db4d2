"""Checks kubectl's plugin as Krew installs it: archive, manifest and launcher."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml

from kwitness.devtools.release.krew import archive, krew
from kwitness.devtools.release.release import Release, ReleaseError
from kwitness.devtools.release.wheels import command_wheel
from kwitness.images.commands import silent
from kwitness.images.image_parts import find_uv
from kwitness.sandbox.waiting import run_to_end

VERSION = "0.1.0"
NAME = f"kubectl-kwitness-{VERSION}.tar.gz"


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return Release(version=VERSION, out=tmp_path / "out", registry="127.0.0.1:5000")


@pytest.fixture
def wheel(release: Release) -> Path:
    path = release.folder("python") / f"kwitness-{VERSION}-py3-none-any.whl"
    path.write_bytes(b"a wheel")
    return path


def test_the_manifest_names_the_archive_with_its_checksum(wheel: Path, release: Release) -> None:
    (release.folder("krew") / "kubectl-kwitness-0.0.9.tar.gz").touch()

    krew(release, silent)

    manifest = yaml.safe_load((release.out / "krew/kwitness.yaml").read_text())
    packed = (release.out / "krew" / NAME).read_bytes()
    [platform] = manifest["spec"]["platforms"]
    assert manifest["metadata"]["name"] == "kwitness"
    assert manifest["spec"]["version"] == "v0.1.0"
    assert platform["uri"] == f"{release.identity.downloads}/0.1.0/krew/{NAME}"
    assert platform["sha256"] == hashlib.sha256(packed).hexdigest()
    assert len(manifest["spec"]["shortDescription"]) <= 50
    assert packed == archive(wheel)
    assert {path.name for path in (release.out / "krew").iterdir()} == {"kwitness.yaml", NAME}


def test_the_archive_has_what_the_launcher_needs(wheel: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(archive(wheel))) as tar:
        modes = {entry.name: entry.mode for entry in tar}

    assert modes == {"LICENSE": 0o644, "kubectl-kwitness": 0o755, wheel.name: 0o644, "requirements.txt": 0o644}


def test_without_a_wheel_the_step_before_is_named(release: Release) -> None:
    with pytest.raises(ReleaseError, match=r"has 0 wheels of kwitness.*: run the step `python` before"):
        krew(release, silent)


@pytest.mark.slow
def test_the_wheel_with_the_lock_of_the_extra_is_the_whole_command(tmp_path: Path) -> None:
    """As `pip install 'kwitness[command]'` does, and the launcher of the plugin."""
    with tarfile.open(fileobj=io.BytesIO(archive(command_wheel(tmp_path)))) as tar:
        tar.extractall(tmp_path / "plugin", filter="data")
    environment, uv = tmp_path / "environment", find_uv()
    install = [uv, "pip", "install", "--quiet", "--python", environment / "bin/python"]
    requirements = tmp_path / "plugin/requirements.txt"
    subprocess.run([uv, "venv", "--quiet", environment], check=True)
    subprocess.run([*install, "--require-hashes", "--requirement", requirements], check=True)
    subprocess.run([*install, "--no-deps", *(tmp_path / "plugin").glob("*.whl")], check=True)

    listed = run_to_end([environment / "bin/kubectl-kwitness", "subscriptions", "list"], env={})

    assert listed.stderr.startswith("kubectl kwitness subscriptions: no cluster is configured")


@pytest.mark.slow
def test_a_plugin_that_cannot_make_its_environment_says_so_and_tries_again(wheel: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    with tarfile.open(fileobj=io.BytesIO(archive(wheel))) as tar:
        tar.extractall(store, filter="data")
    link = tmp_path / "kubectl-kwitness"
    link.symlink_to(store / "kubectl-kwitness")
    old = tmp_path / "old"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)

    def start(**environment: str) -> subprocess.CompletedProcess[str]:
        variables = {"PATH": os.environ["PATH"], "PIP_NO_INDEX": "1", **environment}
        return run_to_end([link, "--version"], env=variables)

    too_old = start(KWITNESS_PYTHON=str(old))
    without_index = start(KWITNESS_PYTHON=sys.executable)
    (store / "making").mkdir()
    meanwhile = start(KWITNESS_PYTHON=sys.executable)

    assert "is not Python 3.11 or later: name one by KWITNESS_PYTHON" in too_old.stderr
    assert without_index.returncode != 0
    assert f"makes its environment in {store}/environment" in without_index.stderr
    assert not (store / "environment/whole").exists()
    assert "its environment is being made" in meanwhile.stderr
