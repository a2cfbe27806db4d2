"""Headers of records (KIP-82) that real clients write and read, seen by an observer within its budget."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from confluent_kafka import Consumer, Producer

from kwitness.contracts.envelopes import HeaderTotals
from kwitness.contracts.observer_settings import settings_hash
from kwitness.contracts.records import HeaderRow

from tests.eventually import deliver, eventually
from tests.observer.client_programs import CODECS
from tests.observer.stand import Stand

pytestmark = pytest.mark.broker

RECORDS: Final = 40
"""Of each client, and with each codec."""
SECRET: Final = b"hush, hush"
LIBRDKAFKA_HEADERS: Final[list[tuple[str, str | bytes | None]]] = [
    ("tenant", b"acme"),
    ("token", SECRET),
    ("note", None),
    ("note", b""),
]
RULES: Final = {
    "keys": [
        {"name": "tenant", "type": "Int64", "required": True},
        {"name": "token", "type": "Bytes", "sensitivity": "Secret", "max_bytes": 4},
    ],
}


@contextlib.contextmanager
def looking_by(stand: Stand, headers: dict[str, Any]) -> Iterator[Stand]:
    """The stand while the observer looks at headers so; afterwards it does not any more."""
    before = stand.observer.settings["report"]
    stand.observer.set("report", {**before, "headers": headers})
    wanted = settings_hash(json.dumps(stand.observer.settings))
    eventually(lambda: wanted in stand.observer.metrics_page(), every=0.1)
    try:
        yield stand
    finally:
        stand.observer.set("report", before)


def produce(bootstrap: str, topic: str, codec: str, *, records: int = RECORDS) -> None:
    """Write records with headers by librdkafka."""
    producer = Producer(
        {"bootstrap.servers": bootstrap, "client.id": f"writes-{codec}", "compression.type": codec, "linger.ms": 50}
    )
    for number in range(records):
        producer.produce(topic, f"value {number} {'again ' * 20}", headers=LIBRDKAFKA_HEADERS)
        producer.poll(0)
    deliver(producer)


def consume(bootstrap: str, topic: str, records: int) -> None:
    """Read so many records by librdkafka."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "client.id": f"reads-{topic}",
            "group.id": f"group of {topic}",
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe([topic])
    read = count()

    def number() -> int:
        message = consumer.poll(0.5)
        return next(read) if message is not None and message.error() is None else -1

    eventually(number, lambda last: last == records - 1, every=0)
    consumer.close()


def rows(stand: Stand, topic: str, side: str, key: str | None = None) -> list[HeaderRow]:
    found = stand.rows(schema="kwitness.headers/1", topic=topic, side=side)
    return [HeaderRow.model_validate(row) for row in found if key is None or row.get("key") == key]


def sums(found: Sequence[HeaderRow], *names: str) -> tuple[int, ...]:
    return tuple(sum(getattr(row, name) for row in found) for name in names)


@pytest.fixture
def looking(stand: Stand) -> Iterator[Stand]:
    """The stand while every batch is looked into, with as much time as that takes."""
    with looking_by(stand, {"rules": RULES, "sample_every": 1, "cpu_permille": 1000}):
        yield stand


@pytest.mark.parametrize("codec", CODECS)
def test_headers_of_a_real_client_appear_as_rows_whatever_the_codec(looking: Stand, codec: str) -> None:
    topic = f"headed-{codec}"
    looking.create(topic)

    produce(looking.bootstrap, topic, codec)
    consume(looking.bootstrap, topic, RECORDS)

    for side in ("producer", "consumer"):
        tenant = eventually(
            lambda side=side: rows(looking, topic, side, "tenant"),
            lambda found: sums(found, "headers") == (RECORDS,),
        )
        assert sums(tenant, "headers", "bytes", "wrong_type", "missing") == (RECORDS, 4 * RECORDS, RECORDS, 0)
        token = rows(looking, topic, side, "token")
        assert sums(token, "headers", "too_large") == (RECORDS, RECORDS)
        note = rows(looking, topic, side, "note")
        assert sums(note, "headers", "bytes") == (2 * RECORDS, 0)
        assert not any(row.registered for row in note)
        assert all(row.registered for row in tenant + token)
        assert {row.seen_by for row in tenant} == {"observer"}
        assert {row.client_id for row in tenant} == {f"writes-{codec}" if side == "producer" else f"reads-{topic}"}
        for row in tenant:
            assert row.records_looked_at <= row.records_passed
        assert sums(tenant, "records_passed", "records_looked_at") == (RECORDS, RECORDS)
    assert {row.principal for row in rows(looking, topic, "producer")} == {"User:ANONYMOUS"}


