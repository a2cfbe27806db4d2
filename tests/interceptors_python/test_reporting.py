"""What the profile's interceptors count is what reaches the collector; the broker is librdkafka's mock cluster."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kwitness.contracts.envelopes import EventsAnswer
from kwitness.contracts.envelopes.events import Directives
from kwitness.contracts.envelopes.pushes import Rejection
from kwitness.contracts.records.interceptions import ClientInterceptions
from kwitness.contracts.records.seals import WindowSeal
from kwitness.sandbox.waiting import communicate, wait_for_exit

from .injected import injected_folder, pod_environment, run_program
from .interceptor_events_server import InterceptorEventsServer
from tests.eventually import eventually

pytestmark = pytest.mark.slow

PRODUCING = """
import confluent_kafka, os, sys, time
config = {"bootstrap.servers": "mock.invalid:1", "test.mock.num.brokers": 1, "log_level": 0, "client.id": "shop",
          "message.max.bytes": 2000}
producer = confluent_kafka.Producer(config)
def produce(count, topic="orders"):
    for number in range(count):
        producer.produce(topic, "value", key="k", partition=0)
    try:
        producer.produce(topic, "x" * 3000)
    except confluent_kafka.KafkaException:
        pass
    assert producer.flush(20) == 0
produce(10)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return injected_folder(tmp_path_factory.mktemp("kwitness") / "python")


@pytest.fixture
def collector() -> Iterator[InterceptorEventsServer]:
    with InterceptorEventsServer() as server:
        yield server


def test_counts_sizes_and_times_reach_the_collector_with_their_seals(
    folder: Path, tmp_path: Path, collector: InterceptorEventsServer
) -> None:
    done = run_program(PRODUCING, folder, environment=pod_environment(tmp_path, collector.url))

    assert done.returncode == 0, done.stderr
    rows = collector.topics()
    assert sum(row.sent for row in rows) == 11
    assert sum(row.acknowledged for row in rows) == 10
    assert {name: count for row in rows for name, count in row.failures.items()} == {"MESSAGE_TOO_LARGE": 1}
    assert sum(row.value_bytes for row in rows) == 10 * 5 + 3000
    assert sum(count for row in rows for count in row.acknowledgement_time.buckets.values()) == 10
    ranges = [(one.first, one.last) for row in rows for part in row.partitions for one in part.offset_ranges]
    assert (ranges[0][0], ranges[-1][1]) == (0, 9)
    assert {(row.client_id, row.side, row.attributes["team"]) for row in rows} == {("shop", "producer", "shop")}
    assert {head.attributes["team"] for head in collector.heads} == {"shop"}
    seals = [row for row in collector.rows if isinstance(row, WindowSeal)]
    assert sum(seal.count for seal in seals) == len(collector.rows) - len(seals)
    assert sum(part.sent for head in collector.heads for total in head.totals for part in total.topics) == 11
    hooks = {
        (one.interceptor, one.hook)
        for row in collector.rows
        if isinstance(row, ClientInterceptions)
        for one in row.hooks
    }
    assert ("audit", "on_send") in hooks
    last = collector.heads[-1]
    assert last.state.ended
    assert last.state.ledger.delivered == len(collector.rows)
    assert last.source.startswith("shop/orders-1/")
    assert collector.tokens == {"Bearer secret-token"}
    assert "secret-token" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "changes",
    [{"suspend": True}, {"topics": ["payments*"]}, {"interceptors": []}],
    ids=["suspended", "another topic", "unusable settings"],
)
def test_what_is_not_to_be_counted_is_not(
    folder: Path, tmp_path: Path, collector: InterceptorEventsServer, changes: dict[str, Any]
) -> None:
    done = run_program(PRODUCING, folder, environment=pod_environment(tmp_path, collector.url, **changes))

    assert done.returncode == 0, done.stderr
    assert collector.topics() == []


def test_a_collector_that_is_away_costs_the_application_nothing_but_a_line(folder: Path, tmp_path: Path) -> None:
    done = run_program(PRODUCING + "time.sleep(3)", folder, environment=pod_environment(tmp_path, "http://127.0.0.1:1"))

    assert done.returncode == 0, done.stderr
    assert done.stderr.count("takes no events of interceptors") == 1


def test_a_collector_that_forbids_costs_the_application_nothing_but_a_line(
    folder: Path, tmp_path: Path, collector: InterceptorEventsServer
) -> None:
    answer = EventsAnswer(collector="kafka/main", replica=0)
    collector.answering = lambda _: (403, answer)

    done = run_program(PRODUCING + "time.sleep(3)", folder, environment=pod_environment(tmp_path, collector.url))

    assert done.returncode == 0, done.stderr
    assert done.stderr.count("takes no events of interceptors; it is tried again: it answered 403") == 1


