"""Writes to Kafka end in every case: a batch nobody answers would hold up its source's next ones for ever."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.collector.failures import UnavailableError
from kwitness.collector.sinks.topic_writer import Record, TopicWriter
from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.e2e.certificates import Authority
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.eventually import patiently

RECORD = Record("kwitness.telemetry", b"key", b"value")


def renew(writer: TopicWriter, authority: Path) -> None:
    """Replace a file of the connection, as a rotated Secret does."""
    authority.write_text(Authority("newer").certificate)
    writer.refresh()


def end(writer: TopicWriter, _: Path) -> None:
    """End the writer, as a change of the configuration does."""
    writer.stop()


def unreachable(authority: Path) -> TopicWriter:
    authority.write_text(Authority("older").certificate)
    kafka = KafkaConnection(bootstrap_servers=("127.0.0.1:1",), tls=True, ca_file=str(authority))
    return TopicWriter(kafka, "kwitness-collector-test")


@pytest.mark.parametrize("happens", [renew, end])
@pytest.mark.slow
async def test_a_batch_under_way_is_answered_when_its_connection_is_given_up(
    tmp_path: Path, happens: Callable[[TopicWriter, Path], None]
) -> None:
    authority = tmp_path / "ca.crt"
    writer = unreachable(authority)
    writer.start()
    batch = asyncio.create_task(writer.write([RECORD]))
    await asyncio.sleep(0.1)

    await asyncio.to_thread(happens, writer, authority)

    with pytest.raises(UnavailableError):
        await patiently(batch)
    await asyncio.to_thread(writer.stop)


@pytest.mark.broker
async def test_only_the_record_that_is_too_large_is_refused_and_not_those_that_travelled_with_it(
    broker: LocalBroker,
) -> None:
    topic = "collector-tests.small"
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    admin.create_topics([NewTopic(topic, 1, 1, config={"max.message.bytes": "4096"})])[topic].result()
    values = [os.urandom(5_000 if number == 7 else 1_000) for number in range(20)]
    writer = TopicWriter(KafkaConnection(bootstrap_servers=(broker.bootstrap,)), "kwitness-collector-test")
    writer.start()

    refused = await patiently(writer.write([Record(topic, b"key", value) for value in values]))

    await asyncio.to_thread(writer.stop)
    assert refused == {7: "MSG_SIZE_TOO_LARGE"}


async def test_what_is_left_of_a_batch_when_its_connection_has_ended_is_given_back(tmp_path: Path) -> None:
    writer = unreachable(tmp_path / "ca.crt")
    writer.start()
    await asyncio.to_thread(writer.stop)

    with pytest.raises(UnavailableError):
        await patiently(writer.write([RECORD]))
