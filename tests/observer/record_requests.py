"""Writes down what an observer tells of real clients, request by request, for the test kit of observers' classes.

Usage: `python -m tests.observer.record_requests`. An administrator, a producer and a consumer go through an observer to
a broker, each by a user of its own.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.contracts.topics import REQUESTS_SCHEMA
from kwitness.e2e.kafka.listeners import Listener
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.observer.testing import RECORDED

from tests.eventually import deliver
from tests.observer.events_server import EventsServer
from tests.observer.librdkafka import consume_by_librdkafka
from tests.observer.observer_process import ObserverProcess, built_observer
from tests.observer.sign_in import SignIn

TOPIC: Final = "orders"
ADMINISTRATOR, PRODUCER, CONSUMER = "alice", "checkout", "billing"
USERS: Final = {name: f"{name}-secret" for name in ("admin", ADMINISTRATOR, PRODUCER, CONSUMER)}
APIS: Final = ("CreateTopics", "Fetch", "Metadata", "Produce")
"""Those whose fields are told."""
REQUESTS: Final = ({0: 3, 1: 1}, {0: 3, 1: 5}, {1: 5})
"""How many records the producer sends to which partition, before each time that it waits."""


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as folder:
        rows = recorded(built_observer(), Path(folder))
    RECORDED.write_text("".join(f"{json.dumps(row, separators=(',', ':'))}\n" for row in rows))
    print(f"wrote {RECORDED.name}: {len(rows)} events", file=sys.stderr)  # noqa: T201


def recorded(program: Path, folder: Path) -> list[dict[str, Any]]:
    """Rows of ``kwitness.requests``, in the order in which they were told."""
    listener = Listener.SASL_PLAINTEXT_PLAIN
    with LocalBroker(listeners=[listener], users=USERS) as broker, EventsServer() as server:
        token = folder / "token"
        token.write_text("token")
        changes = {
            "report": {
                "connections": False,
                "traffic": False,
                "latency": False,
                "requests": {"apis": APIS, "events_per_second": 10_000},
            },
            "collector": {"url": server.url, "replicas": 1, "ca_file": None, "token_file": str(token)},
        }
        bootstrap = broker.bootstrap_of(listener)
        with ObserverProcess(
            program, folder, bootstrap=bootstrap, nodes=(broker.node_id,), changes=changes
        ) as observer:
            administrate(observer.bootstrap)
            produce(observer.bootstrap)
            total = sum(count for request in REQUESTS for count in request.values())
            consume_by_librdkafka(observer.bootstrap, TOPIC, total, **as_user(CONSUMER), **{"group.id": CONSUMER})
        # It has told everything when it has ended.
        return [row for row in server.rows if row["schema"] == REQUESTS_SCHEMA]


def as_user(user: str) -> dict[str, Any]:
    """librdkafka's settings."""
    return {"client.id": user, **SignIn(user, USERS[user], "PLAIN").librdkafka()}


def administrate(bootstrap: str) -> None:
    """Create the topic, and again, which is refused."""
    admin = AdminClient({"bootstrap.servers": bootstrap, **as_user(ADMINISTRATOR)})
    wanted = [NewTopic(TOPIC, 2, 1)]
    admin.create_topics(wanted)[TOPIC].result()
    assert admin.create_topics(wanted)[TOPIC].exception() is not None


def produce(bootstrap: str) -> None:
    """Send the records, and wait for the broker after each request."""
    producer = Producer({"bootstrap.servers": bootstrap, **as_user(PRODUCER)})
    for request in REQUESTS:
        for partition, count in request.items():
            for number in range(count):
                producer.produce(TOPIC, key=f"{number}", value=f"order {number}", partition=partition)
        deliver(producer)


if __name__ == "__main__":
    main()