def test_a_class_that_is_slow_is_told_by_the_time_of_its_hook(
    folder: Path, tmp_path: Path, collector: InterceptorEventsServer
) -> None:
    (tmp_path / "slow.py").write_text(
        """
import time
from kwitness_interceptors import ProducerInterceptor

class Slow(ProducerInterceptor):
    def on_send(self, record):
        time.sleep(0.005)
        return record
"""
    )
    entries = [{"name": "slow", "type": "Custom", "class_name": "slow:Slow"}, {"name": "audit", "type": "Audit"}]
    done = run_program(
        PRODUCING, folder, tmp_path, environment=pod_environment(tmp_path, collector.url, interceptors=entries)
    )

    assert done.returncode == 0, done.stderr
    assert sum(row.acknowledged for row in collector.topics()) == 10
    hooks = [one for row in collector.rows if isinstance(row, ClientInterceptions) for one in row.hooks]
    slow = [one for one in hooks if (one.interceptor, one.hook) == ("slow", "on_send")]
    assert (sum(one.calls for one in slow), sum(one.errors for one in slow)) == (11, 0)
    assert sum(one.time_ns for one in slow) >= 11 * 5_000_000


def test_the_collector_suspends_by_its_answer(folder: Path, tmp_path: Path, collector: InterceptorEventsServer) -> None:
    variables = pod_environment(tmp_path, collector.url)
    collector.directives = Directives(settings="of-settings-that-are-not-here-yet", suspend=True)
    program = PRODUCING + "sys.stdin.readline(); produce(5, 'later')"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env=variables | {"PYTHONPATH": str(folder)},
        stdin=subprocess.PIPE,
        text=True,
    ) as process:
        eventually(lambda: any(head.state.suspended for head in list(collector.heads)))
        communicate(process, "\n")

    assert process.returncode == 0
    assert {row.topic for row in collector.topics()} == {"orders"}
    assert collector.heads[-1].state.suspended


def test_a_rejected_row_is_counted_and_said_in_its_seal(
    folder: Path, tmp_path: Path, collector: InterceptorEventsServer
) -> None:
    rejected: list[int] = []

    def rejecting(head: Any) -> tuple[int, EventsAnswer]:
        status, answer = collector.take(head)
        for row in head.rows:
            if row.topic == "interceptions" and not rejected:
                rejected.append(row.seq)
                accepted = ",".join(number for number in answer.accepted.split(",") if int(number) != row.seq)
                return status, answer.model_copy(
                    update={
                        "accepted": accepted,
                        "rejected": (Rejection(seq=row.seq, reason="wrong_topic", message="m"),),
                    }
                )
        return status, answer

    collector.answering = rejecting
    done = run_program(PRODUCING, folder, environment=pod_environment(tmp_path, collector.url))

    assert done.returncode == 0, done.stderr
    seals = [row for row in collector.rows if isinstance(row, WindowSeal)]
    assert sum(seal.dropped.get("wrong_topic", 0) for seal in seals) == 1
    assert collector.heads[-1].state.ledger.dropped == {"wrong_topic": 1}


def test_a_fork_reports_its_own_clients_under_a_name_of_its_own(
    folder: Path, tmp_path: Path, collector: InterceptorEventsServer
) -> None:
    program = (
        PRODUCING
        + """
producer.close()  # librdkafka's threads are not in a fork
child = os.fork()
if child:
    os.waitpid(child, 0)
else:
    producer = confluent_kafka.Producer(config)
    produce(3, "of-the-child")
    sys.exit()
"""
    )
    done = run_program(program, folder, environment=pod_environment(tmp_path, collector.url))

    assert done.returncode == 0, done.stderr
    by_source: dict[str, dict[str | None, int]] = {}
    for row in collector.topics():
        sent = by_source.setdefault(row.event_source, {})
        sent[row.topic] = sent.get(row.topic, 0) + row.sent
    assert sorted(map(str, by_source.values())) == ["{'of-the-child': 4}", "{'orders': 11}"]


