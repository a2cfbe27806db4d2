"""Fixtures: the plugin, a program of others, and a collector that takes everything."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.images.container_engine import install

from tests.interceptors_librdkafka.interceptors_server import InterceptorsServer
from tests.interceptors_librdkafka.plugin_library import Intercepted, built_plugin


@pytest.fixture(scope="session")
def plugin() -> Path:
    """The library, built."""
    return built_plugin()


@pytest.fixture(scope="session")
def kcat() -> str:
    """Debian's: the one foreign program on a librdkafka of the system."""
    if shutil.which("kcat") is None:
        install("kcat", "the plugin is tried in a program of others", print)
    return "kcat"


@pytest.fixture
def collector() -> Iterator[InterceptorsServer]:
    """Takes what interceptors send; nothing of it broke the contract."""
    with InterceptorsServer() as server:
        yield server
    assert server.broken == []


@pytest.fixture
def intercepted(plugin: Path, collector: InterceptorsServer, tmp_path: Path) -> Intercepted:
    """Programs with the plugin and all its interceptors."""
    made = Intercepted(plugin, tmp_path / "interceptors.json")
    made.tell(collector.url)
    return made
