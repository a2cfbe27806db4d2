"""Where generated events go: lines of a file, or the topics of a Kafka that is there for tests."""

from __future__ import annotations

import base64
import contextlib
import ipaddress
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from kwitness.answers.failure import CommandFailedError
from kwitness.cli.fleet import FleetRecord
from kwitness.contracts.topics import CONNECTIONS, SEALS, TELEMETRY, TRAFFIC, topic_name

if TYPE_CHECKING:
    from confluent_kafka import KafkaError

__all__ = ["FileDestination", "KafkaDestination", "line_of"]

_ANSWER_S = 10.0
_DELIVERY_S = 60.0
_SETTINGS = {
    "client.id": "kwitness-generate",
    "enable.idempotence": True,  # in order, and once
    "linger.ms": 20,
    "compression.type": "lz4",
    "message.timeout.ms": int(_DELIVERY_S * 1000),
    "log_level": 2,  # what is wrong is said once, by us
}


def line_of(record: FleetRecord) -> str:
    """Return a record as JSON: `value` is text, null, or in `value_base64` where it is no text."""
    shown: dict[str, Any] = {
        "topic": record.kind,
        "timestamp_ms": record.timestamp_ms,
        "key": record.key.decode(),
        "headers": {name: value.decode() for name, value in record.headers},
    }
    try:
        shown["value"] = None if record.value is None else record.value.decode()
    except UnicodeDecodeError:
        shown["value_base64"] = base64.b64encode(record.value or b"").decode()
    return json.dumps(shown, ensure_ascii=False)


class FileDestination:
    """A file, or the standard output as `-`."""

    def __init__(self, name: str) -> None:
        self.name = "the standard output" if name == "-" else name
        self._file = None if name == "-" else Path(name)

    def write(self, records: Iterable[FleetRecord]) -> int:
        """Write all records; the result is how many there were.

        Raises
        ------
        CommandFailedError
            The file cannot be written.
        """
        number = 0
        try:
            with self._opened() as file:
                for record in records:
                    number += 1
                    file.write(f"{line_of(record)}\n")
                file.flush()
        except OSError as error:
            raise CommandFailedError(
                f"{self.name} cannot be written ({error.strerror}): choose another file"
            ) from error
        return number

    @contextlib.contextmanager
    def _opened(self) -> Iterator[TextIO]:
        if self._file is None:
            yield sys.stdout
            return
        with self._file.open("w", encoding="utf-8") as file:
            yield file


class KafkaDestination:
    """The platform's topics, which must be there. Kafkas elsewhere than on this machine must be meant."""

    def __init__(self, bootstrap: str, prefix: str, *, may_be_anywhere: bool, has_pushes: bool = False) -> None:
        self.name = bootstrap
        self._prefix = prefix
        self._may_be_anywhere = may_be_anywhere
        self._kinds = (TRAFFIC, CONNECTIONS, SEALS, *((TELEMETRY,) if has_pushes else ()))
        self._refused: KafkaError | None = None

    def write(self, records: Iterable[FleetRecord]) -> int:
        """Write all records, and wait until brokers have them; the result is how many there were.

        Raises
        ------
        CommandFailedError
            The Kafka is not to be written to, does not answer, lacks a topic, or did not take a record.
        """
        try:
            from confluent_kafka import KafkaException, Producer  # noqa: PLC0415 - for this alone
        except ImportError as error:
            raise CommandFailedError(
                "confluent-kafka, which writes to Kafka, is not installed: `pip install confluent-kafka`, or --output"
            ) from error
        self._refuse_others(self._hosts(), "--bootstrap names")
        try:
            producer = Producer({**_SETTINGS, "bootstrap.servers": self.name})
            known = producer.list_topics(timeout=_ANSWER_S)
        except KafkaException as error:
            raise CommandFailedError(f"{self.name} does not answer ({error.args[0].str()}): is it a Kafka?") from error
        # Loopback may be a tunnel to anywhere.
        self._refuse_others([broker.host for broker in known.brokers.values()], "the brokers there are on")
        topics = {kind: topic_name(self._prefix, kind) for kind in self._kinds}
        if missing := sorted(set(topics.values()) - known.topics.keys()):
            raise CommandFailedError(
                f"{self.name} has no topic {', '.join(missing)}: create what is missing, or name the topics' --prefix"
            )
        number = 0
        for record in records:
            number += 1
            self._produce(producer, topics[record.kind], record)
            if self._refused is not None:
                break
        waiting = producer.flush(_DELIVERY_S)
        if self._refused is not None:
            raise CommandFailedError(f"{self.name} did not take a record ({self._refused.str()}): see the broker's log")
        if waiting:
            raise CommandFailedError(f"{self.name} did not take {waiting} records within {_DELIVERY_S:.0f} s")
        return number

    def _produce(self, producer: Any, topic: str, record: FleetRecord) -> None:
        headers = list(record.headers)
        while True:
            try:
                producer.produce(
                    topic,
                    record.value,
                    record.key,
                    headers=headers,
                    timestamp=record.timestamp_ms,
                    on_delivery=self._delivered,
                )
            except BufferError:
                producer.poll(0.1)
                continue
            producer.poll(0)
            return

    def _delivered(self, error: KafkaError | None, _: object) -> None:
        if error is not None and self._refused is None:
            self._refused = error

    def _hosts(self) -> list[str]:
        hosts = []
        for address in self.name.split(","):
            host, separator, port = address.strip().rpartition(":")
            if not separator or not host or not port.isdecimal():
                raise CommandFailedError(f"{address.strip() or self.name} is no HOST:PORT")
            hosts.append(host.strip("[]"))
        return hosts

    def _refuse_others(self, hosts: Iterable[str], what: str) -> None:
        others = sorted({host for host in hosts if not _is_loopback(host)})
        if others and not self._may_be_anywhere:
            raise CommandFailedError(
                f"{what} {', '.join(others)}, which is not this machine: invented events do harm among true ones; "
                "if they are wanted there, --yes-this-is-a-test-cluster"
            )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
