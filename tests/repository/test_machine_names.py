"""Nothing in the repository names the machine where it was made, nor a mirror that only this machine can reach."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kwitness.devtools.machine_names import hosts_in, machine_names, occurrences

ROOT = Path(__file__).resolve().parents[2]
REMEDY = "write no path of a machine and no mirror: use relative paths, and let package clients find their registry"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


def test_the_repository_names_neither_this_machine_nor_its_mirrors() -> None:
    assert occurrences(ROOT, machine_names(ROOT, Path.home(), os.environ)) == [], REMEDY


def test_a_mirror_of_the_settings_is_found_without_showing_it(repository: Path, tmp_path: Path) -> None:
    settings = tmp_path / ".config/pip/pip.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(
        "[global]\n# index-url = https://former.example.net\nindex-url = https://me:word@mirror.example.net/simple\n"
    )
    (repository / "Dockerfile").write_text(
        "FROM scratch\nRUN pip install -i https://me:word@mirror.example.net/simple a\n"
    )
    (repository / "Cargo.lock").write_text('source = "registry+https://mirror.example.net/index"\n')

    names = machine_names(repository, tmp_path, {})

    assert {name for name in names if name.endswith("example.net")} == {"mirror.example.net"}
    assert occurrences(repository, names) == [f"Dockerfile:2: {settings}"]


@pytest.mark.parametrize("variable", ["PIP_INDEX_URL", "UV_DEFAULT_INDEX", "GOPROXY", "npm_config_registry"])
def test_a_mirror_of_the_environment_is_found(repository: Path, tmp_path: Path, variable: str) -> None:
    (repository / "README.md").write_text("Use mirror.example.net.\n")

    names = machine_names(repository, tmp_path, {variable: "https://mirror.example.net/path,direct"})

    assert occurrences(repository, names) == [f"README.md:1: the variable {variable}"]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (".cargo/config.toml", '[source.a]\nregistry = "sparse+https://mirror.example.net/index/"'),
        (".npmrc", "registry=https://mirror.example.net/"),
        (
            ".m2/settings.xml",
            '<settings xmlns="http://xml.example.net"><url>https://mirror.example.net/m2</url></settings>',
        ),
        (".config/go/env", "GOPROXY=https://mirror.example.net"),
    ],
)
def test_settings_of_each_client_are_read(tmp_path: Path, file: str, content: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)

    names = machine_names(tmp_path, tmp_path, {})

    assert {name: origin for name, origin in names.items() if name.endswith("example.net")} == {
        "mirror.example.net": str(path)
    }


def test_a_path_of_the_machine_is_found_where_it_is_whole(repository: Path) -> None:
    (repository / "page.md").write_text("/home/somebody-else\ncd /home/somebody/project\n/srv/home/somebody\n")

    names = machine_names(repository, Path("/home/somebody"), {})

    assert occurrences(repository, names) == ["page.md:2: the home folder"]


def test_public_registries_are_no_secret() -> None:
    assert (
        hosts_in("https://pypi.org/simple https://index.crates.io http://deb.debian.org http://localhost:4873") == set()
    )
