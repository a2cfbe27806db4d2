"""`--watch` and `tail`: typed at a terminal, answered until they are interrupted."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import pytest

from kwitness.sandbox.waiting import communicate, wait_for_exit

from tests.cli.clients.conftest import LIVELY, SECOND, answers_with, item, lines
from tests.cli.command import COMMAND
from tests.collector.collector_samples import LATENCY_AVG

pytestmark = pytest.mark.slow


@contextmanager
def running_command(person, door, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process that goes on until it is interrupted."""
    process = subprocess.Popen(
        # What a shell runs in the background ignores Ctrl-C, and so do its children.
        ["env", "--default-signal=INT", *COMMAND, *arguments, "--collector-address", door.address],
        env=person.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def until(stream: IO[str] | None, text: str) -> list[str]:
    """Read lines up to the one that has the text."""
    assert stream is not None
    read: list[str] = []
    for line in stream:
        read.append(line)
        if text in line:
            return read
    raise AssertionError(f"{text} did not come: {read}")


def interrupted(process: subprocess.Popen[str]) -> str:
    """Press Ctrl-C, and return what stands on standard error."""
    process.send_signal(signal.SIGINT)
    _, told = communicate(process)
    assert process.returncode == 130
    assert "Traceback" not in told
    return told


def test_watched_values_show_what_changed(person, door, pushing) -> None:
    pushing.lively(10)
    with running_command(person, door, "metrics", "lively", "--watch") as process:
        first = until(process.stdout, LATENCY_AVG)
        pushing.lively(12.5)
        rest = until(process.stdout, "+0.0025")
        interrupted(process)

    assert "CHANGE" not in "".join(first)
    assert "CHANGE" in "".join(rest)
    assert rest[-1].split()[:4] == [f'{LATENCY_AVG}{{node_id="1"}}', "0.0125", "s", "+0.0025"]
    assert any(line.split()[1:3] == ["+1", "now"] or "+1" in line.split() for line in rest)


def test_a_collector_that_goes_away_while_watched_is_asked_again(person, door, pushing) -> None:
    pushing.lively(10)
    with running_command(person, door, "metrics", "lively", "--watch", "-o", "json") as process:
        until(process.stdout, "{")
        door.replaced["/v1/clients"] = (503, {"error": {"reason": "Unavailable", "message": "restarting"}})
        until(process.stderr, "restarting")
        del door.replaced["/v1/clients"]
        pushing.lively(11)
        seen = until(process.stdout, '"value": 0.011')
        interrupted(process)

    assert all(json.loads(line)["items"] for line in seen)


def test_watched_clients_are_shown_again_when_their_collector_is_back(person, door) -> None:
    with running_command(person, door, "clients", "--watch", "--client-id", "prices", "-o", "json") as process:
        until(process.stdout, "prices")
        door.replaced["/v1/clients"] = (503, {"error": {"reason": "Unavailable", "message": "restarting"}})
        until(process.stderr, "restarting")
        del door.replaced["/v1/clients"]
        until(process.stdout, "prices")
        interrupted(process)


def test_a_tail_has_a_line_for_each_value_of_each_push(person, door, pushing) -> None:
    pushing.lively(10)
    with running_command(person, door, "tail", "lively", "--prefix", "producer.node") as process:
        first = until(process.stdout, " 0.01 s")
        pushing.lively(12.5)
        rest = until(process.stdout, " 0.0125 s")
        interrupted(process)

    assert [line.split(" ", 1)[1] for line in (*first, *rest)] == [
        f'lively {LATENCY_AVG}{{node_id="1"}} 0.01 s\n',
        f'lively {LATENCY_AVG}{{node_id="1"}} 0.0125 s\n',
    ]


def test_a_tail_follows_the_next_instance_of_a_client(person, door, pushing) -> None:
    pushing.lively(10)
    with running_command(person, door, "tail", "lively", "-o", "json") as process:
        first = json.loads(until(process.stdout, "{")[0])
        # What the collector says once it has forgotten it, half a minute later.
        answers_with(door, item(client_id="lively", client_instance_id=SECOND, push_interval_ms=500))
        until(process.stdout, SECOND)
        told = interrupted(process)

    assert (first["client_id"], first["client_instance_id"]) == ("lively", LIVELY)
    assert f"lively {LIVELY} is gone: its last push came" in told


def test_a_reader_that_has_seen_enough_ends_a_tail_without_a_trace(person, door, pushing) -> None:
    pushing.lively(10)
    with running_command(person, door, "tail", "lively") as process:
        until(process.stdout, LATENCY_AVG)
        assert process.stdout is not None
        process.stdout.close()
        pushing.lively(11)

        assert wait_for_exit(process) == 141
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_tail_ends_by_itself_after_its_time(types, pushing) -> None:
    pushing.lively(10)
    done = types("tail", "lively", "--for", "600ms", "--prefix", "producer.node")

    assert done.returncode == 0
    assert lines(done)[0][1:4] == ["lively", f'{LATENCY_AVG}{{node_id="1"}}', "0.01"]


@pytest.mark.parametrize("duration", ["soon", "0s", "10"])
def test_a_time_that_is_none_is_refused(types, duration) -> None:
    done = types("tail", "orders-7", "--for", duration)

    assert done.returncode == 2
    assert duration in done.stderr
