"""Mutated frames, impossible counts, clients that stall, and names without end, by the thousand."""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import os
import random
import resource
import socket
import struct
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest

from kwitness.images.image_parts import REPOSITORY

from tests.eventually import eventually
from tests.observer.answering_broker import AnsweringBroker, list_groups
from tests.observer.events_server import EventsServer
from tests.observer.observer_process import ObserverProcess, built_observer
from tests.observer.recording_broker import RecordingBroker
from tests.soak import FIRST_SEED, share

pytestmark = [pytest.mark.slow, pytest.mark.soak, pytest.mark.timeout(3_600)]

VECTORS = REPOSITORY / "services/protocol/vectors/kafka-4.4.0.jsonl.gz"
TOGETHER = 500
"""Frames of one connection."""
CHANGED_BY_US = frozenset({0, 1, 3, 10, 18, 55, 60, 78, 79})
"""APIs whose answers may have addresses in them, or versions."""
OPENING = 8
"""Key, version and id of a request."""
OF_A_CONNECTION = 5_000
"""Topics of one connection: an observer remembers twice as many of each."""
MIB = 1 << 20
HUGE = (b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00", b"\xff\xff\xff\xff\x0f", b"\xff\xff\xff\xff\x07", b"\x7f\xff")


@pytest.fixture(scope="module")
def program() -> Path:
    return built_observer()


class Frame(NamedTuple):
    """A request as Kafka encodes it."""

    key: int
    content: bytes


@pytest.fixture(scope="module")
def frames() -> list[Frame]:
    with gzip.open(VECTORS, "rt") as lines:
        messages = [json.loads(line) for line in lines]
    return [
        Frame(message["key"], base64.b64decode(message["frame"])) for message in messages if message.get("isRequest")
    ]


def framed(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content


def mutated(content: bytes, dice: random.Random) -> bytes:
    """Some bytes beyond the opening are others, missing, or more."""
    opening, body = content[:OPENING], bytearray(content[OPENING:])
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(body) + 1)
        match dice.randrange(3):
            case 0 if at < len(body):
                body[at] = dice.randrange(256)
            case 1:
                del body[at : at + dice.randint(1, 8)]
            case _:
                body[at:at] = dice.randbytes(dice.randint(1, 8))
    return opening + bytes(body)


def overcounted(content: bytes, dice: random.Random) -> bytes:
    """A count, or a length, that no frame could hold stands somewhere."""
    at, count = dice.randrange(OPENING, len(content) + 1), dice.choice(HUGE)
    return content[:at] + count + content[at + len(count) :]


def exchanges(requests: Iterator[Frame]) -> Iterator[tuple[bytes, bytes]]:
    """What clients ask and are answered, a connection each; the first request is a good one."""
    while several := list(islice(requests, TOGETHER)):
        asked = list_groups(1) + b"".join(framed(request.content) for request in several)
        answered = framed(struct.pack(">i", 1) + b"\0") + b"".join(
            framed(request.content[4:8] + request.content[OPENING:]) for request in several[: passing(several)]
        )
        yield asked, answered


def passing(several: list[Frame]) -> int:
    """How many of the requests have answers that pass as they are, from the first on."""
    return next((place for place, one in enumerate(several) if one.key in CHANGED_BY_US), len(several))


@pytest.mark.parametrize(("change", "whole"), [(mutated, 1_000_000), (overcounted, 10_000)])
def test_frames_that_are_not_what_kafka_sends_pass_as_they_are_and_cost_little(
    frames: list[Frame], program: Path, tmp_path: Path, change: Callable[[bytes, random.Random], bytes], whole: int
) -> None:
    dice = random.Random(FIRST_SEED)  # noqa: S311
    # Answers pass as they are of requests whose answers name no broker, so one half of connections asks for those only.
    pools = [frames, [frame for frame in frames if frame.key not in CHANGED_BY_US]]
    with (
        RecordingBroker() as broker,
        ObserverProcess(program, tmp_path, bootstrap=broker.bootstrap, nodes=(), changes={}) as observer,
    ):
        before = observer.metrics()["process_resident_memory_bytes"]
        for pool in pools:
            requests = (
                Frame(frame.key, change(frame.content, dice))
                for frame in (dice.choice(pool) for _ in range(share(whole) // len(pools)))
            )
            for asked, answered in exchanges(requests):
                got, came = broker.exchange(observer.bootstrap, asked, answered)

                assert got == asked
                assert came == answered
        after = observer.metrics()
        assert after["process_resident_memory_bytes"] < before + 16 * MIB
        assert after["kwitness_observer_panics_total"] == 0
        assert after.get('kwitness_observer_opaque_total{reason="frame_length"}', 0) == 0


def may_open(files: int) -> None:
    """Let this process, and those that it starts, have so many open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(files, hard), hard))


def test_clients_that_stall_are_closed_and_cost_little_and_others_are_served(program: Path, tmp_path: Path) -> None:
    count = share(2_000)
    may_open(8 * count)
    limits = {
        "max_connections": 2 * count,
        "max_frame_bytes": 104_857_600,
        "max_series": 10_000,
        "queue_bytes": 1_000_000,
        "max_rewrite_bytes": 16_777_216,
    }
    starts = (b"", struct.pack(">i", 100_000_000) + list_groups(1)[4:], list_groups(1)[:-1])
    with AnsweringBroker() as broker, contextlib.ExitStack() as stack:
        observer = ObserverProcess(
            program, tmp_path, bootstrap=broker.bootstrap, nodes=(), changes={"limits": limits}
        ).with_arguments("--first-request-seconds", "5")
        stack.enter_context(observer)
        host, port = observer.bootstrap.split(":")
        before = observer.metrics()["process_resident_memory_bytes"]
        for number in range(count):
            client = stack.enter_context(socket.create_connection((host, int(port)), timeout=60))
            client.sendall(starts[number % len(starts)])
        most = observer.metrics()["process_resident_memory_bytes"]
        healthy = stack.enter_context(socket.create_connection((host, int(port)), timeout=60))
        answers = healthy.makefile("rb")

        def closed() -> float:
            healthy.sendall(list_groups(7))
            assert len(answers.read(9)) == 9
            return observer.metrics()['kwitness_observer_connections_closed_total{end="deadline"}']

        eventually(closed, lambda now: now == count)

        assert most - before < count * 64 * 1024
        assert observer.log().count("WARNING") <= 1


def test_a_million_names_stay_within_the_budget_of_series_and_sums_are_exact(program: Path, tmp_path: Path) -> None:
    budget, count, threads = 500, share(1_000_000), len(os.sched_getaffinity(0))
    token = tmp_path / "token"
    token.write_text("token")
    limits = {
        "max_connections": 10,
        "max_frame_bytes": 104_857_600,
        "max_series": budget,
        "queue_bytes": 64 * MIB,
        "max_rewrite_bytes": 16_777_216,
    }
    with AnsweringBroker() as broker, EventsServer() as server:
        collector = {"url": server.url, "replicas": 1, "ca_file": None, "token_file": str(token)}
        changes = {"limits": limits, "collector": collector}
        with ObserverProcess(program, tmp_path, bootstrap=broker.bootstrap, nodes=(), changes=changes) as observer:
            before = observer.metrics()["process_resident_memory_bytes"]
            asked = 0
            for first in range(0, count, OF_A_CONNECTION):
                numbers = range(first, min(first + OF_A_CONNECTION, count))
                asked += ask(observer.bootstrap, b"".join(unconfirmed(number) for number in numbers))
            most = observer.metrics()["process_resident_memory_bytes"]
            eventually(lambda: requests_in(server), lambda now: now >= count + asked)

    assert requests_in(server) == count + asked
    rows = [row for row in server.rows if row.get("kind") == "api"]
    partitions = [row for row in server.rows if row.get("kind") == "partition"]
    assert sum(row["unconfirmed"] for row in partitions) == count
    assert any(row["overflowed"] for row in rows)
    assert any(row["overflowed"] for row in partitions)
    windows = {row["window_start_ms"] for row in rows}
    for kind in (rows, partitions):
        for start in windows:
            # Each thread has rows for what is not told apart, too.
            assert sum(row["window_start_ms"] == start for row in kind) <= budget + 3 * threads
    totals = [part for head in server.heads for part in head.totals]
    assert sum(entry.requests for part in totals for entry in part.apis) == count + asked
    assert sum(row["event_seq"] > 0 for row in server.rows) == server.heads[-1].state.ledger.delivered
    assert most - before < 64 * MIB


def requests_in(server: EventsServer) -> int:
    """How many requests the rows of a collector say there were."""
    return sum(int(row["requests"]) for row in list(server.rows) if row.get("kind") == "api")


def ask(address: str, content: bytes) -> int:
    """Send requests that have no answer, and one that has; how many of the latter."""
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), timeout=60) as client, client.makefile("rb") as answers:
        client.sendall(content + list_groups(1))
        assert len(answers.read(9)) == 9
    return 1


def unconfirmed(number: int) -> bytes:
    """A record for a topic of its own, by a client of its own, which waits for no answer (Produce 7)."""
    name = f"{number:07}".encode()
    batch = struct.pack(">iBihiqqqhii", 0, 2, 0, 0, 0, 0, 0, -1, -1, -1, 1) + b"\x0c\0\0\0\1\0\0"
    records = struct.pack(">qi", 0, len(batch)) + batch
    header = struct.pack(">hhih", 0, 7, number, 7) + name
    topic = struct.pack(">ih", 1, 7) + name + struct.pack(">iii", 1, 0, len(records))
    return framed(header + struct.pack(">hhi", -1, 0, 1_000) + topic + records)
