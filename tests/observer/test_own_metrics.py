"""The page of metrics lists the families that an observer exposes, and no others."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from kwitness.contracts.own_metrics import OBSERVER_METRICS

from tests.eventually import eventually
from tests.observer.answering_broker import AnsweringBroker, list_groups
from tests.observer.observer_process import ObserverProcess

pytestmark = pytest.mark.broker
PAGE = Path(__file__).resolve().parents[2] / "docs/reference/metrics.md"


def listed() -> dict[str, tuple[str, str]]:
    """Type and meaning of each family in the page's table of observers."""
    table = PAGE.read_text().partition("\n## Of an observer\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|.*\| (.+) \|$", table, re.MULTILINE)
    return {name: (kind, meaning) for name, kind, meaning in rows}


@pytest.fixture(scope="module")
def exposed(program: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A scrape after a request, and beside a connection that speaks another protocol."""
    with AnsweringBroker() as broker:
        folder = tmp_path_factory.mktemp("observer")
        with ObserverProcess(program, folder, bootstrap=broker.bootstrap, nodes=(), changes={}) as observer:
            address = ("127.0.0.1", observer.settings["listener"]["bootstrap_port"])
            with socket.create_connection(address, timeout=60) as client, socket.create_connection(address) as stranger:
                client.sendall(list_groups(7))
                assert client.recv(16)
                stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
                return eventually(observer.metrics_page, lambda page: "kwitness_observer_opaque_total{" in page)


def test_the_page_lists_what_an_observer_exposes(exposed: str) -> None:
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", exposed, re.MULTILINE))
    helps = dict(re.findall(r"^# HELP (\S+) (.+)$", exposed, re.MULTILINE))

    assert {name: (kind, helps[name]) for name, kind in types.items()} == listed()


def test_samples_have_the_labels_of_the_registry(exposed: str) -> None:
    labels = {metric.name: set(metric.labels) for metric in OBSERVER_METRICS}
    samples = re.findall(r"^([a-z_]+)(?:\{(.*)\})? \d+$", exposed, re.MULTILINE)

    assert {name: set(re.findall(r'(\w+)="', inside)) for name, inside in samples}.items() <= labels.items()
    assert len(samples) == sum(not line.startswith("#") for line in exposed.splitlines())
