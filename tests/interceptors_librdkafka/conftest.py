"""Fixtures: the plugin, and a collector that takes everything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interceptors_librdkafka.interceptors_server import InterceptorsServer
from tests.interceptors_librdkafka.plugin_library import Intercepted, built_plugin


@pytest.fixture(scope="session")
def plugin() -> Path:
    """The library, built."""
    return built_plugin()


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
