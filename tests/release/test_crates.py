"""Packages the crate of a release, and compiles a program of a stranger with it."""

from __future__ import annotations

import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest

from kwitness.devtools.release.crates import CRATE, crates
from kwitness.devtools.release.release import REPOSITORY, Release, ReleaseError
from kwitness.images.commands import silent

from tests.release.sources import sources_version

MAIN = """\
fn main() {
    let _ = kwitness_protocol::Limits::default();
}
"""


def test_cargo_publishes_the_crate_nowhere_but_to_a_registry_that_its_user_has_named() -> None:
    command = ["cargo", "publish", "--package", CRATE, "--dry-run", "--offline", "--no-verify", "--allow-dirty"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert "registry index was not found in any configuration: `kwitness`" in done.stderr


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    made = Release(version=sources_version(), out=tmp_path_factory.mktemp("release"), registry="127.0.0.1:5000")
    crates(made, silent)
    return made


@pytest.mark.release
def test_the_package_has_what_a_registry_shows(release: Release) -> None:
    root = f"{CRATE}-{release.version}"
    with tarfile.open(release.out / f"crates/{root}.crate") as tar:
        names = {name.removeprefix(f"{root}/") for name in tar.getnames()}
        manifest = tar.extractfile(f"{root}/Cargo.toml")
        assert manifest is not None
        package = tomllib.loads(manifest.read().decode())["package"]

    assert {"LICENSE", "README.md", "Cargo.toml", "src/lib.rs"} <= names
    assert not [name for name in names if name.startswith("fuzz/")]
    assert all(package[field] for field in ("description", "license", "repository", "readme", "rust-version"))
    assert package["version"] == release.version
    assert package["repository"] == release.identity.repository


@pytest.mark.release
def test_the_same_sources_give_the_same_package(release: Release, tmp_path: Path) -> None:
    again = Release(version=release.version, out=tmp_path, registry=release.registry)

    crates(again, silent)

    name = f"crates/{CRATE}-{release.version}.crate"
    assert (again.out / name).read_bytes() == (release.out / name).read_bytes()


@pytest.mark.release
def test_another_version_than_that_of_the_sources_is_refused(release: Release, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"not kwitness-protocol-99\.0\.0\.crate: run `make version"):
        crates(Release(version="99.0.0", out=tmp_path, registry=release.registry), silent)


@pytest.mark.release
def test_a_program_outside_of_the_clone_compiles_with_the_package(release: Release, tmp_path: Path) -> None:
    with tarfile.open(next((release.out / "crates").iterdir())) as tar:
        tar.extractall(tmp_path, filter="data")
    (tmp_path / "program/src").mkdir(parents=True)
    (tmp_path / "program/src/main.rs").write_text(MAIN)
    (tmp_path / "program/Cargo.toml").write_text(
        '[package]\nname = "program"\nversion = "0.0.0"\nedition = "2024"\n'
        f'[dependencies]\n{CRATE} = {{ path = "../{CRATE}-{release.version}" }}\n'
    )

    subprocess.run(["cargo", "build", "--quiet"], cwd=tmp_path / "program", check=True)