def test_no_value_leaves_the_observer(looking: Stand) -> None:
    topic = "headed-with-a-secret"
    looking.create(topic)

    produce(looking.bootstrap, topic, "none")
    eventually(lambda: rows(looking, topic, "producer", "token"))

    assert not [body for body in looking.server.bodies if SECRET in body]
    assert not [row for row in looking.server.rows if row["schema"] == "kwitness.headers/1" and row.get("values")]


def test_counters_get_what_rows_say(looking: Stand) -> None:
    topic = "headed-totals"
    looking.create(topic)

    produce(looking.bootstrap, topic, "lz4")

    def of_topic() -> list[HeaderTotals]:
        parts = (part for head in list(looking.server.heads) for part in head.totals)
        return [one for part in parts for one in part.headers if one.topic == topic]

    eventually(lambda: sum(one.headers for one in of_topic()), lambda headers: headers == 4 * RECORDS)
    problems = {one.key: one.problems for one in of_topic()}
    assert set(problems) == {"tenant", "token", "note"}
    assert set(problems["note"]) == {"unregistered"}
    assert set(problems["token"]) == {"too_large"}


def test_records_without_headers_say_so_and_lack_what_is_required(looking: Stand) -> None:
    topic = "headless"
    looking.create(topic)
    producer = Producer({"bootstrap.servers": looking.bootstrap, "client.id": "headless"})

    for number in range(RECORDS):
        producer.produce(topic, f"value {number}")
    deliver(producer)

    eventually(lambda: sums(rows(looking, topic, "producer", "tenant"), "missing"), lambda found: found == (RECORDS,))
    assert sums(rows(looking, topic, "producer"), "headers") == (0,)


def test_nothing_is_looked_at_where_nobody_wants_it(stand: Stand) -> None:
    topic = "headed-in-vain"
    stand.create(topic)
    wanted = settings_hash(json.dumps(stand.observer.settings))
    eventually(lambda: wanted in stand.observer.metrics_page(), every=0.1)

    produce(stand.bootstrap, topic, "none")
    eventually(lambda: stand.server.records("Produce", topic), lambda records: records == RECORDS)

    assert not rows(stand, topic, "producer")


FLOOD_S: Final = 6
FLOOD: Final = """
import sys, time
from confluent_kafka import Producer
producer = Producer({"bootstrap.servers": sys.argv[1], "client.id": "floods", "compression.type": "zstd",
                     "linger.ms": 5, "queue.buffering.max.messages": 200_000, "acks": 1})
until, sent = time.monotonic() + float(sys.argv[3]), 0
headers = [(f"key {number}", b"x" * 20) for number in range(8)]
while time.monotonic() < until:
    try:
        producer.produce(sys.argv[2], b"again and again " * 8, headers=headers)
        sent += 1
    except BufferError:
        producer.poll(0.01)
producer.flush(60)
print(sent - len(producer))
"""


def test_a_flood_is_relayed_as_a_whole_and_looked_into_within_the_budget(stand: Stand) -> None:
    topic = "flooded"
    stand.create(topic)
    budget = 'kwitness_observer_unread_total{reason="headers_budget"}'
    with looking_by(stand, {"rules": {}, "sample_every": 1, "cpu_permille": 1}):
        before, spent = stand.observer.metrics().get(budget, 0), cpu_seconds_of_looking(stand)

        flood = subprocess.run(
            [sys.executable, "-c", FLOOD, stand.bootstrap, topic, str(FLOOD_S)],
            capture_output=True,
            text=True,
            check=True,
        )

        took = cpu_seconds_of_looking(stand) - spent
        sent = int(flood.stdout)
        eventually(lambda: stand.server.records("Produce", topic), lambda records: records == sent)
        assert stand.observer.metrics()[budget] > before
        eventually(lambda: stand.server.heads[-1].state.unread.get("headers_budget", 0), lambda count: count > before)
    (looked_at,) = sums(rows(stand, topic, "producer", "key 0"), "records_looked_at")
    assert 0 < looked_at < sent
    # A thousandth of a core would be 6 ms; one batch goes beyond it, and the seconds that follow pay for that.
    assert took < 0.25, f"{took} s of processor time within {FLOOD_S} s"


def cpu_seconds_of_looking(stand: Stand) -> float:
    """Processor time of the thread that looks into batches."""
    for thread in threads(stand.observer.pid):
        if thread[0] == "headers":
            return thread[1]
    raise AssertionError("no thread looks into batches")


def threads(pid: int) -> list[tuple[str, float]]:
    """Names of a process's threads, and their processor time in seconds."""
    found = []
    for folder in Path(f"/proc/{pid}/task").iterdir():
        nanoseconds = int((folder / "schedstat").read_text().split()[0])
        found.append(((folder / "comm").read_text().strip(), nanoseconds / 1e9))
    return found
