"""What a client says of itself in its push (KIP-714): in the topic, the inventory and the labels, as soon as told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import Consumer
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.client_labels import RESOURCE_KEYS, told_by_client
from kwitness.collector.events import of_batch
from kwitness.collector.prometheus.accumulate import PythonCore
from kwitness.contracts.envelopes import PushBatch
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.collector.collector_process import TOPICS, CollectorProcess, parse
from tests.collector.collector_samples import (
    CREATION_SERIES,
    CREATION_TOTAL,
    CUMULATIVE,
    DELTA,
    LATENCY_AVG,
    LATENCY_SERIES,
    add_number,
    batch,
    counter_push,
    gauge_push,
    java_push,
    labelled,
    push,
)
from tests.collector.core_exposition import NO_ZEROS
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
LABELS = {
    "client_rack": "eu-1",
    "group_id": "billing",
    "group_instance_id": "billing-0",
    "group_member_id": "consumer-billing-1-5f",
    "transactional_id": "billing-tx",
}
CLIENT_STATE = "org.apache.kafka.stream.client.state"


def streams_push(**attributes: str) -> bytes:
    """What the client of Kafka Streams sends beside its consumers' metrics."""
    return gauge_push(CLIENT_STATE, 2.0, process_id="3c", **attributes)


def test_every_label_of_the_proposal_is_told() -> None:
    assert told_by_client(labelled(java_push(), **LABELS, other="x")) == LABELS


def test_streams_names_its_application_with_a_point() -> None:
    payload = labelled(streams_push(application_id="fraud"), client_rack="eu-1")

    assert told_by_client(payload) == {"client_rack": "eu-1", "application_id": "fraud"}


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\x0a",
        b"\x0a\xff\xff\xff",
        b"application_id",
        b"\x0a\x0eapplication_id\x12\xff",
        b"\x0a\x0eapplication_id\x12\x02\x0a\x00",
        b"\x0a\x04\x0a\x02\xff\xff",
        b"\x1f\x8b\x08\x00compressed",
        gauge_push("application_id.of.what", 1.0),
        gauge_push("x", 1.0, node="application_id\x12 in a text"),
        labelled(java_push(), client_rack=""),
    ],
    ids=repr,
)
def test_what_tells_nothing_tells_nothing(payload: bytes) -> None:
    assert told_by_client(payload) == {}


@given(st.binary(max_size=200))
def test_garbage_never_raises(payload: bytes) -> None:
    assert set(told_by_client(payload)) <= set(RESOURCE_KEYS)
    assert set(told_by_client(b"\x0a\x40\x0a\x3e" + payload)) <= set(RESOURCE_KEYS)


@given(st.dictionaries(st.sampled_from(RESOURCE_KEYS), st.text(min_size=1, max_size=600)))
def test_whatever_is_told_is_read_as_it_was_written(labels: dict[str, str]) -> None:
    assert told_by_client(labelled(java_push(), **labels)) == labels


def test_what_the_broker_says_comes_first() -> None:
    payload = labelled(java_push(), client_id="pretended", principal="User:root", **LABELS)

    [event], _ = of_batch(PushBatch.model_validate(batch([push(1, payload)])))

    assert event.identity["client_id"] == "orders"
    assert event.identity["principal"] == "User:alice"
    assert LABELS.items() <= event.identity.items()


@pytest.mark.broker
def test_the_labels_are_in_the_records_headers_the_inventory_and_after_a_restart(
    start: Start, broker: LocalBroker
) -> None:
    collector = start(bootstrap=broker.bootstrap)
    first = push(1, java_push(), client="labels-1")
    later = push(2, labelled(streams_push(application_id="fraud"), **LABELS), client="labels-1")

    collector.deliver(batch([first], epoch=77))
    before = client_of(collector, "labels-1")
    collector.deliver(batch([later], epoch=77))

    assert before.keys().isdisjoint(RESOURCE_KEYS)
    told = {**LABELS, "application_id": "fraud"}
    assert told.items() <= client_of(collector, "labels-1").items()
    one, other = records_of(broker, b"labels-1", 2)
    assert one.keys().isdisjoint(RESOURCE_KEYS)
    assert told.items() <= other.items()
    collector.kill()
    collector.start()
    assert told.items() <= client_of(collector, "labels-1").items()


def client_of(collector: CollectorProcess, instance: str) -> dict[str, Any]:
    items = collector.get("/v1/clients?limit=1000").body["items"]
    return next(one for one in items if one["client_instance_id"] == instance)


def records_of(broker: LocalBroker, key: bytes, count: int) -> list[dict[str, str]]:
    """The headers of the records with that key."""
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "labels", "auto.offset.reset": "earliest"})
    consumer.subscribe([TOPICS["telemetry"]])
    found: list[dict[str, str]] = []

    def read() -> int:
        record = consumer.poll(1)
        if record is not None and record.error() is None and record.key() == key:
            found.append({name: bytes(text).decode() for name, text in record.headers() or []})
        return len(found)

    eventually(read, lambda number: number == count)
    consumer.close()
    return found


