"""Applications under the agent, on a real broker: what is reported is what the broker has and the application says."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.contracts.records import ClientInterceptions, KeyInterceptions, WindowSeal
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.interceptors_java.conftest import OLDEST, PROGRAMS, Application, agent
from tests.interceptors_java.java_runtimes import java
from tests.interceptors_java.reported import Reported

pytestmark = pytest.mark.broker
NEWEST = "4.3.1"
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


def application(start: Application, broker: LocalBroker, version: str, topic: str, records: int, **more: str) -> str:
    """Run the program that sends and reads, with everything that counts; what it says of itself."""
    kinds = ("Audit", "Latency", "Sizes", "Cardinality", "Stats")
    wanted = {"interceptors": [{"name": kind.lower(), "type": kind} for kind in kinds]}
    arguments = (broker.bootstrap, topic, str(records))
    return start(version, PROGRAMS / "SendsAndReads.java", *arguments, wanted=wanted, **more)


class Run(NamedTuple):
    """A program that has ended, and what was reported of it."""

    topic: str
    said: str
    reported: Reported


@pytest.fixture(scope="module", params=[OLDEST, NEWEST, "on-java-11", "on-java-21", "on-java-25"])
def run(request: pytest.FixtureRequest, kafka: LocalBroker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    version, _, release = request.param.partition("on-java-")
    with Reported() as reported:
        topic = _topic(kafka, f"java-orders-{request.param}")
        start = agent(reported, tmp_path_factory.mktemp("agent"), java(release) if release else "java")
        yield Run(topic, application(start, kafka, version or NEWEST, topic, RECORDS), reported)


def test_what_is_reported_is_what_the_broker_has(kafka: LocalBroker, run: Run) -> None:
    topic, said, reported = run

    assert said == f"{RECORDS} 1 {RECORDS}"
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
        assert {number: set(range(end)) for number, end in _offsets(kafka, topic).items() if end} == offsets
    assert sum(row.key_bytes for row in produced) == 4 * RECORDS
    assert sum(row.value_bytes for row in produced) == 10 * RECORDS
    # The program has one configuration for both sides.
    assert {row.group_id for row in produced} == {None}
    assert {row.group_id for row in consumed} == {"billing"}
    assert reported.heads[-1].state.ended
    assert {head.attributes["team"] for head in reported.heads} == {"shop"}


@pytest.mark.parametrize("run", [NEWEST], indirect=True)
def test_serialized_keys_are_counted_where_the_type_does_not_tell_them(run: Run) -> None:
    keys = [row for row in run.reported.rows if isinstance(row, KeyInterceptions) and row.side == "producer"]
    assert sum(row.records for row in keys) in (RECORDS, RECORDS + 1)
    assert max(row.distinct for row in keys) == pytest.approx(100, abs=5)


@pytest.mark.parametrize("run", [OLDEST], indirect=True)
def test_keys_that_cannot_be_had_are_counted_as_uncounted(run: Run) -> None:
    keys = [row for row in run.reported.rows if isinstance(row, KeyInterceptions) and row.side == "producer"]
    assert (sum(row.records for row in keys), sum(row.uncounted for row in keys)) == (0, RECORDS + 1)


def test_every_row_is_in_a_seal_and_hooks_say_what_they_took(run: Run) -> None:
    rows = run.reported.rows
    seals = [row for row in rows if isinstance(row, WindowSeal)]
    sealed = {seq for seal in seals for seq in range(seal.first_seq, seal.last_seq + 1)}
    assert {row.event_seq for row in rows if not isinstance(row, WindowSeal)} <= sealed
    hooks = [hook for row in rows if isinstance(row, ClientInterceptions) for hook in row.hooks]
    assert sum(hook.calls for hook in hooks if hook.hook == "on_send") == RECORDS + 1
    assert sum(hook.time_ns for hook in hooks) > 0
    assert sum(hook.errors for hook in hooks) == 0


def test_an_application_goes_on_where_the_collector_forbids(
    kafka: LocalBroker, reported: Reported, under_the_agent: Application
) -> None:
    reported.status = 403

    said = application(under_the_agent, kafka, NEWEST, _topic(kafka, "java-forbidden"), RECORDS)

    assert said == f"{RECORDS} 1 {RECORDS}"

    assert not any(head.state.ledger.delivered for head in reported.heads)


def test_an_application_goes_on_where_there_is_no_collector(
    kafka: LocalBroker, reported: Reported, under_the_agent: Application
) -> None:
    reported.stop()

    said = application(under_the_agent, kafka, NEWEST, _topic(kafka, "java-missing"), RECORDS)

    assert said == f"{RECORDS} 1 {RECORDS}"


@pytest.mark.parametrize("variable", [{"KWITNESS_OFF": "1"}, {"KWITNESS_POD_NAME": ""}], ids=["off", "without-a-pod"])
def test_nothing_is_reported_where_it_is_switched_off_or_of_a_pod_that_is_not_known(
    kafka: LocalBroker, reported: Reported, under_the_agent: Application, variable: dict[str, str]
) -> None:
    [name] = variable
    application(under_the_agent, kafka, NEWEST, _topic(kafka, f"java-{name.lower()}"), 10, **variable)

    assert reported.heads == []
