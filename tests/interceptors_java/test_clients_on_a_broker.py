"""Applications under the agent, on a real broker: what is reported is what the broker has and the application says."""

from __future__ import annotations

import contextlib

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.contracts.records import ClientInterceptions, KeyInterceptions, WindowSeal
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.interceptors_java.conftest import Application
from tests.interceptors_java.reported import Reported

pytestmark = pytest.mark.broker
RECORDS = 5_000
PARTITIONS = 3


def _topic(broker: LocalBroker, name: str) -> str:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    admin.create_topics([NewTopic(name, PARTITIONS, 1)])[name].result()
    return name


def _offsets(broker: LocalBroker, topic: str) -> dict[int, int]:
    with contextlib.closing(Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "counts"})) as consumer:
        return {
            partition: consumer.get_watermark_offsets(TopicPartition(topic, partition), 30)[1]
            for partition in range(PARTITIONS)
        }


@pytest.mark.parametrize("version", ["2.8.2", "4.3.1"])
def test_what_is_reported_is_what_the_broker_has(
    broker: LocalBroker, reported: Reported, application: Application, version: str
) -> None:
    topic = _topic(broker, f"orders-{version}")

    assert application(version, topic, RECORDS) == f"{RECORDS} 1 {RECORDS}"

    assert reported.refused == []
    produced, consumed = reported.topics("producer"), reported.topics("consumer")
    assert sum(row.sent for row in produced) == RECORDS + 1
    assert sum(row.acknowledged for row in produced) == RECORDS
    assert sum(row.failures.get("MESSAGE_TOO_LARGE", 0) for row in produced) == 1
    assert sum(row.consumed for row in consumed) == RECORDS
    assert sum(row.commits for row in consumed) == PARTITIONS
    for rows in (produced, consumed):
        offsets: dict[int, set[int]] = {}
        for part in (part for row in rows for part in row.partitions):
            for one in part.offset_ranges:
                offsets.setdefault(part.partition, set()).update(range(one.first, one.last + 1))
        assert {number: set(range(end)) for number, end in _offsets(broker, topic).items() if end} == offsets
    assert sum(row.key_bytes for row in produced) == 4 * RECORDS
    assert sum(row.value_bytes for row in produced) == 10 * RECORDS
    # The program has one configuration for both sides.
    assert {row.group_id for row in produced} == {None}
    assert {row.group_id for row in consumed} == {"billing"}
    assert reported.heads[-1].state.ended


def test_serialized_keys_are_counted_where_the_type_does_not_tell_them(
    broker: LocalBroker, reported: Reported, application: Application
) -> None:
    application("4.3.1", _topic(broker, "keys-4.3.1"), RECORDS)

    keys = [row for row in reported.rows if isinstance(row, KeyInterceptions) and row.side == "producer"]
    assert sum(row.records for row in keys) in (RECORDS, RECORDS + 1)
    assert max(row.distinct for row in keys) == pytest.approx(100, abs=5)


def test_keys_that_cannot_be_had_are_counted_as_uncounted(
    broker: LocalBroker, reported: Reported, application: Application
) -> None:
    application("2.8.2", _topic(broker, "keys-2.8.2"), RECORDS)

    keys = [row for row in reported.rows if isinstance(row, KeyInterceptions) and row.side == "producer"]
    assert (sum(row.records for row in keys), sum(row.uncounted for row in keys)) == (0, RECORDS + 1)


def test_every_row_is_in_a_seal_and_hooks_say_what_they_took(
    broker: LocalBroker, reported: Reported, application: Application
) -> None:
    application("4.3.1", _topic(broker, "sealed"), RECORDS)

    seals = [row for row in reported.rows if isinstance(row, WindowSeal)]
    sealed = {seq for seal in seals for seq in range(seal.first_seq, seal.last_seq + 1)}
    assert {row.event_seq for row in reported.rows if not isinstance(row, WindowSeal)} <= sealed
    hooks = [hook for row in reported.rows if isinstance(row, ClientInterceptions) for hook in row.hooks]
    assert sum(hook.calls for hook in hooks if hook.hook == "on_send") == RECORDS + 1
    assert sum(hook.time_ns for hook in hooks) > 0
    assert sum(hook.errors for hook in hooks) == 0


def test_an_application_goes_on_where_the_collector_forbids(
    broker: LocalBroker, reported: Reported, application: Application
) -> None:
    reported.status = 403

    assert application("4.3.1", _topic(broker, "forbidden"), RECORDS) == f"{RECORDS} 1 {RECORDS}"

    assert not any(head.state.ledger.delivered for head in reported.heads)


def test_an_application_goes_on_where_there_is_no_collector(
    broker: LocalBroker, reported: Reported, application: Application
) -> None:
    reported.stop()

    assert application("4.3.1", _topic(broker, "missing"), RECORDS) == f"{RECORDS} 1 {RECORDS}"


@pytest.mark.parametrize("variable", [{"KWITNESS_OFF": "1"}, {"KWITNESS_POD_NAME": ""}], ids=["off", "without-a-pod"])
def test_nothing_is_reported_where_it_is_switched_off_or_of_a_pod_that_is_not_known(
    broker: LocalBroker, reported: Reported, application: Application, variable: dict[str, str]
) -> None:
    [name] = variable
    application("4.3.1", _topic(broker, name.lower()), 10, **variable)

    assert reported.heads == []
