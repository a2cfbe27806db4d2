"""Clients through the observer before each broker version that is supported."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.e2e.kafka.jars import KAFKA_VERSIONS

from tests.observer import kafka_tools
from tests.observer.client_programs import ACKS, CODECS, EVERY_CLIENT, NEWEST, counts
from tests.observer.counted import assert_counted, assert_reported
from tests.observer.kafka_messages import KafkaMessages
from tests.observer.stand import Stand
from tests.soak import SOAKS, share

pytestmark = [pytest.mark.broker, pytest.mark.soak]

RECORDS = share(1000)


@pytest.fixture(scope="module", params=KAFKA_VERSIONS)
def each_stand(
    request: pytest.FixtureRequest, program: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stand]:
    """A broker of each version behind an observer."""
    if request.param == NEWEST:
        yield request.getfixturevalue("stand")
        return
    with Stand(program, tmp_path_factory.mktemp("stand"), version=request.param, size=1) as stand:
        yield stand


def number_of(stand: Stand) -> int:
    """The place of its version in the list."""
    return KAFKA_VERSIONS.index(stand.version)


def assert_relayed(stand: Stand, messages: KafkaMessages) -> None:
    """Clients got what brokers answered, but for addresses, and went nowhere else."""
    compared = stand.compared(messages.read)
    assert compared.addresses == stand.addresses
    assert compared.real_addresses == stand.real_addresses


def test_kafkas_own_tools_are_counted_by_what_they_say(each_stand: Stand, messages: KafkaMessages) -> None:
    ways = list(itertools.product(CODECS, ACKS))
    number = number_of(each_stand)
    for codec, acks in ways if SOAKS else [(CODECS[number + 1], ACKS[number % len(ACKS)])]:
        topic = f"tools-{codec}-{acks}"
        each_stand.create(topic)
        with kafka_tools.verifiable_producer(each_stand.bootstrap, topic, RECORDS, "--acks", "1") as producer:
            producer.ended()
            (told,) = producer.events("tool_data")
        assert (told["sent"], told["acked"]) == (RECORDS, RECORDS)
        with kafka_tools.performance(each_stand.bootstrap, topic, RECORDS, codec, acks) as performance:
            assert f"{RECORDS} records sent" in performance.ended()
        with kafka_tools.verifiable_consumer(each_stand.bootstrap, topic, 2 * RECORDS) as consumer:
            consumer.ended()
            read = consumer.consumed()

        assert read == 2 * RECORDS
        unconfirmed = RECORDS if acks == "0" else 0
        assert_reported(each_stand, topic, 2 * RECORDS - unconfirmed, unconfirmed, sorted({codec, "none"}))
        rows = each_stand.rows(kind="partition", topic=topic)
        assert {(row["client_software_name"], row["client_software_version"]) for row in rows} == {
            ("apache-kafka-java", NEWEST)
        }
    assert_relayed(each_stand, messages)


@pytest.mark.parametrize("each_stand", KAFKA_VERSIONS[:-1], indirect=True)
def test_other_clients_are_counted_before_older_brokers(each_stand: Stand, messages: KafkaMessages) -> None:
    turn = number_of(each_stand) + len(KAFKA_VERSIONS)
    for client in EVERY_CLIENT if SOAKS else EVERY_CLIENT[turn : turn + share(len(EVERY_CLIENT))]:
        done = counts(client.start(each_stand.bootstrap, client.name, share(100), client.ways))

        assert_counted(client, each_stand, share(100), done)
    assert_relayed(each_stand, messages)
