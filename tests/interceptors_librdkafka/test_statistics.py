"""Statistics of librdkafka, of clients of a real broker, reach rows and totals."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.interceptors_librdkafka.interceptors_server import InterceptorsServer
from tests.interceptors_librdkafka.plugin_library import Intercepted

pytestmark = pytest.mark.broker

RECORDS = 400


def entries(collector: InterceptorsServer, name: str, client_id: str) -> list[dict[str, Any]]:
    totals = itertools.chain.from_iterable(head.totals for head in collector.heads)
    found = itertools.chain.from_iterable(getattr(window, name) for window in totals)
    return [entry.model_dump() for entry in found if entry.client_id == client_id]


def values(found: list[dict[str, Any]], name: str) -> list[int]:
    """Known values of a member."""
    return [entry[name] for entry in found if entry[name] is not None]


def test_queues_lag_times_and_ends_are_what_the_program_and_the_broker_have(
    intercepted: Intercepted, collector: InterceptorsServer, kafka: LocalBroker
) -> None:
    program = intercepted.run("behind", kafka.bootstrap, str(RECORDS))

    # Before the first statistics the length of the queue is reported alone, events of librdkafka included.
    every = entries(collector, "statistics", "orders-writer")
    writer = [entry for entry in every if entry["queued_bytes"] is not None]
    assert max(values(writer, "queued_records")) == RECORDS
    assert max(values(writer, "queued_bytes")) == RECORDS * 100
    assert set(values(writer, "queue_limit_records")) == {1234}
    assert values(writer, "fetched_records") == []
    # librdkafka has nothing of what waits in a broker's thread by partition.
    assert set(values(entries(collector, "topic_statistics", "orders-writer"), "queued_records")) == {0}
    queues = entries(collector, "topic_statistics", "orders-nowhere")
    assert {entry["topic"] for entry in queues} == {"orders-behind"}
    assert (max(values(queues, "queued_records")), max(values(queues, "queued_bytes"))) == (7, 700)

    reader = entries(collector, "statistics", "orders-reader")
    assert {entry["group_id"] for entry in reader} == {"billing-behind"}
    assert sum(values(reader, "rebalances")) == 1
    assert sum(values(reader, "received_bytes")) > RECORDS * 100
    assert 0 < max(values(reader, "fetched_records")) <= RECORDS
    assert sum(values(reader, "round_trips")) > 0
    assert sum(values(reader, "round_trip_us")) > 0
    lags = values(entries(collector, "topic_statistics", "orders-reader"), "lag")
    assert max(lags) in range(RECORDS // 2 - program["committed"], RECORDS // 2 + 1)

    rows = [row["statistics"] for row in collector.of_kind("client", client_id="orders-reader") if "statistics" in row]
    assert sum(row.get("rebalances", 0) for row in rows) == 1
    assert any(topic.get("lag") for row in rows for topic in row.get("topics", ()))
