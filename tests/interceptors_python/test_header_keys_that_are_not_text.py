"""Records with header keys that are not UTF-8: the application goes on, and every record counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .injected import injected_folder, run_program
from .own_process import LEAST

pytestmark = pytest.mark.slow

RECORDS = 50
PROGRAM = """
import json
from operator import methodcaller
import confluent_kafka, kafka
from kwitness_interceptors.reporting.process import PROCESS

class Bytes(str):
    def encode(self, *_):
        return bytes.fromhex(self)

READABLE = b"ok".hex()
KEYS = {keys!r}
PATTERN = [list(map(Bytes, KEYS)), [Bytes(READABLE)], []]

mock = {{"bootstrap.servers": "mock.invalid:1", "test.mock.num.brokers": 1, "log_level": 0}}
producer = confluent_kafka.Producer(mock)
(broker,) = producer.list_topics(timeout=20).brokers.values()
address = f"{{broker.host}}:{{broker.port}}"
python = kafka.KafkaProducer(bootstrap_servers=address, api_version=(2, 0, 0))
for number in range({records}):
    headers = [(key, str(place).encode()) for place, key in enumerate(PATTERN[number % len(PATTERN)])]
    python.send("orders", b"v", partition=0, headers=headers).get(20)

consumer = confluent_kafka.{kind}({{
    "bootstrap.servers": address, "group.id": "g", "auto.offset.reset": "earliest", "log_level": 0,
}})
consumer.assign([confluent_kafka.TopicPartition("orders", 0, 0)])
got = 0
for _ in range({records} * 20):
    if got == {records}:
        break
    for message in consumer.consume({records}, 1) if "{way}" == "consume" else filter(None, [consumer.poll(1)]):
        got += 1
        try:
            # As a careful application reads them: a plain call may miss the error, with and without interceptors.
            list(map(tuple.__hash__, methodcaller("headers")(message) or ()))
        except (SystemError, UnicodeDecodeError):
            pass
counted = sum(
    topic.consumed
    for client in PROCESS._clients if client.counts is not None
    for topics in client.counts._windows.values()
    for topic in topics.values()
)
print(json.dumps({{"got": got, "counted": counted}}))
"""
WHOLE = {
    "Audit": {"type": "Audit"},
    "Sizes": {"type": "Sizes"},
    "Headers": {"type": "Headers"},
    "Checksum": {"type": "Checksum", "header": "shop.checksum"},
    "Tracing": {"type": "Tracing", "header": "shop.trace"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return injected_folder(tmp_path_factory.mktemp("kwitness") / "python")


def settings_file(at: Path, types: list[str]) -> Path:
    entries = [{"name": name.lower(), **WHOLE[name]} for name in types]
    collector = {"url": "http://127.0.0.1:1", "replicas": 1, "token_file": "/no"}
    whole = LEAST | {"suspend": False, "interceptors": entries, "collector": collector, "window_ms": 3_600_000}
    at.write_text(json.dumps(whole))
    return at


@pytest.mark.parametrize(
    ("types", "reading", "keys"),
    [
        (["Audit"], "Consumer.poll", ["c328"]),
        (["Audit"], "Consumer.consume", ["c328"]),
        (["Audit", "Headers"], "Consumer.consume", ["c328", "6f6b", "ff"]),
        (["Audit", "Headers"], "Consumer.poll", ["6f6b", "80", "c0af"]),
        (["Audit", "Checksum", "Tracing"], "Consumer.consume", ["c328"]),
        (["Audit", "Checksum"], "Consumer.poll", ["c328", "c328", "c328"]),
        (["Audit", "Headers", "Checksum"], "DeserializingConsumer.poll", ["ff"]),
    ],
)
def test_the_application_gets_every_record_and_each_is_counted(
    folder: Path, tmp_path: Path, types: list[str], reading: str, keys: list[str]
) -> None:
    variables = {
        "KWITNESS_POD_NAME": "orders-1",
        "KWITNESS_POD_NAMESPACE": "shop",
        "KWITNESS_INTERCEPTORS": str(settings_file(tmp_path / "interceptors.json", types)),
    }
    kind, way = reading.split(".")
    program = PROGRAM.format(records=RECORDS, kind=kind, way=way, keys=keys)

    done = run_program(program, folder, environment=variables)

    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert (found["got"], found["counted"]) == (RECORDS, RECORDS), done.stderr
