"""The registry of client metrics against the clients: kafka-clients on a broker, the strings in librdkafka."""

from __future__ import annotations

import re
import subprocess
from importlib.metadata import files
from pathlib import Path

import pytest

from kwitness.contracts.client_metrics import CLIENT_METRICS, lookup
from kwitness.e2e.kafka.jars import kafka_jars, streams_jars
from kwitness.e2e.kafka.local_broker import LocalBroker

HERE = Path(__file__).parent
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


def listed(program: str, jars: list[Path], *arguments: str) -> dict[str, str]:
    """Name and kind of what a program lists."""
    path = ":".join(f"{folder}/*" for folder in jars)
    command = ["java", "-XX:TieredStopAtLevel=1", "-cp", path, str(HERE / program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(line.split("\t") for line in done.stdout.splitlines() if line.startswith("org.apache.kafka."))


def check(names: dict[str, str]) -> None:
    for name, kind in names.items():
        metric = lookup(name)
        if metric is not None:
            assert (kind == "sum") == (metric.type == "counter" or name in LEVELS), name
            assert "java" in metric.senders, name


@pytest.mark.broker
def test_every_number_that_a_java_client_keeps_is_in_the_registry_with_its_type(kafka: LocalBroker) -> None:
    names = listed("ListClientMetrics.java", [kafka_jars(kafka.version)], kafka.bootstrap)

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
    names = listed("ListStreamsMetrics.java", [streams_jars()], kafka.bootstrap, str(tmp_path))

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
