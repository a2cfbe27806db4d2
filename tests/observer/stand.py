"""A cluster, the observer before it, and a tap on both of its sides."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

from kwitness.e2e.kafka.local_broker import LocalCluster

from tests.eventually import eventually
from tests.observer.conversations import Comparison, Read, compared
from tests.observer.events_server import EventsServer
from tests.observer.observer_process import ObserverProcess
from tests.observer.tap import Recording, Tap

CLIENTS_HOST: Final = "127.0.4.1"
"""Where clients are sent."""
BROKER_HOSTS: Final = ("127.0.3.1", "127.0.3.2")
"""Where brokers say that they are."""

PARTITIONS: Final = 3
OVERRIDES: Final = {
    "num.partitions": f"{PARTITIONS}",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "3",
}


class Stand:
    """Clients reach a tap, the tap the observer, the observer a second tap, and that the brokers; a context manager.

    Brokers advertise the second tap, so it has a recording of each connection to an advertised address, whoever made
    it.

    Parameters
    ----------
    program
        The observer.
    folder
        For its settings and log; empty.
    version
        Kafka's.
    size
        How many brokers, one or two.
    """

    def __init__(self, program: Path, folder: Path, *, version: str, size: int) -> None:
        self._exits = contextlib.ExitStack()
        self.version = version
        hosts = BROKER_HOSTS[:size]
        self.cluster = LocalCluster(size, version, clients_hosts=hosts, overrides=OVERRIDES)
        ports = [broker.clients_port or 0 for broker in self.cluster.brokers]
        advertised = list(zip(hosts, ports, strict=True))
        self.real_addresses = {node: {address} for node, address in enumerate(advertised, start=1)}
        self._outside = Tap({(host, port): ("127.0.0.1", port) for host, port in advertised})
        self.server = EventsServer()
        token = folder / "token"
        token.write_text("token")
        self.observer = ObserverProcess(
            program,
            folder,
            bootstrap=",".join(f"{host}:{port}" for host, port in advertised),
            nodes=tuple(broker.node_id for broker in self.cluster.brokers),
            changes={"collector": {"url": self.server.url, "replicas": 1, "ca_file": None, "token_file": str(token)}},
        )
        self.observer.set("listener", {**self.observer.settings["listener"], "advertised_host": CLIENTS_HOST})
        self._inside = Tap({(CLIENTS_HOST, port): ("127.0.0.1", port) for port in self.observer.ports})
        self._seen = 0, 0

    @property
    def bootstrap(self) -> str:
        """Where clients begin."""
        return f"{CLIENTS_HOST}:{self.observer.settings['listener']['bootstrap_port']}"

    @property
    def addresses(self) -> dict[int, set[tuple[str, int]]]:
        """Where clients have to be told that nodes are."""
        nodes = self.observer.settings["listener"]["brokers"]
        return {int(node): {(CLIENTS_HOST, port)} for node, port in nodes.items()}

    def create(self, topic: str) -> None:
        """Create a topic."""
        create_topic(self.cluster.bootstrap, topic)

    def compared(self, read: Read) -> Comparison:
        """Hold both sides of all connections against each other that were opened since the last time and have ended."""
        eventually(lambda: [one for side in self._news() for one in side if one.is_open], lambda left: not left)
        inside, outside = self._news()
        self._seen = self._seen[0] + len(inside), self._seen[1] + len(outside)
        return compared(inside, outside, read)

    def rows(self, **members: Any) -> list[dict[str, Any]]:
        """Rows that have these members."""
        return [row for row in list(self.server.rows) if members.items() <= row.items()]

    def _news(self) -> tuple[Sequence[Recording], Sequence[Recording]]:
        return self._inside.recordings[self._seen[0] :], self._outside.recordings[self._seen[1] :]

    def __enter__(self) -> Self:
        with self._exits as exits:
            for one in (self.cluster, self.server, self._outside, self.observer, self._inside):
                exits.enter_context(one)
            self._exits = exits.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exits.__exit__(kind, error, trace)


def create_topic(bootstrap: str, topic: str) -> None:
    """Create a topic, and wait until brokers know what they lead: before, they refuse records, or lose them."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(topic, PARTITIONS, 1)])[topic].result()
    eventually(lambda: _is_led(admin, topic))


def _is_led(admin: AdminClient, topic: str) -> bool:
    ends = {TopicPartition(topic, number): OffsetSpec.latest() for number in range(PARTITIONS)}
    try:
        for end in admin.list_offsets(ends).values():
            end.result()
    except KafkaException:
        return False
    return True
