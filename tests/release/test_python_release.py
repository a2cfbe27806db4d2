"""Builds the wheels of a release as a whole, and installs them from the index as a user does."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from kwitness.devtools.release.bills.document import write
from kwitness.devtools.release.bills.wheels import wheel_bill
from kwitness.devtools.release.krew import krew
from kwitness.devtools.release.python import python
from kwitness.devtools.release.release import Release
from kwitness.devtools.release.wheels import build_wheels
from kwitness.images.commands import silent
from kwitness.sandbox.waiting import run_to_end

from tests.release.documents import packages, related
from tests.release.sources import sources_version

pytestmark = [pytest.mark.release, pytest.mark.slow]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A release with the wheels of these sources."""
    out = tmp_path_factory.mktemp("release")
    made = Release(version=sources_version(), out=out, registry="127.0.0.1:5000")
    python(made, silent)
    krew(made, silent)
    return made


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment with pip."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return folder


def checksums(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.whl")}


def test_native_wheels_have_the_tag_of_an_old_glibc(release: Release) -> None:
    names = sorted(path.name for path in (release.out / "python").glob("*.whl"))

    assert [name.split("-")[0] for name in names] == ["kwitness", "kwitness_observer", "kwitness_otlp"]
    assert names[0].endswith("-py3-none-any.whl")
    assert all("manylinux_2_17" in name for name in names[1:])


def test_wheels_have_no_path_of_this_machine(release: Release, tmp_path: Path) -> None:
    for wheel in (release.out / "python").glob("*.whl"):
        subprocess.run([sys.executable, "-m", "zipfile", "-e", wheel, tmp_path / wheel.name], check=True)
    paths = [str(Path.home() / ".cargo").encode(), str(Path(__file__).resolve().parents[2]).encode()]

    found = [
        file.name for file in tmp_path.rglob("*") if file.is_file() and any(path in file.read_bytes() for path in paths)
    ]

    assert found == []


def test_bills_name_the_jar_and_the_crates_that_are_in_wheels(release: Release) -> None:
    documents = {}
    for path in (release.out / "python").glob("*.whl"):
        file = write(wheel_bill(release, path), release.folder("sbom"))
        documents[path.name.partition("-")[0]] = json.loads(file.read_text())

    version = release.version
    command = packages(documents["kwitness"])
    jar = command[f"pkg:maven/dev.kwitness/kwitness-broker-plugin@{version}"]
    assert jar["packageFileName"] == "kwitness/sandbox/kwitness-broker-plugin.jar"
    assert {"pkg:pypi/typer", "pkg:pypi/kopf"} <= command.keys()
    for name, crate in (("kwitness_observer", "tokio"), ("kwitness_otlp", "pyo3")):
        own = f"pkg:cargo/{name.replace('_', '-')}@{version}"
        linked = {url.partition("@")[0] for url in related(documents[name], own, "STATIC_LINK")}
        assert f"pkg:cargo/{crate}" in linked


def test_the_same_sources_give_the_same_bytes(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every crate is compiled again, in another folder.
    monkeypatch.setenv("CARGO_TARGET_DIR", str(tmp_path / "target"))

    build_wheels(tmp_path / "wheels", epoch=release.epoch)

    assert checksums(tmp_path / "wheels") == checksums(release.out / "python")


def test_pip_installs_the_command_and_the_observer_from_the_index(release: Release, environment: Path) -> None:
    index = (release.out / "python/simple").as_uri()
    ours = [f"kwitness[command]=={release.version}", "kwitness-observer", "kwitness-otlp"]
    command = [environment / "bin/python", "-m", "pip", "install", "--quiet", "--report", "-"]
    report = json.loads(run_to_end([*command, "--extra-index-url", index, *ours], check=True).stdout)
    installed = {
        entry["metadata"]["name"]: entry["download_info"]
        for entry in report["install"]
        if entry["metadata"]["name"].startswith("kwitness")
    }

    assert {name: info["archive_info"]["hashes"]["sha256"] for name, info in installed.items()} == {
        name.split("-")[0].replace("_", "-"): digest for name, digest in checksums(release.out / "python").items()
    }
    assert all(info["url"].startswith("file://") for info in installed.values())
    version = run_to_end([environment / "bin/kwitness", "--version"], check=True).stdout
    assert release.version in version
    listed = run_to_end([environment / "bin/kwitness", "subscriptions", "list"], env={})
    assert listed.stderr.startswith("kwitness subscriptions: no cluster is configured")
    observer = run_to_end([environment / "bin/kwitness-observer", "--help"], check=True)
    assert "Usage" in observer.stdout
    module = "import kwitness_otlp; print(kwitness_otlp.__name__)"
    assert run_to_end([environment / "bin/python", "-c", module], check=True).stdout == "kwitness_otlp\n"
