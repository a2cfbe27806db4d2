"""The throttle time that a client library reads in responses is that of the observer's rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from confluent_kafka import Producer, ThrottleEvent

from kwitness.sandbox.quota import limit_producer

from tests.eventually import eventually
from tests.observer.stand import Stand

pytestmark = pytest.mark.broker

CLIENT_ID = "throttled-client"
BYTES_PER_SECOND = 200
BATCHES = 6


def _throttled(rows: Iterable[dict[str, Any]]) -> tuple[int, int]:
    """Count how many responses throttle the client, and for how many milliseconds in all."""
    counts = [(row.get("throttled_responses", 0), row.get("throttle_ms", 0)) for row in rows]
    return sum(count for count, _ in counts), sum(time_ms for _, time_ms in counts)


def test_rows_have_the_throttle_time_that_the_library_reports(stand: Stand) -> None:
    stand.create("throttled")
    limit_producer(stand.cluster.bootstrap.split(",")[0], CLIENT_ID, BYTES_PER_SECOND)
    library: list[float] = []

    def on_throttle(event: ThrottleEvent) -> None:
        library.append(event.throttle_time)

    producer = Producer({"bootstrap.servers": stand.bootstrap, "client.id": CLIENT_ID, "throttle_cb": on_throttle})
    for number in range(BATCHES):
        producer.produce("throttled", bytes(1_000), key=str(number), partition=0)
        producer.flush()

    def seen() -> tuple[tuple[int, int], tuple[int, int]]:
        producer.poll(0)
        reported = [time for time in library if time > 0]
        return _throttled(stand.rows(kind="api", client_id=CLIENT_ID)), (len(reported), round(sum(reported) * 1_000))

    rows, reported = eventually(seen, lambda pair: pair[0] == pair[1] and pair[0][0] > 0)
    assert rows == reported
    others = [row for row in stand.rows(kind="api") if row.get("client_id") != CLIENT_ID]
    assert _throttled(others) == (0, 0)
