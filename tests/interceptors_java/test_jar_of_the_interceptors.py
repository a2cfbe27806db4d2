"""The jar as it is shipped."""

from __future__ import annotations

import zipfile

import pytest

from kwitness.images.image_parts import java_interceptors

pytestmark = pytest.mark.slow
JAVA_8 = 52


def test_every_class_is_one_of_java_8() -> None:
    with zipfile.ZipFile(java_interceptors()) as jar:
        classes = [name for name in jar.namelist() if name.endswith(".class")]
        newest = max(int.from_bytes(jar.read(name)[6:8], "big") for name in classes)

    assert newest <= JAVA_8


def test_every_class_is_in_a_package_of_ours() -> None:
    with zipfile.ZipFile(java_interceptors()) as jar:
        foreign = {name for name in jar.namelist() if name.endswith(".class") and not name.startswith("dev/kwitness/")}

    assert foreign == set()


def test_the_manifest_names_the_agent() -> None:
    with zipfile.ZipFile(java_interceptors()) as jar:
        manifest = jar.read("META-INF/MANIFEST.MF").decode()

    assert "Premain-Class: dev.kwitness.interceptors.agent.Agent" in manifest
