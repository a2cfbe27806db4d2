"""Fixtures that more than one folder of tests uses: a broker on loopback, an API server, a Kubernetes node."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.capacity import SUITE_GIB, shortages
from kwitness.e2e.kafka.local_broker import Listener, LocalBroker
from kwitness.e2e.node.kubernetes_node import KubernetesNode
from kwitness.images.cache import cache_folder

from tests import soak

os.environ["SPARK_CONF_DIR"] = str(Path(__file__).with_name("spark"))


@pytest.fixture(scope="session")
def kafka() -> Iterator[LocalBroker]:
    """One broker of the newest supported version for the whole run: every listener, rights checked, no plugin.

    Whoever uses it gives topics and users names of their own; on its plaintext listener everything is allowed. Tests
    that stop a broker, or want another configuration, start one.
    """
    with LocalBroker(listeners=list(Listener), authorizer=True) as broker:
        yield broker


@pytest.fixture(scope="session")
def api_server() -> Iterator[ApiServer]:
    """An API server with Pod Security, RBAC and admission policies, without controllers, for the whole run."""
    with ApiServer() as server:
        yield server


@pytest.fixture(scope="session")
def lent_server() -> Iterator[ApiServer]:
    """One for tests that want it for themselves, one after the other: `empty` begins anew."""
    with ApiServer() as server:
        server.empty()
        yield server


@pytest.fixture
def empty_server(lent_server: ApiServer) -> ApiServer:
    """A cluster that nobody has installed anything into."""
    lent_server.empty()
    return lent_server


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


# How long examples take says nothing where much else runs; the limit of pytest is for one that does not end.
settings.register_profile("patient", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Of `make fuzz`, which gives each round a seed.
settings.register_profile("fuzz", settings.get_profile("patient"), derandomize=False, max_examples=1000)
settings.load_profile("patient")

TURN = pytest.StashKey[object]()
"""The lock that a run holds while it is the one that uses the machine."""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Runs take turns: two at once on a small machine make each other's brokers miss their time limits.

    `KWITNESS_TURNS` names a queue of its own for a run, so that the parts of one suite run side by side; `off` waits
    for nobody.
    """
    queue = os.environ.get("KWITNESS_TURNS", "run")
    if session.config.option.collectonly or queue == "off":
        return
    lock = cache_folder() / f"test-{queue}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    session.config.stash[TURN] = handle = lock.open("w")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        session.config.get_terminal_writer().line(
            f"waits for another test run to end ({lock}); KWITNESS_TURNS=off goes ahead"
        )
        fcntl.flock(handle, fcntl.LOCK_EX)


def pytest_report_header() -> str:
    """Say how much of the exhaustive tests is run, and from which seed."""
    return soak.header()


MARKS: Final = {
    "spark": pytest.mark.spark,
    "api_server": pytest.mark.slow,
    "lent_server": pytest.mark.slow,
    "start": pytest.mark.slow,
    "shared": pytest.mark.slow,
    "kubernetes": pytest.mark.slow,
}
"""By the fixture that needs them."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the end-to-end suite by its folder, and other tests by their fixtures."""
    if Path(__file__).parent / "e2e" in item.path.parents:
        item.add_marker(pytest.mark.e2e)
    for fixture in set(getattr(item, "fixturenames", ())) & MARKS.keys():
        item.add_marker(MARKS[fixture])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Cheap tests first, so that a plain mistake shows early, and what needs the node last."""
    order = {"e2e": 3, "node": 2, "broker": 1, "spark": 1}
    items.sort(key=lambda item: max((order.get(mark.name, 0) for mark in item.iter_markers()), default=0))
