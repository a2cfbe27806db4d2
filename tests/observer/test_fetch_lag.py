"""The fetch lag in the observer's rows lies between the lags that brokers and consumer have before and after it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from kwitness.contracts.records import PartitionTraffic

from tests.eventually import eventually
from tests.observer.kafka_tools import Tool, share_consumer
from tests.observer.stand import Stand
from tests.repeated import repeated

pytestmark = pytest.mark.broker

PARTITION = 0
RECORDS = 2_000
MORE = 20
"""Records that come while the lag is read."""
VALUE = bytes(1_000)
FETCH_BYTES = 50_000
"""Of a partition in one answer; the consumer keeps one answer at most before it asks again."""


def _produce(stand: Stand, topic: str, count: int, bootstrap: str = "", acks: str = "all") -> None:
    # Brokers send a whole batch, however long: short ones keep the consumer from fetching far ahead.
    settings = {"bootstrap.servers": bootstrap or stand.cluster.bootstrap, "acks": acks}
    producer = Producer({**settings, "batch.num.messages": 10})
    for _ in range(count):
        producer.produce(topic, VALUE, partition=PARTITION)
        producer.poll(0)
    assert producer.flush(30) == 0


def _consumer(stand: Stand, client_id: str, **settings: Any) -> Consumer:
    return Consumer(
        {
            "bootstrap.servers": stand.bootstrap,
            "client.id": client_id,
            "group.id": client_id,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "fetch.message.max.bytes": FETCH_BYTES,
            "queued.max.messages.kbytes": 1,
            "queued.min.messages": 1,
            "fetch.wait.max.ms": 100,
            **settings,
        }
    )


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _end(stand: Stand, topic: str) -> int:
    asking = Consumer({"bootstrap.servers": stand.cluster.bootstrap, "group.id": "ends"})
    try:
        _, end = asking.get_watermark_offsets(TopicPartition(topic, PARTITION), timeout=10)
        return int(end)
    finally:
        asking.close()


def _rows(stand: Stand, kind: str, topic: str, client_id: str) -> list[dict[str, Any]]:
    return stand.rows(kind=kind, topic=topic, client_id=client_id, api="Fetch")


def _read(consumer: Consumer, count: int) -> int:
    """Read so many records; returns the position."""
    message = None
    for _ in range(count):
        message = eventually(lambda: consumer.poll(1), lambda polled: polled is not None and polled.error() is None)
    assert message is not None
    return int(message.offset()) + 1


def test_the_lag_of_a_slow_consumer_lies_between_those_before_and_after_it(stand: Stand) -> None:
    stand.create("behind")
    _produce(stand, "behind", RECORDS)
    consumer = _consumer(stand, "slow-consumer")
    consumer.assign([TopicPartition("behind", PARTITION, 0)])
    bounds: list[tuple[int, int, int, int]] = []
    for _ in range(4):
        began_ms, highest = _now_ms(), _end(stand, "behind") - _read(consumer, 1)
        _read(consumer, 150)
        _produce(stand, "behind", MORE)
        time.sleep(1.5)  # an answer after a second is what the topic's row is of
        lowest = _end(stand, "behind") - _read(consumer, 1)
        bounds.append((began_ms, _now_ms(), lowest, highest))

    rows = eventually(
        lambda: [row for row in _rows(stand, "partition", "behind", "slow-consumer") if row["partition"] == PARTITION],
        lambda rows: rows[-1:] and rows[-1]["window_end_ms"] > bounds[-1][0],
    )

    # The observer's position runs ahead of the consumer's by what the library has fetched before.
    prefetch = 3 * FETCH_BYTES // len(VALUE)
    assert all(row["watermarks_below"] == 0 for row in rows if "watermarks_below" in row)
    checked = 0
    for row in rows:
        inside = [
            (lowest, highest)
            for began, ended, lowest, highest in bounds
            if row["window_start_ms"] < ended and began < row["window_end_ms"]
        ]
        if inside and "fetch_lag" in row:
            assert min(lowest for lowest, _ in inside) - prefetch - MORE <= row["fetch_lag"]
            assert row["fetch_lag"] <= max(highest for _, highest in inside) + MORE
            assert row["high_watermark"] <= _end(stand, "behind")
            checked += 1
    assert checked > 0
    topics = _rows(stand, "presence", "behind", "slow-consumer")
    assert any(row.get("fetch_lag", 0) > RECORDS // 2 and row["fetch_lag_partitions"] == 1 for row in topics)
    consumer.close()


def _group_lag(stand: Stand, group: str, topic: str) -> int:
    """The lag of a group in the partition as kafka-consumer-groups.sh prints it."""
    arguments = ("--bootstrap-server", stand.cluster.bootstrap, "--describe", "--group", group)
    with Tool("consumer.group.ConsumerGroupCommand", *arguments) as described:
        lines = [line.split() for line in described.ended().splitlines()]
    heading = next(line for line in lines if "LAG" in line)
    (line,) = [line for line in lines if line[1:3] == [topic, str(PARTITION)]]
    return int(line[heading.index("LAG")])


BATCH = 10
"""Records that the consumer under load reads and commits at once, of five times as many that come."""
TIMES_A_SECOND = 2
"""How often it does so at most."""


def _under_load(
    stand: Stand, name: str, begin: Callable[[Consumer], None], rows_since: Callable[[int], list[dict[str, Any]]]
) -> tuple[int, list[dict[str, Any]], int]:
    """Three rows at least of a group that falls behind, between two of its lags by kafka-consumer-groups.sh."""
    stand.create(name)
    _produce(stand, name, RECORDS)
    consumer = _consumer(stand, name)
    begin(consumer)

    def fall_behind() -> None:
        _produce(stand, name, 5 * BATCH)
        _read(consumer, BATCH)
        consumer.commit(asynchronous=False)

    fall_behind()
    with repeated(fall_behind, 1 / TIMES_A_SECOND):
        first, from_ms = _group_lag(stand, name, name), _now_ms()
        rows = eventually(lambda: rows_since(from_ms), lambda rows: len(rows) >= 3)
        second = _group_lag(stand, name, name)
    consumer.close()
    assert first < second
    return first, rows, second


def test_the_lag_under_load_lies_between_two_lags_of_kafka_consumer_groups(stand: Stand) -> None:
    name = "under-load"

    def rows_since(from_ms: int) -> list[dict[str, Any]]:
        rows = _rows(stand, "partition", name, name)
        return [row for row in rows if row["window_start_ms"] >= from_ms and "fetch_lag" in row]

    partitions = [TopicPartition(name, PARTITION, 0)]
    first, rows, second = _under_load(stand, name, lambda consumer: consumer.assign(partitions), rows_since)

    # The library has fetched at most so many records that were not committed.
    prefetch = 3 * FETCH_BYTES // len(VALUE)
    for row in rows:
        assert first - prefetch - BATCH <= row["fetch_lag"] <= second + BATCH


def test_the_committed_lag_under_load_lies_between_two_lags_of_kafka_consumer_groups(stand: Stand) -> None:
    name = "committing-consumer"

    def rows_since(from_ms: int) -> list[dict[str, Any]]:
        rows = stand.rows(kind="partition", api="OffsetCommit", topic=name, group_id=name, partition=PARTITION)
        return [row for row in rows if row["window_start_ms"] >= from_ms and "committed_lag" in row]

    first, rows, second = _under_load(stand, name, lambda consumer: consumer.subscribe([name]), rows_since)

    for row in map(PartitionTraffic.model_validate, rows):
        assert row.committed_offset is not None
        assert row.committed_lag is not None
        # The watermark is that of a Fetch up to a second before the end of the window.
        assert first - 5 * BATCH * TIMES_A_SECOND <= row.committed_lag <= second + 5 * BATCH
        assert row.committed_lag_ms is not None
        assert row.pending_offset is None


@pytest.mark.parametrize("acks", ["all", "1"])
def test_a_group_that_does_not_fetch_is_behind_what_producers_wrote_to_all_replicas(stand: Stand, *, acks: str) -> None:
    topic = group = f"not-fetching-{acks}"
    stand.create(topic)
    _produce(stand, topic, 20, stand.bootstrap, acks)
    eventually(lambda: stand.rows(kind="partition", api="Produce", topic=topic), bool)
    consumer, assigned = _consumer(stand, group), threading.Event()

    def fetch_nothing(consumer: Consumer, _: object) -> None:
        consumer.assign([])
        assigned.set()

    consumer.subscribe([topic], on_assign=fetch_nothing)
    eventually(lambda: consumer.poll(0.1) is None and assigned.is_set())

    def lags() -> list[int | None]:
        consumer.commit(offsets=[TopicPartition(topic, PARTITION, 5)], asynchronous=False)
        rows = stand.rows(kind="partition", api="OffsetCommit", topic=topic, group_id=group)
        return [PartitionTraffic.model_validate(row).committed_lag for row in rows]

    found = eventually(lags, lambda found: len(found) >= 3)
    consumer.close()

    assert set(found) == ({15} if acks == "all" else {None})


@pytest.mark.parametrize("commits", [True, False])
def test_offsets_of_a_transaction_are_pending_until_it_is_committed(stand: Stand, *, commits: bool) -> None:
    topic = group = f"moved-{commits}"
    stand.create(topic)
    _produce(stand, topic, 10)
    consumer = _consumer(stand, group)
    consumer.subscribe([topic])
    read = _read(consumer, 5)
    producer = Producer({"bootstrap.servers": stand.bootstrap, "transactional.id": group})
    producer.init_transactions(30)
    producer.begin_transaction()
    offsets = [TopicPartition(topic, PARTITION, read)]

    def rows(name: str) -> list[PartitionTraffic]:
        found = stand.rows(kind="partition", api="OffsetCommit", topic=topic, group_id=group, **{name: read})
        return [PartitionTraffic.model_validate(row) for row in found]

    producer.send_offsets_to_transaction(offsets, consumer.consumer_group_metadata(), 30)
    eventually(lambda: rows("pending_offset"), bool)
    assert not rows("committed_offset")
    if commits:
        producer.commit_transaction(30)
        eventually(lambda: rows("committed_offset"), bool)
    else:
        producer.abort_transaction(30)
        consumer.commit(offsets=[TopicPartition(topic, PARTITION, read + 1)], asynchronous=False)
        eventually(lambda: stand.rows(api="OffsetCommit", topic=topic, committed_offset=read + 1), bool)
        assert not rows("committed_offset")
    consumer.close()


SLACK_MS = 3_000
"""Watermarks are sampled once a second, while windows end."""


def test_the_age_of_what_is_not_fetched_lies_between_the_times_before_and_after_it_was_written(stand: Stand) -> None:
    name = "ageing"
    stand.create(name)
    written: list[tuple[int, int]] = []

    def write(count: int) -> None:
        before_ms = _now_ms()
        _produce(stand, name, count)
        written.extend([(before_ms, _now_ms())] * count)

    write(10 * BATCH)
    slow, quick = _consumer(stand, name), _consumer(stand, "quick-reader")
    slow.assign([TopicPartition(name, PARTITION, 0)])
    quick.assign([TopicPartition(name, PARTITION, len(written))])

    def fall_behind() -> None:
        write(4 * BATCH)
        _read(slow, 2 * BATCH)
        _read(quick, 4 * BATCH)

    def rows(*bases: str) -> list[PartitionTraffic]:
        found = [PartitionTraffic.model_validate(row) for row in _rows(stand, "partition", name, name)]
        return [row for row in found if row.fetch_lag_basis in bases]

    with repeated(fall_behind, 0.5):
        eventually(lambda: rows("at_least"), bool)
        eventually(lambda: rows("observed", "interpolated"), lambda found: len(found) >= 5)

    for row in rows("at_least", "observed", "interpolated"):
        assert row.high_watermark is not None
        assert row.fetch_lag is not None
        assert row.fetch_lag_ms is not None
        before_ms, after_ms = written[row.high_watermark - row.fetch_lag]
        assert row.fetch_lag_ms <= row.window_end_ms - before_ms + SLACK_MS
        if row.fetch_lag_basis != "at_least":
            assert row.window_end_ms - after_ms - SLACK_MS <= row.fetch_lag_ms
    of_topic = [row["fetch_lag_ms"] for row in _rows(stand, "presence", name, name) if "fetch_lag_ms" in row]
    assert max(of_topic) > 2 * SLACK_MS
    slow.close()
    quick.close()


def test_a_share_group_is_behind_by_what_lies_beyond_the_last_offset_that_it_acquired(stand: Stand) -> None:
    name, count = "shared", 2 * RECORDS
    stand.create(name)
    _produce(stand, name, count)
    reader = _consumer(stand, "reader-of-shared")
    reader.assign([TopicPartition(name, PARTITION, 0)])

    def rows() -> list[PartitionTraffic]:
        found = stand.rows(kind="partition", api="ShareFetch", topic=name, partition=PARTITION)
        return [row for row in map(PartitionTraffic.model_validate, found) if row.fetch_lag is not None]

    with repeated(lambda: reader.poll(0), 0.05):
        eventually(lambda: _rows(stand, "presence", name, "reader-of-shared"), bool)
        with share_consumer(stand.bootstrap, name, 1) as sharing:
            sharing.ended()
        eventually(rows, bool)
        with share_consumer(stand.bootstrap, name, count):
            eventually(rows, lambda found: any(row.fetch_lag == 0 for row in found))
    reader.close()

    behind = [(row.fetch_lag, row.last_offset) for row in rows()]
    assert behind == [(count - 1 - (last or 0), last) for _, last in behind]
    assert max(lag or 0 for lag, _ in behind) > 0


def test_a_consumer_that_is_at_the_end_has_no_lag(stand: Stand) -> None:
    stand.create("caught-up")
    _produce(stand, "caught-up", 10)
    consumer = _consumer(stand, "quick-consumer")
    consumer.assign([TopicPartition("caught-up", PARTITION, 0)])
    _read(consumer, 10)

    def last() -> dict[str, Any] | None:
        consumer.poll(0)
        rows = [row for row in _rows(stand, "presence", "caught-up", "quick-consumer") if "fetch_lag" in row]
        return rows[-1] if rows else None

    row = eventually(last, lambda row: row is not None and row["fetch_lag"] == 0)
    assert row is not None
    assert (row["fetch_lag_partitions"], row["held_by_transaction"]) == (1, 0)
    assert (row["fetch_lag_ms"], row["fetch_lag_basis"]) == (0, "observed")
    consumer.close()


def test_fetches_without_records_and_the_longest_gap_between_fetches_are_in_rows_of_requests(stand: Stand) -> None:
    stand.create("pauses")
    consumer, pause_s = _consumer(stand, "pausing-consumer"), 2
    consumer.assign([TopicPartition("pauses", PARTITION, 0)])

    def apis() -> list[dict[str, Any]]:
        consumer.poll(0)
        return stand.rows(kind="api", api="Fetch", client_id="pausing-consumer")

    rows = eventually(apis, lambda rows: sum(row.get("empty_responses", 0) for row in rows) >= 3)
    assert all(row.get("longest_gap_us", 0) < pause_s * 1_000_000 for row in rows)
    consumer.pause([TopicPartition("pauses", PARTITION)])
    time.sleep(2 * pause_s)
    consumer.resume([TopicPartition("pauses", PARTITION)])
    eventually(apis, lambda rows: any(row.get("longest_gap_us", 0) >= pause_s * 1_000_000 for row in rows))
    consumer.close()


def test_an_open_transaction_holds_what_is_behind_its_first_record(stand: Stand) -> None:
    stand.create("held")
    producer = Producer({"bootstrap.servers": stand.cluster.bootstrap, "transactional.id": "holds"})
    producer.init_transactions(30)
    producer.begin_transaction()
    for _ in range(7):
        producer.produce("held", VALUE, partition=PARTITION)
    assert producer.flush(30) == 0
    consumer = _consumer(stand, "held-consumer", **{"isolation.level": "read_committed"})
    consumer.assign([TopicPartition("held", PARTITION, 0)])

    def held(value: int) -> Callable[[], bool]:
        def is_seen() -> bool:
            consumer.poll(0)
            rows = _rows(stand, "presence", "held", "held-consumer")
            return any(row.get("held_by_transaction") == value for row in rows[-1:])

        return is_seen

    eventually(held(7))
    producer.commit_transaction(30)
    eventually(held(0))
    consumer.close()


@pytest.mark.parametrize("is_idempotent", [False, True])
def test_requests_of_idempotent_producers_are_in_rows_of_requests(stand: Stand, *, is_idempotent: bool) -> None:
    client = topic = f"idempotent-{is_idempotent}"
    stand.create(topic)
    settings = {"bootstrap.servers": stand.bootstrap, "client.id": client, "enable.idempotence": is_idempotent}
    producer = Producer(settings)
    producer.produce(topic, VALUE)
    assert producer.flush(30) == 0

    rows = eventually(lambda: stand.rows(kind="api", api="Produce", client_id=client), bool)

    assert [row.get("idempotent_requests", 0) for row in rows] == [row["requests"] * is_idempotent for row in rows]
