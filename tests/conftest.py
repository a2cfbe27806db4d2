"""Fixtures that more than one folder of tests uses: a broker on loopback, a Kubernetes node."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.e2e.local_broker import LocalBroker
from kwitness.e2e.memory import SUITE_GIB, shortage
from kwitness.e2e.node import KubernetesNode


@pytest.fixture(scope="session")
def kafka() -> Iterator[LocalBroker]:
    """One broker of the newest supported version, without the plugin, for the whole run."""
    with LocalBroker() as broker:
        yield broker


@pytest.fixture(scope="session")
def node() -> Iterator[KubernetesNode]:
    """The node of the test run. A running demo's node is left alone."""
    if name := os.environ.get("KWITNESS_NODE"):
        yield KubernetesNode.attach(name)
        return
    if problem := shortage(SUITE_GIB):
        pytest.exit(problem, returncode=1)
    with KubernetesNode(name="kwitness-test") as started:
        yield started


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Cheap tests first; what needs the node last, so that a plain mistake shows early."""
    order = {"e2e": 3, "node": 2, "broker": 1}
    root = Path(__file__).parent
    for item in items:
        if root / "e2e" in item.path.parents:
            item.add_marker(pytest.mark.e2e)
    items.sort(key=lambda item: max((order.get(mark.name, 0) for mark in item.iter_markers()), default=0))
