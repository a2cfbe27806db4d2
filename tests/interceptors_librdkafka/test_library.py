"""What the shipped library asks of the machine that it is loaded on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from kwitness.images.image_parts import PLUGIN_GLIBC, PLUGIN_LIBRARY, QUICK, librdkafka_plugin

pytestmark = pytest.mark.slow

# Of the loader and of the compiler's own support; librdkafka is none of them.
_MAY_BE_NEEDED = re.compile(r"^(libc|libm|libdl|libpthread|librt|libgcc_s|ld-linux-[\w-]+)\.so(\.\d+)?$")


@pytest.fixture(scope="module")
def library() -> Path:
    """The library as images of the node have it."""
    return librdkafka_plugin(print, profile=QUICK) / PLUGIN_LIBRARY


def readelf(option: str, library: Path) -> str:
    return subprocess.run(["readelf", "--wide", option, library], capture_output=True, text=True, check=True).stdout


def test_it_needs_no_newer_glibc_than_old_images_have(library: Path) -> None:
    needed = {
        tuple(map(int, found.split(".")))
        for found in re.findall(r"GLIBC_(\d+(?:\.\d+)+)", readelf("--version-info", library))
    }

    assert needed
    assert max(needed) <= tuple(map(int, PLUGIN_GLIBC.split(".")))


def test_it_is_linked_to_nothing_but_the_system(library: Path) -> None:
    needed = re.findall(r"\(NEEDED\)\s+Shared library: \[(.+?)\]", readelf("--dynamic", library))

    assert [name for name in needed if not _MAY_BE_NEEDED.match(name)] == []


def test_it_stays_loaded_when_librdkafka_lets_go_of_it(library: Path) -> None:
    assert re.search(r"\(FLAGS_1\).*\bNODELETE\b", readelf("--dynamic", library))


def test_it_offers_one_function_and_wants_none_of_librdkafka(library: Path) -> None:
    symbols = [line.split() for line in readelf("--dyn-syms", library).splitlines() if re.match(r"\s*\d+:", line)]
    offered = [fields[7] for fields in symbols if len(fields) > 7 and fields[6] != "UND" and fields[4] == "GLOBAL"]
    wanted = [fields[7] for fields in symbols if len(fields) > 7 and fields[6] == "UND"]

    assert offered == ["conf_init"]
    assert [name for name in wanted if name.startswith("rd_kafka")] == []