def test_workers_of_gunicorn_report_and_end_when_they_are_told_to(
    folder: Path, tmp_path: Path, collector: InterceptorEventsServer
) -> None:
    (tmp_path / "shop.py").write_text(
        PRODUCING
        + """
def application(environ, start_response):
    produce(1, "requests")
    start_response("200 OK", [])
    return [b"done"]
"""
    )
    server = [sys.executable, "-m", "gunicorn", "--workers", "2", "--bind", "127.0.0.1:0", "--chdir", str(tmp_path)]
    with subprocess.Popen(
        [*server, "shop:application"],
        env=pod_environment(tmp_path, collector.url) | {"PYTHONPATH": str(folder)},
        stderr=subprocess.DEVNULL,
    ) as process:
        sources = eventually(lambda: {row.event_source for row in collector.topics()}, lambda seen: len(seen) >= 2)
        process.terminate()
        wait_for_exit(process)

    assert process.returncode == 0
    assert len(sources) == 2


def test_a_class_of_a_profile_is_called_and_one_that_cannot_be_used_is_told_of(
    folder: Path, tmp_path: Path, collector: InterceptorEventsServer
) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/masking.py").write_text(
        """
from kwitness_interceptors import ProducerInterceptor

class Mask(ProducerInterceptor):
    def configure(self, config):
        print(config["client.id"], config["mask.fields"])
    def on_send(self, record):
        return record._replace(topic="another")
"""
    )
    entries = [
        {"name": "mask", "type": "Custom", "class_name": "shop.masking:Mask", "settings": {"mask.fields": "card"}},
        {"name": "broken", "type": "Custom", "class_name": "shop.broken:Broken"},
        {"name": "audit", "type": "Audit"},
    ]
    done = run_program(
        PRODUCING, folder, tmp_path, environment=pod_environment(tmp_path, collector.url, interceptors=entries)
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout == "shop card\n"
    assert sum(row.acknowledged for row in collector.topics()) == 10
    assert sum(row.anomalies.get("topic_changed", 0) for row in collector.topics()) == 11
    assert list(collector.heads[-1].state.unusable) == ["broken"]
    calls = [one for row in collector.rows if isinstance(row, ClientInterceptions) for one in row.hooks]
    assert sum(one.errors for one in calls if one.interceptor == "mask" and one.hook == "on_send") == 11


def test_headers_reach_the_collector_with_their_seals(
    folder: Path, tmp_path: Path, collector: InterceptorEventsServer
) -> None:
    program = """
import confluent_kafka
producer = confluent_kafka.Producer({"bootstrap.servers": "mock.invalid:1", "test.mock.num.brokers": 1, "log_level": 0,
                                     "client.id": "shop"})
for number in range(10):
    producer.produce("orders", "value", partition=0, headers=[("tenant", "eu"), ("token", "hunter2"), ("junk", b"xy")])
producer.produce("bare", "value")
assert producer.flush(20) == 0
"""
    keys = [
        {"name": "tenant", "type": "String", "required": True},
        {"name": "token", "type": "Int32", "sensitivity": "Secret"},
    ]
    rules = {"keys": keys, "unregistered": "Deny", "values_of": ["tenant", "token", "junk"]}
    entries = [{"name": "audit", "type": "Audit"}, {"name": "headers", "type": "Headers"}]
    done = run_program(
        program, folder, environment=pod_environment(tmp_path, collector.url, interceptors=entries, headers=rules)
    )

    assert done.returncode == 0, done.stderr
    sums: dict[tuple[str | None, str | None], list[int]] = {}
    for row in collector.headers():
        found = sums.setdefault((row.topic, row.key), [0, 0, 0, 0])
        for at, count in enumerate((row.headers, row.removed, row.wrong_type, row.missing)):
            found[at] += count
    assert sums == {
        ("orders", "tenant"): [10, 0, 0, 0],
        ("orders", "token"): [10, 0, 10, 0],
        ("orders", "junk"): [10, 10, 0, 0],
        ("bare", "tenant"): [0, 0, 0, 1],
    }
    values = {(row.key, one.value): one.records for row in collector.headers() for one in row.values}
    assert set(values) == {("tenant", "eu")}
    assert {(row.client_id, row.side, row.attributes["team"]) for row in collector.headers()} == {
        ("shop", "producer", "shop")
    }
    seals = [row for row in collector.rows if isinstance(row, WindowSeal)]
    assert {seal.topic for seal in seals} == {"interceptions", "headers"}
    assert sum(seal.count for seal in seals) == len(collector.rows) - len(seals)
    totals = [one for head in collector.heads for total in head.totals for one in total.headers]
    assert sum(one.removed for one in totals) == 10
    assert sum(one.problems.get("missing", 0) for one in totals) == 1
    assert collector.heads[-1].state.ledger.delivered == len(collector.rows)
    assert "hunter2" not in "".join(map(repr, [*collector.rows, *collector.heads])) + done.stderr
