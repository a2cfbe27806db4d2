"""The registry of client metrics against the clients: kafka-clients on a broker, the strings in librdkafka."""

from __future__ import annotations

import re
from importlib.metadata import files
from pathlib import Path

import pytest

from kwitness.contracts.client_metrics import CLIENT_METRICS, lookup
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests import kept_metrics

TEXTS = {"org.apache.kafka.app.info.version", "org.apache.kafka.app.info.commit.id"}
TEXTS_OF_STREAMS = {
    f"org.apache.kafka.stream.{name}"
    for name in ("application.id", "commit.id", "state", "thread.state", "topology.description", "version")
}
LEVELS = {
    "org.apache.kafka.stream.state.number.open.files",
    "org.apache.kafka.stream.task.restore.remaining.records.total",
}
"""What is sent as a sum and goes down too."""


def check(names: dict[str, str]) -> None:
    for name, kind in names.items():
        metric = lookup(name)
        if metric is not None:
            assert (kind == "sum") == (metric.type == "counter" or name in LEVELS), name
            assert "java" in metric.senders, name


@pytest.mark.broker
def test_every_number_that_a_java_client_keeps_is_in_the_registry_with_its_type(kafka: LocalBroker) -> None:
    with kept_metrics.clients(kafka.bootstrap) as names:
        pass

    assert (
        {name for name in names if lookup(name) is None} == TEXTS == {n for n, kind in names.items() if kind == "text"}
    )
    check(names)
    registered = {one.name for one in CLIENT_METRICS if one.role != "streams" and "java" in one.senders}
    assert registered - set(names) == set()


@pytest.mark.broker
def test_every_number_that_kafka_streams_keeps_is_in_the_registry_with_its_type(
    kafka: LocalBroker, tmp_path: Path
) -> None:
    with kept_metrics.streams(kafka.bootstrap, tmp_path) as names:
        pass

    assert {name for name in names if lookup(name) is None} == TEXTS_OF_STREAMS
    check(names)
    registered = {one.name for one in CLIENT_METRICS if one.role == "streams"}
    assert registered - set(names) == set()


def test_every_name_in_librdkafka_is_in_the_registry_as_its_own() -> None:
    (library,) = [path for path in files("confluent-kafka") or () if re.search(r"/librdkafka-\w+\.so", str(path))]
    content = Path(str(library.locate())).read_bytes()
    found = re.findall(rb"org\.apache\.kafka\.(?:producer|consumer)\.[a-z.]+[a-z]\0", content)
    names = {name[:-1].decode() for name in found}

    assert len(names) >= 20
    assert names == {metric.name for metric in CLIENT_METRICS if "librdkafka" in metric.senders}
