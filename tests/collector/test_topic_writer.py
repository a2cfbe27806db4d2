"""Writes to Kafka end in every case: a batch nobody answers would hold up its source's next ones for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from kwitness.collector.failures import UnavailableError
from kwitness.collector.sinks.topic_writer import Record, TopicWriter
from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.e2e.certificates import Authority

from tests.eventually import PATIENCE_S

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
        await asyncio.wait_for(batch, PATIENCE_S)
    await asyncio.to_thread(writer.stop)


async def test_what_is_left_of_a_batch_when_its_connection_has_ended_is_given_back(tmp_path: Path) -> None:
    writer = unreachable(tmp_path / "ca.crt")
    writer.start()
    await asyncio.to_thread(writer.stop)

    with pytest.raises(UnavailableError):
        await asyncio.wait_for(writer.write([RECORD]), PATIENCE_S)
