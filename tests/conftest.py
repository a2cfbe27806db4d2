"""Fixtures that more than one folder of tests uses: a broker on loopback, a Kubernetes node."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.e2e.cache import cache_folder
from kwitness.e2e.local_broker import LocalBroker
from kwitness.e2e.node import KubernetesNode
from kwitness.e2e.room import SUITE_GIB, shortages


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
    if lacks := shortages(SUITE_GIB):
        pytest.fail("\n".join(lacks))
    with KubernetesNode(name="kwitness-test") as started:
        yield started


TURN = pytest.StashKey[object]()
"""The lock that a run holds while it is the one that uses the machine."""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Runs take turns: two at once on a small machine make each other's brokers miss their time limits."""
    is_worker = hasattr(session.config, "workerinput")
    if is_worker or session.config.option.collectonly or os.environ.get("KWITNESS_TURNS") == "off":
        return
    lock = cache_folder() / "test-run.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    session.config.stash[TURN] = handle = lock.open("w")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        session.config.get_terminal_writer().line(
            f"waits for another test run to end ({lock}); KWITNESS_TURNS=off goes ahead"
        )
        fcntl.flock(handle, fcntl.LOCK_EX)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Cheap tests first, so that a plain mistake shows early; what needs the node last.

    With several workers one of them has the node and begins with it, since that takes the longest; the tests of a
    folder stay together, since they share a broker, an API server or a Spark.
    """
    order = {"e2e": 3, "node": 2, "broker": 1}
    root = Path(__file__).parent
    for item in items:
        if root / "e2e" in item.path.parents:
            item.add_marker(pytest.mark.e2e)
    parallel = hasattr(config, "workerinput")
    ranks = {item: max((order.get(mark.name, 0) for mark in item.iter_markers()), default=0) for item in items}
    for item, rank in ranks.items():
        folder = item.path.relative_to(root).parts[0]
        item.add_marker(pytest.mark.xdist_group("node" if rank > 1 else folder))
    items.sort(key=lambda item: (parallel and ranks[item] < 2, ranks[item]))