def labels_of(core: PythonCore, name: str) -> dict[tuple[tuple[str, str], ...], float]:
    """Values by sorted labels."""
    text = b"".join(core.render(NO_ZEROS, openmetrics=False)).decode()
    return {tuple(sorted(labels)): number for labels, number in parse(text).get(name, {}).items()}


def series(**labels: str) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(labels.items()))


def test_series_go_on_under_a_label_that_is_known_later() -> None:
    core = PythonCore(("client_id", "group_member_id"), 1_000)
    who: dict[str, str] = {"client_id": "orders"}
    core.apply("a", who, java_push(3, 10.0))
    joined = {**who, "group_member_id": "m-1"}

    core.relabel("a", joined, 0)
    core.apply("a", joined, java_push(4, 20.0))

    old, new = series(client_id="orders"), series(client_id="orders", group_member_id="m-1")
    # The old counter is there for some scrapes more, so that nothing it counted is lost; a gauge has one value.
    assert labels_of(core, CREATION_SERIES) == {old: 3, new: 4}
    assert [*labels_of(core, LATENCY_SERIES).values()] == [0.02]
    for _ in range(16):
        core.apply("a", joined, java_push(1))
    assert labels_of(core, CREATION_SERIES) == {new: 20}
    core.depart("a")
    assert core.counts().series == core.slots.taken == 0


def test_a_cumulative_counter_does_not_count_its_history_again_under_its_new_label() -> None:
    core = PythonCore(("client_id", "group_member_id"), 1_000)
    core.apply("a", {"client_id": "orders"}, counter_push(1_000, temporality=CUMULATIVE, start_ns=1))

    core.relabel("a", {"client_id": "orders", "group_member_id": "m"}, 0)
    core.apply("a", {"client_id": "orders"}, counter_push(1_007, temporality=CUMULATIVE, start_ns=1))

    assert labels_of(core, CREATION_SERIES)[series(client_id="orders", group_member_id="m")] == 7


def test_a_client_that_is_somebody_else_with_each_push_holds_no_more_than_two_sets_of_series() -> None:
    core = PythonCore(("group_member_id",), 1_000)
    for number in range(50):
        who = {"group_member_id": f"m-{number}"}
        core.relabel("a", who, 0)
        core.apply("a", who, java_push(1))

    assert core.counts().series <= 3  # a gauge, a counter, and the counter before
    core.depart("a")
    assert core.counts().series == 0


def test_where_series_are_short_a_new_label_loses_no_increment() -> None:
    core = PythonCore(("client_id",), 2)
    core.apply("a", {"client_id": "x"}, counter_push(1))
    core.apply("b", {"client_id": "y"}, counter_push(1))

    core.relabel("b", {"client_id": "z"}, 0)
    core.apply("b", {"client_id": "z"}, counter_push(5))
    shared = labels_of(core, CREATION_SERIES)
    for _ in range(16):
        core.apply("b", {"client_id": "z"}, counter_push(1))

    assert shared == {series(client_id="x"): 1, series(client_id="y"): 1, series(client_id="other"): 5}
    readmitted = labels_of(core, CREATION_SERIES)
    assert readmitted[series(client_id="z")] + readmitted[series(client_id="other")] == 21


def test_pushes_of_one_shape_stay_cheap_under_a_new_label() -> None:
    core = PythonCore(("client_id",), 1_000)
    data = MetricsData()
    add_number(data, CREATION_TOTAL, 1.0, temporality=DELTA)
    add_number(data, LATENCY_AVG, 1.0)
    payload = data.SerializeToString()
    for _ in range(3):
        core.apply("a", {"client_id": "x"}, payload)
    shape = core.clients["a"].shape
    assert shape is not None

    core.relabel("a", {"client_id": "y"}, 0)
    core.apply("a", {"client_id": "y"}, payload)

    assert core.clients["a"].shape is shape
    assert labels_of(core, CREATION_SERIES) == {series(client_id="x"): 3, series(client_id="y"): 1}


@pytest.mark.parametrize("restart", [False, True])
def test_a_label_appears_in_the_exposition_once_it_is_told(start: Start, restart: bool) -> None:
    collector = start(config={"prometheus": {"labels": ["client_id", "group_id", "group_member_id"]}})
    collector.push(batch([push(1, labelled(java_push(), group_id="g"), client="late")]))
    collector.push(batch([push(2, labelled(java_push(2), group_id="g", group_member_id="m"), client="late")]))
    if restart:
        collector.kill()
        collector.start()
    collector.push(batch([push(3, labelled(java_push(3), group_id="g"), client="late")]))

    # Who it is stays known although the last push does not say it.
    assert collector.value(CREATION_SERIES, client_id="orders", group_id="g", group_member_id="m") == 5
