"""Reads kwitness.requests in a consumer group, and commits what was handed on, whatever observers do."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Sequence
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from pydantic import ValidationError

from kwitness.contracts.observer_host_config import ObserverHostConfig
from kwitness.contracts.private_keys import PrivateKeyError
from kwitness.contracts.records.requests import RequestEvent
from kwitness.observer.host.crew import Crew
from kwitness.observer.ordering import Arrival, Ordering
from kwitness.runtime.allowed_hosts import HostNotAllowedError
from kwitness.runtime.kafka_client import connection_settings, credential_files, librdkafka_log
from kwitness.runtime.reloading import times_of_change

__all__ = ["Reader"]

_BATCH: Final = 200
_POLL_S: Final = 0.2
_COMMIT_EVERY_S: Final = 2.0
_CONNECT_EVERY_S: Final = 3.0
_LOG_EVERY_S: Final = 60.0

_LOG = logging.getLogger(__name__)
_CLIENT_LOG: Final = librdkafka_log("kwitness.observer.librdkafka")


class Reader:
    """Owns the consumer; `run` is the loop of one thread."""

    def __init__(self, config: ObserverHostConfig, crew: Crew, client_id: str) -> None:
        self._config = config
        self._crew = crew
        self._client_id = client_id
        self._ordering = Ordering()
        self._consumer: Consumer | None = None
        self._connected_at = float("-inf")
        self._committed_at = time.monotonic()
        self._read: dict[int, int] = {}
        """By partition, the offset after the last record that was read."""
        self._stopping = threading.Event()
        self._files: tuple[int, ...] = ()
        self._malformed_at = float("-inf")
        self._failure: str | None = None
        self._joined = False
        self.ordered = 0
        self.malformed = 0
        self.lag: int | None = None
        """Records of its partitions that have not been read; None while it has none."""

    @property
    def trouble(self) -> str | None:
        """Why the topic is not read, in one line; None when it is."""
        if self._failure is None and not self._joined:
            return f"the consumer group {self._config.group} has not been joined yet"
        return self._failure

    @property
    def missing(self) -> int:
        """Events that never came, by the numbers around them."""
        return self._ordering.missing

    @property
    def repeated(self) -> int:
        """Events that came again or too late."""
        return self._ordering.repeated

    @property
    def waiting(self) -> int:
        """Events that wait for earlier ones of their connection."""
        return self._ordering.waiting

    def stop(self) -> None:
        """End the loop: what was read is handed on, and committed."""
        self._stopping.set()

    def run(self) -> None:
        """Read until `stop`."""
        while not self._stopping.is_set():
            self._refresh()
            consumer = self._consumer
            if consumer is None:
                self._stopping.wait(_POLL_S)
            elif self._crew.has_room:
                self._take(consumer.consume(_BATCH, _POLL_S))
            else:
                self._stand_by(consumer)
            self._hand_on(self._ordering.expire(time.monotonic()))
            if time.monotonic() - self._committed_at > _COMMIT_EVERY_S:
                self._commit(wait=False)
                self._look_again()
                self.lag = self._behind()
        self._hand_on(self._ordering.drain())
        self._disconnect()

    def _refresh(self) -> None:
        """Connect where nothing is connected, and again when a file of the connection has changed."""
        now = time.monotonic()
        if now - self._connected_at < _CONNECT_EVERY_S:
            return
        if self._consumer is None or self._state() != self._files:
            self._connected_at = now
            self._connect()

    def _state(self) -> tuple[int, ...]:
        return times_of_change(credential_files(self._config.kafka))

    def _connect(self) -> None:
        self._files = self._state()
        self._disconnect()
        try:
            consumer = Consumer(self._settings(), logger=_CLIENT_LOG)
            consumer.subscribe([self._config.topic], on_assign=self._assigned, on_revoke=self._revoked)
        except (HostNotAllowedError, PrivateKeyError, OSError, KafkaException) as error:
            self._troubled(f"cannot read from Kafka: {error}")
            return
        self._consumer = consumer

    def _settings(self) -> dict[str, Any]:
        return {
            **connection_settings(self._config.kafka),
            "client.id": self._client_id,
            "client.software.name": "kwitness-observer-host",
            "group.id": self._config.group,
            "enable.auto.commit": False,
            # What was observed before the host came is observed as well.
            "auto.offset.reset": "earliest",
            "queued.min.messages": 1_000,
            "queued.max.messages.kbytes": 16 * 1024,
            "error_cb": self._failed,
        }

    def _failed(self, error: KafkaError) -> None:
        self._troubled(_explained(error, self._config))

    def _troubled(self, text: str) -> None:
        if self._failure != text:
            _LOG.error("Requests cannot be read", extra={"detail": text})
        self._failure = text

    def _look_again(self) -> None:
        """After a failure, ask whether it has passed: where no records come, nothing else would tell."""
        if self._consumer is None or self._failure is None:
            return
        with contextlib.suppress(KafkaException):
            found = self._consumer.list_topics(self._config.topic, timeout=1.0).topics[self._config.topic]
            if found.error is None:
                self._failure = None

    def _behind(self) -> int | None:
        consumer = self._consumer
        if consumer is None or not self._read:
            return None
        behind = 0
        for partition, after in self._read.items():
            # Never from another thread: it would wait for this one, which waits for Python's lock.
            with contextlib.suppress(KafkaException):
                ends = consumer.get_watermark_offsets(TopicPartition(self._config.topic, partition), cached=True)
                behind += max(0, ends[1] - after) if ends is not None else 0
        return behind

    def _assigned(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        del consumer
        self._joined, self._failure = True, None
        self._read.clear()
        _LOG.info("Partitions", extra={"count": len(partitions)})

    def _revoked(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Leave partitions to others, who read from what is committed; what is held back is before that for them."""
        self._commit(wait=True, consumer=consumer)
        for one in partitions:
            self._read.pop(one.partition, None)
            self._ordering.forget(one.partition)

    def _stand_by(self, consumer: Consumer) -> None:
        """Stay in the group without reading: the quickest observer is behind."""
        assigned = consumer.assignment()
        # A partition may be revoked at any time, and cannot be paused or resumed then.
        with contextlib.suppress(KafkaException):
            consumer.pause(assigned)
        message = consumer.poll(_POLL_S)
        if message is not None:
            self._take([message])
        with contextlib.suppress(KafkaException):
            consumer.resume([one for one in consumer.assignment() if one in assigned])

    def _take(self, messages: Sequence[Message]) -> None:
        now = time.monotonic()
        for message in messages:
            error = message.error()
            if error is not None:
                self._failed(error)
                if error.fatal():
                    self._disconnect()
                    return
                continue
            self._failure = None
            partition, offset = message.partition() or 0, message.offset() or 0
            self._read[partition] = offset + 1
            value = message.value() or b""
            try:
                event = RequestEvent.model_validate_json(value)
            except ValidationError as refusal:
                self._note_malformed(refusal, partition, offset)
                continue
            self._hand_on(self._ordering.take(Arrival(event, partition, offset, len(value)), now))

    def _note_malformed(self, error: ValidationError, partition: int, offset: int) -> None:
        self.malformed += 1
        now = time.monotonic()
        if now - self._malformed_at >= _LOG_EVERY_S:
            self._malformed_at = now
            issue = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(map(str, issue["loc"])) or "value"
            _LOG.warning(
                "A record is no request event and is left out",
                extra={"partition": partition, "offset": offset, "place": place, "detail": issue["msg"]},
            )

    def _hand_on(self, arrivals: Sequence[Arrival]) -> None:
        self.ordered += len(arrivals)
        self._crew.offer(arrivals)

    def _commit(self, *, wait: bool, consumer: Consumer | None = None) -> None:
        self._committed_at = time.monotonic()
        consumer = consumer or self._consumer
        floors = self._ordering.floors()
        done = [
            TopicPartition(self._config.topic, partition, min(after, floors.get(partition, after)))
            for partition, after in self._read.items()
        ]
        if consumer is None or not done:
            return
        try:
            if wait:
                consumer.commit(offsets=done, asynchronous=False)
            else:
                consumer.commit(offsets=done, asynchronous=True)
        except KafkaException as error:
            # What is read again is seen again; the next commit covers this one.
            _LOG.warning("Offsets could not be committed", extra={"reason": error.args[0].name()})

    def _disconnect(self) -> None:
        consumer, self._consumer = self._consumer, None
        if consumer is None:
            return
        self._commit(wait=True, consumer=consumer)
        with contextlib.suppress(KafkaException, RuntimeError):
            consumer.close()


def _explained(error: KafkaError, config: ObserverHostConfig) -> str:
    name = error.name()
    if error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
        return (
            f"there is no topic {config.topic} ({name}): let an ObserverDeployment of this cluster have an observer of"
            " type Requests"
        )
    if error.code() in {KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.GROUP_AUTHORIZATION_FAILED}:
        return (
            f"Kafka does not allow reading ({name}): give the user Read and Describe on topic {config.topic}, and Read"
            f" on group {config.group}"
        )
    return f"cannot read from Kafka: {name}"
