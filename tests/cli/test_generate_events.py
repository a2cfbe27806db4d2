"""`kwitness generate events`: into a file, into the topics of a broker, and not into any Kafka that is not for it."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.cli.__main__ import main
from kwitness.cli.fleet import Faults, Fleet, FleetRecord, events
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.sandbox.waiting import run_to_end

START_MS = 1_790_000_000_000
SMALL = ("--clients", "20", "--topics", "3", "--sources", "2", "--for", "30s", "--start", str(START_MS))
FAULTY = ("--epochs", "2", "--seed", "7", "--late", "0.05", "--corrupt", "0.1", "--too-old", "0.01")
FLEET = Fleet(clients=20, topics=3, sources=2, seconds=30, start_ms=START_MS)
FAULTY_FLEET = Fleet(
    clients=20,
    topics=3,
    sources=2,
    seconds=30,
    epochs=2,
    seed=7,
    faults=Faults(late=0.05, corrupt=0.1, too_old=0.01),
)


def generate(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kwitness.cli", "generate", "events", *arguments]
    return run_to_end(command)


def refused(*arguments: str) -> str:
    done = generate(*arguments)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def of_line(line: str) -> FleetRecord:
    """The record that a line tells; of faults it says nothing."""
    found: dict[str, Any] = json.loads(line)
    value = found["value"] if "value" in found else base64.b64decode(found["value_base64"])
    headers = tuple((name, text.encode()) for name, text in found["headers"].items())
    return FleetRecord(
        found["topic"],
        found["key"].encode(),
        value.encode() if isinstance(value, str) else value,
        headers,
        found["timestamp_ms"],
        "",
    )


def told(fleet: Fleet) -> list[FleetRecord]:
    return [record._replace(fault="") for record in events(fleet)]


def test_a_file_has_each_record_on_a_line_corrupt_ones_too(tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    done = generate(*SMALL, *FAULTY, "--to", str(file))
    lines = file.read_text().splitlines()

    assert done.returncode == 0
    assert done.stderr.startswith(f"{len(lines):,} records of 30s written to {file} in ")
    assert [of_line(line) for line in lines] == told(FAULTY_FLEET)
    assert any("value_base64" in line for line in lines)


def test_the_standard_output_has_records_alone() -> None:
    done = generate(*SMALL, "--to", "-")

    assert [of_line(line) for line in done.stdout.splitlines()] == told(FLEET)


def test_without_a_start_the_last_window_has_just_ended(tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    assert generate("--clients", "4", "--for", "30s", "--to", str(file)).returncode == 0
    rows = [json.loads(json.loads(line)["value"]) for line in file.read_text().splitlines()]
    ended_ms = max(row["window_end_ms"] for row in rows if "window_end_ms" in row)

    assert 0 <= file.stat().st_mtime * 1000 - ended_ms < 40_000


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    assert refused(*SMALL, "--to", str(tmp_path / "none" / "events")) == (
        f"kwitness generate: {tmp_path}/none/events cannot be written (No such file or directory): "
        "choose another file\n"
    )


def test_a_fleet_that_cannot_be_is_refused() -> None:
    assert refused("--late", "2", "--to", "-") == (
        "kwitness generate: there is no such fleet: the share late is 2.0: it must be from 0 to 1\n"
    )


@pytest.mark.parametrize("arguments", [(), ("--window", "soon", "--to", "-"), ("--to", "-", "--bootstrap", "a:1")])
def test_a_command_line_that_cannot_be_is_answered_with_its_usage(arguments: tuple[str, ...]) -> None:
    done = generate(*arguments)

    assert done.returncode == 2
    assert "Usage: kwitness generate events" in done.stderr


@pytest.mark.parametrize(
    ("length", "message"), [("soon", "'soon' is not a duration"), ("1500ms", "give whole seconds, such as 90s")]
)
def test_a_time_that_is_none_is_named(length: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "events", "--for", length, "--to", "-"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("bootstrap", ["kafka.shop:9092", "127.0.0.1:9092,10.0.0.1:9092", "[2001:db8::1]:9092"])
def test_a_kafka_elsewhere_is_refused_before_it_is_asked_anything(bootstrap: str) -> None:
    said = refused(*SMALL, "--bootstrap", bootstrap)

    assert "which is not this machine" in said
    assert "--yes-this-is-a-test-cluster" in said


@pytest.mark.parametrize("bootstrap", ["localhost", "localhost:kafka", ",localhost:9092"])
def test_an_address_without_host_or_port_is_named(bootstrap: str) -> None:
    assert "is no HOST:PORT" in refused(*SMALL, "--bootstrap", bootstrap)


@pytest.mark.slow
def test_a_kafka_that_does_not_answer_is_named() -> None:
    assert "127.0.0.1:1 does not answer" in refused(*SMALL, "--bootstrap", "127.0.0.1:1")


@pytest.mark.slow
@pytest.mark.broker
def test_brokers_elsewhere_behind_a_tunnel_are_refused() -> None:
    """As `kubectl port-forward` makes them: bootstrap is on loopback, and the brokers say where they are."""
    with LocalBroker(clients_host="192.0.2.1") as broker:
        said = refused(*SMALL, "--bootstrap", f"localhost:{broker.clients_port}")

    assert "the brokers there are on 192.0.2.1, which is not this machine" in said


@pytest.mark.slow
@pytest.mark.broker
def test_topics_that_are_not_there_are_named(kafka: LocalBroker) -> None:
    prefix = f"{uuid.uuid4().hex[:8]}."
    said = refused(*SMALL, "--bootstrap", kafka.bootstrap, "--prefix", prefix)

    assert f"has no topic {prefix}connections, {prefix}seals, {prefix}traffic: " in said


@pytest.mark.slow
@pytest.mark.broker
def test_topics_have_every_record_with_its_key_headers_and_time(kafka: LocalBroker) -> None:
    prefix = f"{uuid.uuid4().hex[:8]}."
    topics = [f"{prefix}{kind}" for kind in ("traffic", "connections", "seals")]
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    for future in admin.create_topics([NewTopic(topic, 1, 1) for topic in topics]).values():
        future.result()

    done = generate(*SMALL, *FAULTY, "--bootstrap", kafka.bootstrap, "--prefix", prefix)

    assert done.returncode == 0, done.stderr
    expected = told(FAULTY_FLEET)
    for topic in topics:
        wanted = [record for record in expected if f"{prefix}{record.kind}" == topic]
        assert read(kafka, topic, len(wanted), prefix) == wanted


def read(kafka: LocalBroker, topic: str, number: int, prefix: str) -> list[FleetRecord]:
    """The records of a topic's one partition, and that there are no more."""
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": "x", "enable.auto.commit": False})
    try:
        partition = TopicPartition(topic, 0, 0)
        assert consumer.get_watermark_offsets(partition, timeout=30) == (0, number)
        consumer.assign([partition])
        messages = consumer.consume(number, timeout=30)
    finally:
        consumer.close()
    return [
        FleetRecord(
            topic.removeprefix(prefix),
            message.key() or b"",
            message.value(),
            tuple((name, value) for name, value in message.headers() or () if isinstance(value, bytes)),
            message.timestamp()[1],
            "",
        )
        for message in messages
    ]
