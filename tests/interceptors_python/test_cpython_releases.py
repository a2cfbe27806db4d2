"""Applications on other CPythons have interceptors in all three clients; the broker is a real one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from kwitness.contracts.records.interceptions import ClientInterceptions
from kwitness.e2e.certificates import Authority
from kwitness.e2e.kafka.local_broker import LocalBroker

from .cpythons import LIBRARIES, NOT_YET_TRIED, TRIED, find_cpython, python_with_libraries
from .injected import injected_folder, pod_environment, run_program
from .interceptor_events_server import InterceptorEventsServer

pytestmark = pytest.mark.broker

COUNT = 10
PROGRAM = """
import asyncio, contextlib, json, platform, warnings
warnings.filterwarnings("error", module="kwitness_interceptors")
import aiokafka, confluent_kafka, kafka
from kafka import KafkaConsumer, KafkaProducer

SERVER, TOPIC, COUNT = {server!r}, {topic!r}, {count}
ALL = 3 * COUNT

def record(library, number):
    return dict(key=b"%d" % number, value=library + b" %d" % number, headers=[("own", library)])

def by_confluent_kafka():
    producer = confluent_kafka.Producer({{"bootstrap.servers": SERVER, "client.id": "confluent-kafka"}})
    for number in range(COUNT):
        producer.produce(TOPIC, partition=0, **record(b"confluent-kafka", number))
    assert producer.flush(60) == 0
    producer.close()

def by_kafka_python():
    with contextlib.closing(KafkaProducer(bootstrap_servers=SERVER, client_id="kafka-python")) as producer:
        for number in range(COUNT):
            producer.send(TOPIC, partition=0, **record(b"kafka-python", number))

async def by_aiokafka():
    async with aiokafka.AIOKafkaProducer(bootstrap_servers=SERVER, client_id="aiokafka") as producer:
        for number in range(COUNT):
            await producer.send_and_wait(TOPIC, partition=0, **record(b"aiokafka", number))

def to_confluent_kafka():
    config = {{"bootstrap.servers": SERVER, "group.id": TOPIC, "client.id": "confluent-kafka"}}
    consumer = confluent_kafka.Consumer(config)
    consumer.assign([confluent_kafka.TopicPartition(TOPIC, 0, 0)])
    found = []
    while len(found) < ALL:
        found += consumer.consume(ALL - len(found), timeout=60)
    consumer.commit(asynchronous=False)
    consumer.close()
    return [(one.key(), one.value(), one.headers()) for one in found]

def to_kafka_python():
    consumer = KafkaConsumer(bootstrap_servers=SERVER, group_id=TOPIC, client_id="kafka-python")
    with contextlib.closing(consumer):
        consumer.assign([kafka.TopicPartition(TOPIC, 0)])
        consumer.seek_to_beginning()
        found = [next(consumer) for _ in range(ALL)]
        consumer.commit()
    return [(one.key, one.value, one.headers) for one in found]

async def to_aiokafka():
    consumer = aiokafka.AIOKafkaConsumer(bootstrap_servers=SERVER, group_id=TOPIC, client_id="aiokafka")
    consumer.assign([aiokafka.TopicPartition(TOPIC, 0)])
    async with consumer:
        await consumer.seek_to_beginning()
        found = [await consumer.getone() for _ in range(ALL)]
        await consumer.commit()
    return [(one.key, one.value, one.headers) for one in found]

by_confluent_kafka()
by_kafka_python()
asyncio.run(by_aiokafka())
found = {{
    "confluent-kafka": to_confluent_kafka(),
    "kafka-python": to_kafka_python(),
    "aiokafka": asyncio.run(to_aiokafka()),
}}
print(json.dumps({{"python": platform.python_version(), **found}}, default=lambda one: one.decode("latin-1")))
"""


@pytest.mark.parametrize("release", [*TRIED, *NOT_YET_TRIED])
def test_every_client_is_intercepted_on(kafka: LocalBroker, real_topic: str, tmp_path: Path, release: str) -> None:
    interpreter = find_cpython(release)
    if interpreter is None:
        pytest.skip(f"there is no CPython {release}: interceptors were not tried with it")
    types = ("Audit", "Latency", "Tracing", "Checksum")
    interceptors = [{"name": kind.lower(), "type": kind} for kind in types]
    ca_file, certificate, key = (tmp_path / name for name in ("ca.crt", "tls.crt", "tls.key"))
    authority = Authority("test", has_key_identifiers=False)
    issued = authority.issue("collector", ["127.0.0.1"])
    ca_file.write_text(authority.certificate)
    certificate.write_text(issued.certificate)
    key.write_text(issued.key)
    with InterceptorEventsServer((certificate, key)) as collector:
        done = run_program(
            PROGRAM.format(server=kafka.bootstrap, topic=real_topic, count=COUNT),
            injected_folder(tmp_path / "python"),
            environment=pod_environment(tmp_path, collector.url, ca_file, interceptors=interceptors),
            python=python_with_libraries(release, interpreter),
        )

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert found.pop("python").startswith(f"{release}.")
    sent = [[str(n), f"{library} {n}", ["own", library]] for library in LIBRARIES for n in range(COUNT)]
    for records in found.values():
        assert [[key, value, headers[0]] for key, value, headers in records] == sent
        added = [[name for name, _ in headers[1:]] for _, _, headers in records]
        assert added == [["traceparent", "kwitness.checksum"]] * len(sent)

    counted: Counter[tuple[str, str]] = Counter()
    for row in collector.topics():
        counted[row.client_id, "sent"] += row.sent
        counted[row.client_id, "acknowledged"] += row.acknowledged
        counted[row.client_id, "consumed"] += row.consumed
        counted[row.client_id, "anomalies"] += sum(row.anomalies.values())
    each = {"sent": COUNT, "acknowledged": COUNT, "consumed": 3 * COUNT, "anomalies": 0}
    assert counted == {(library, what): count for library in LIBRARIES for what, count in each.items()}
    hooks = [calls for row in collector.rows if isinstance(row, ClientInterceptions) for calls in row.hooks]
    assert {calls.hook for calls in hooks} >= {"on_send", "on_acknowledgement", "on_consume", "on_commit"}
    assert sum(calls.errors for calls in hooks) == 0
    assert collector.heads[-1].state.ended
