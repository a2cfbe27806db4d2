"""Checks that NOTICE has the packages of locks, with their versions and licences."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from kwitness.devtools.release.notice import notice
from kwitness.devtools.release.release import REPOSITORY, Release, ReleaseError
from kwitness.devtools.release.third_party import Package, listed_artifacts, python_packages, rust_crates
from kwitness.images.commands import silent

LISTED = """
Lists of 3 third-party dependencies.
     (CDDL + GPLv2 with classpath exception) javax.annotation API (javax.annotation:javax.annotation-api:1.3.2 - http://localhost/jsr/detail?id=250)
     (Apache-2.0) (MIT) Apache Hadoop Client API (org.apache.hadoop:hadoop-client-api:3.4.2 - no url defined)
     (BSD 2-Clause License) zstd-jni (com.github.luben:zstd-jni:1.5.7-3 - https://localhost/zstd-jni)
"""


def test_a_package_of_a_lock_has_the_licence_that_it_declares() -> None:
    packages = {package.name: package for package in python_packages(REPOSITORY / "locks" / "collector.txt")}

    assert packages["aiohttp"].version == importlib.metadata.version("aiohttp")
    assert packages["confluent-kafka"].licence == "Apache Software License"
    assert packages["zstandard"].url == f"pkg:pypi/zstandard@{packages['zstandard'].version}"
    assert all(package.licence for package in packages.values())


def test_a_package_that_only_other_systems_need_is_left_out() -> None:
    names = {package.name for package in python_packages(REPOSITORY / "locks" / "command.txt")}

    assert "typer" in names
    assert "colorama" not in names


@pytest.mark.parametrize(("pin", "found"), [("aiohttp==0.1", "aiohttp 0.1, and"), ("absent-package==1", "none: run")])
def test_a_lock_that_the_environment_does_not_follow_is_refused(tmp_path: Path, pin: str, found: str) -> None:
    lock = tmp_path / "lock.txt"
    lock.write_text(f"{pin} \\\n    --hash=sha256:0\n")

    with pytest.raises(ReleaseError, match=f"{found}.*`?make setup`"):
        python_packages(lock)


def test_crates_of_others_that_are_linked_in_are_listed() -> None:
    crates = {crate.name: crate for crate in rust_crates("kwitness-observer")}

    assert "MIT" in crates["tokio"].licence
    assert not [name for name in crates if "kwitness" in name or name in {"proptest", "clap_derive"}]


def test_crates_of_the_module_for_python_are_listed() -> None:
    assert "pyo3" in {crate.name for crate in rust_crates("kwitness-otlp")}


def test_artefacts_have_all_their_licences(tmp_path: Path) -> None:
    (tmp_path / "listed.txt").write_text(LISTED)

    assert listed_artifacts(tmp_path / "listed.txt") == [
        Package("maven", "com.github.luben:zstd-jni", "1.5.7-3", "BSD 2-Clause License"),
        Package("maven", "javax.annotation:javax.annotation-api", "1.3.2", "CDDL + GPLv2 with classpath exception"),
        Package("maven", "org.apache.hadoop:hadoop-client-api", "3.4.2", "Apache-2.0, MIT"),
    ]


@pytest.mark.release
def test_notice_has_packages_of_each_language(tmp_path: Path) -> None:
    release = Release(version="0.1.0", out=tmp_path, registry="127.0.0.1:5000")
    notice(release, silent)
    first = (tmp_path / "NOTICE").read_text()
    notice(release, silent)

    assert (tmp_path / "NOTICE").read_text() == first
    assert "\n- tokio " in first
    assert "\n- aiohttp " in first
    assert "\n- io.delta:delta-spark" in first
    assert "\n- net.bytebuddy:byte-buddy " in first
