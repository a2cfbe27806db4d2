"""The registry of client metrics against the clients: kafka-clients on a broker, the strings in librdkafka."""

from __future__ import annotations

import re
import subprocess
from importlib.metadata import files
from pathlib import Path

import pytest

from kwitness.contracts.client_metrics import CLIENT_METRICS, lookup
from kwitness.e2e.kafka.jars import kafka_jars
from kwitness.e2e.kafka.local_broker import LocalBroker

LISTING = Path(__file__).parent / "ListClientMetrics.java"
TEXTS = {"org.apache.kafka.app.info.version", "org.apache.kafka.app.info.commit.id"}


@pytest.mark.broker
def test_every_number_that_a_java_client_keeps_is_in_the_registry_with_its_type(kafka: LocalBroker) -> None:
    command = ["java", "-cp", f"{kafka_jars(kafka.version)}/*", str(LISTING), kafka.bootstrap]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]
    listed = dict(line.split("\t") for line in done.stdout.splitlines() if line.startswith("org.apache.kafka."))

    assert len(listed) > 200
    assert {name for name in listed if lookup(name) is None} == TEXTS
    for name, kind in listed.items():
        metric = lookup(name)
        if metric is not None:
            assert (kind == "sum") == (metric.type == "counter"), name
            assert "java" in metric.senders, name


def test_every_name_in_librdkafka_is_in_the_registry_as_its_own() -> None:
    (library,) = [path for path in files("confluent-kafka") or () if re.search(r"/librdkafka-\w+\.so", str(path))]
    content = Path(str(library.locate())).read_bytes()
    found = re.findall(rb"org\.apache\.kafka\.(?:producer|consumer)\.[a-z.]+[a-z]\0", content)
    names = {name[:-1].decode() for name in found}

    assert len(names) >= 20
    assert names == {metric.name for metric in CLIENT_METRICS if "librdkafka" in metric.senders}
