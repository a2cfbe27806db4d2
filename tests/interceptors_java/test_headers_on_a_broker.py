"""Records that an application passes on from topic to topic: what the broker has of their headers, and what is told."""

from __future__ import annotations

import contextlib
import hashlib
import struct
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, cast
from uuid import uuid4

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, Message, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.contracts.records import WindowSeal
from kwitness.contracts.records.headers import HeaderRow
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.interceptors_java.conftest import PROGRAMS, agent
from tests.interceptors_java.reported import Reported

pytestmark = pytest.mark.broker
STAMPED = {"shop.client": b"hops", "shop.pod": b"orders-0", "shop.stage": b"test"}
WANTED: dict[str, object] = {
    "interceptors": [
        {"name": "headers", "type": "Headers"},
        {
            "name": "stamp",
            "type": "Stamp",
            "stamps": [
                {"key": "shop.client", "from": "ClientId"},
                {"key": "shop.pod", "from": "Pod"},
                {"key": "shop.stage", "from": "Value", "value": "test"},
                {"key": "shop.id", "from": "UniqueId"},
            ],
        },
        {"name": "tracing", "type": "Tracing", "header": "shop.trace"},
        {"name": "checksum", "type": "Checksum"},
    ],
    "headers": {
        "keys": [{"name": "traceparent", "type": "String"}],
        "prefixes": [{"prefix": "shop.", "type": "String"}],
        "unregistered": "Deny",
        "values_of": ["shop.stage"],
    },
}


class Run(NamedTuple):
    """The program has passed two records on, from each of its topics to the next."""

    topics: list[str]
    said: str
    reported: Reported


@pytest.fixture(scope="module")
def run(request: pytest.FixtureRequest, kafka: LocalBroker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """With one version of kafka-clients."""
    topics = [f"hop-{hop}-{uuid4()}" for hop in range(3)]
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    for made in admin.create_topics([NewTopic(name, 1, 1) for name in topics]).values():
        made.result()
    with Reported() as reported:
        start = agent(reported, tmp_path_factory.mktemp("agent"))
        said = start(request.param, PROGRAMS / "Hops.java", kafka.bootstrap, *topics, wanted=WANTED)
        yield Run(topics, said, reported)


def _records(kafka: LocalBroker, topic: str) -> list[Message]:
    with contextlib.closing(Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": "looks"})) as consumer:
        consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
        found = [record for record in consumer.consume(2, 30) if record.error() is None]
    assert len(found) == 2
    return found


def _headers(record: Message) -> dict[str, bytes | None]:
    headers = cast("list[tuple[str, bytes | None]]", record.headers() or [])
    assert len({key for key, _ in headers}) == len(headers)
    return dict(headers)


def _checksum(record: Message) -> bytes:
    parts = b""
    for part in (record.key(), record.value()):
        parts += struct.pack(">i", -1) if part is None else struct.pack(">i", len(part)) + bytes(part)
    return hashlib.sha256(parts).digest()[:16]


@pytest.mark.parametrize("run", ["2.8.2", "4.3.1"], indirect=True)
def test_a_record_is_one_trace_over_three_hops_and_a_stamped_tombstone_stays_one(kafka: LocalBroker, run: Run) -> None:
    assert run.said == "2"
    hops = [_records(kafka, topic) for topic in run.topics]
    assert run.reported.refused == []
    for number in range(2):
        passed = [_headers(hop[number]) for hop in hops]
        assert len({headers["shop.trace"] for headers in passed}) == 1
        for headers in passed:
            trace = headers["shop.trace"]
            assert trace is not None
            assert (headers["traceparent"] or b"").split(b"-")[1] == trace
            assert STAMPED.items() <= headers.items()
            assert "internal" not in headers
        assert len({headers["shop.id"] for headers in passed}) == 1
    assert hops[0][0].value() == b"order"
    assert [hop[1].value() for hop in hops] == [None, None, None]
    assert _headers(hops[0][0])["shop.trace"] != _headers(hops[0][1])["shop.trace"]


def _anomalies(reported: Reported) -> dict[tuple[str, str | None, str], int]:
    found = Counter[tuple[str, str | None, str]]()
    for side in ("producer", "consumer"):
        for row in reported.topics(side):
            found.update({(side, row.topic, reason): number for reason, number in row.anomalies.items()})
    return dict(found)


@pytest.mark.parametrize("run", ["3.7.2", "4.4.0"], indirect=True)
def test_checksums_are_of_what_was_serialized_and_what_was_changed_on_the_way_is_found(
    kafka: LocalBroker, run: Run
) -> None:
    hops = [_records(kafka, topic) for topic in run.topics]
    matching = [[_headers(record)["kwitness.checksum"] == _checksum(record) for record in hop] for hop in hops]
    assert matching == [[True, True], [True, True], [False, True]]
    assert _anomalies(run.reported) == {("consumer", run.topics[2], "checksum_mismatch"): 1}


@pytest.mark.parametrize("run", ["2.8.2"], indirect=True)
def test_before_3_7_records_have_a_checksum_where_their_bytes_can_be_told(kafka: LocalBroker, run: Run) -> None:
    hops = [_records(kafka, topic) for topic in run.topics]
    # The keys of the first are numbers.
    assert ["kwitness.checksum" in _headers(record) for record in hops[0]] == [False, False]
    assert [_headers(record)["kwitness.checksum"] == _checksum(record) for record in hops[1]] == [True, True]
    assert _anomalies(run.reported) == {
        ("producer", run.topics[0], "checksum_left_out"): 2,
        ("consumer", run.topics[2], "checksum_mismatch"): 1,
    }


@pytest.mark.parametrize("run", ["3.9.2"], indirect=True)
def test_headers_are_counted_by_side_topic_and_key(run: Run) -> None:
    topics, _, reported = run
    rows = [row for row in reported.rows if isinstance(row, HeaderRow)]
    assert {(row.seen_by, row.client_id) for row in rows} == {("java", "hops")}
    counted = Counter[tuple[str, str | None, str | None]]()
    for row in rows:
        counted[row.side, row.topic, row.key] += row.headers
    # The profile's Headers comes before what adds some.
    assert {key: number for key, number in counted.items() if key[:2] == ("producer", topics[0])} == {
        ("producer", topics[0], "internal"): 2
    }
    assert counted["consumer", topics[0], "shop.stage"] == counted["producer", topics[1], "shop.stage"] == 2
    assert counted["consumer", topics[2], "kwitness.checksum"] == 2
    assert sum(row.removed for row in rows) == sum(row.removed for row in rows if row.key == "internal") == 2
    assert {row.key for row in rows if not row.registered} == {"internal"}
    values = Counter[str]()
    for row in rows:
        values.update({one.value: one.records for one in row.values if row.key == "shop.stage"})
        assert row.key == "shop.stage" or not row.values
    assert values == {"test": 2 * 5}
    sealed = {
        seq
        for seal in reported.rows
        if isinstance(seal, WindowSeal) and seal.topic == "headers"
        for seq in range(seal.first_seq, seal.last_seq + 1)
    }
    assert {row.event_seq for row in rows} <= sealed
