"""Acknowledged writes to the platform's topics: a batch is done when every in-sync replica has every record."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, Producer

from kwitness.collector.failures import UnavailableError
from kwitness.collector.sinks import kafka_client
from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.contracts.private_keys import PrivateKeyError
from kwitness.runtime.allowed_hosts import HostNotAllowedError
from kwitness.runtime.kafka_client import credential_files
from kwitness.runtime.reloading import times_of_change

_LOG = logging.getLogger(__name__)
_POLL_S: Final = 0.2
_STOP_S: Final = 5.0
_MAX_IN_FLIGHT: Final = 32 * 1024 * 1024
_MAX_PIECE: Final = 16 * 1024 * 1024
"""Bytes given to the producer at once by one batch: it refuses what goes beyond its own queue."""
_PERMANENT: Final = frozenset({KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_RECORD})
"""Errors of the record itself: writing it again cannot help."""
_TOO_LARGE: Final = KafkaError(KafkaError.MSG_SIZE_TOO_LARGE).name()


@dataclass(frozen=True, slots=True)
class Record:
    """One record to write."""

    topic: str
    key: bytes
    value: bytes
    headers: list[tuple[str, str | bytes | None]] | None = None


class _Batch:
    """Counts acknowledgements of one batch, which come from the poll thread and, when refused at once, the loop's."""

    def __init__(self, size: int, loop: asyncio.AbstractEventLoop) -> None:
        self.waiting = size
        self.failed: KafkaError | None = None
        self.permanent: dict[int, str] = {}
        self.done: asyncio.Future[None] = loop.create_future()
        self._loop = loop
        self._lock = threading.Lock()

    def acknowledge(self, index: int, error: KafkaError | None) -> None:
        if error is not None and error.code() in _PERMANENT:
            self.permanent[index] = error.name()
        elif error is not None:
            self.failed = error
        with self._lock:
            self.waiting -= 1
            finished = self.waiting == 0
        if finished:
            # The loop may be gone when the process ends while a write is under way.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._finish)

    def _finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


class TopicWriter:
    """Owns the producer and the thread that serves its callbacks; reconnects when a credential file changes."""

    def __init__(self, kafka: KafkaConnection, client_id: str) -> None:
        self._kafka = kafka
        self._client_id = client_id
        self._producer: Producer | None = None
        # Replaced, but batches still wait for their answers.
        self._replaced: list[Producer] = []
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="kafka-poll", daemon=True)
        self._in_flight = 0
        self._seen: tuple[int, ...] = ()
        self.trouble: str | None = None

    def start(self) -> None:
        """Connect and serve; a refused credential is a `trouble`, not an exception, since it can be repaired."""
        self._connect()
        self._thread.start()

    def refresh(self) -> None:
        """Reconnect if a file of the connection has changed, or if the producer is beyond repair."""
        if not self._stopping.is_set() and (self._producer is None or self._state() != self._seen):
            self._connect()

    def _state(self) -> tuple[int, ...]:
        return times_of_change(credential_files(self._kafka))

    def _connect(self) -> None:
        self._seen = self._state()
        if self._producer is not None:
            self._replaced.append(self._producer)
        try:
            self._producer = kafka_client.connect(kafka_client.settings(self._kafka, self._client_id))
        except (HostNotAllowedError, PrivateKeyError, OSError, KafkaException) as error:
            self._producer = None
            if self.trouble != str(error):
                _LOG.error("cannot write to Kafka", extra={"reason": type(error).__name__, "detail": str(error)})
            self.trouble = str(error)
            return
        self.trouble = None

    def _serve(self) -> None:
        # Also after the end, until nobody waits for an answer any more.
        while not self._stopping.is_set() or self._replaced:
            for replaced in list(self._replaced):
                self._poll(replaced, 0)
                if not len(replaced):
                    self._replaced.remove(replaced)
            producer = self._producer
            if producer is None:
                time.sleep(_POLL_S)
            else:
                self._poll(producer, _POLL_S)

    def _poll(self, producer: Producer, seconds: float) -> None:
        try:
            producer.poll(seconds)
        except KafkaException as fatal:
            self._abandon(producer, fatal.args[0])

    async def write(self, records: Sequence[Record]) -> dict[int, str]:
        """Write all records and wait for their acknowledgement; returns reasons by index of what can never be written.

        Raises
        ------
        UnavailableError
            If not all of them are in the topic. Some may be: the same batch will come again.
        """
        permanent: dict[int, str] = {}
        begin = 0
        for piece in _pieces(records):
            refused = await self._write_piece(piece)
            permanent |= {begin + index: reason for index, reason in refused.items()}
            begin += len(piece)
        return permanent

    async def _write_piece(self, records: Sequence[Record]) -> dict[int, str]:
        producer = self._producer
        if producer is None:
            raise UnavailableError("KafkaUnavailable", f"cannot write to Kafka: {self.trouble}")
        size = sum(len(record.value) for record in records)
        if self._in_flight and self._in_flight + size > _MAX_IN_FLIGHT:
            raise UnavailableError("Overloaded", "more is being written to Kafka than the collector holds in memory")
        self._in_flight += size
        try:
            return await self._write(producer, records)
        finally:
            self._in_flight -= size

    async def _write(self, producer: Producer, records: Sequence[Record]) -> dict[int, str]:
        batch = _Batch(len(records), asyncio.get_running_loop())
        for index, record in enumerate(records):
            try:
                producer.produce(
                    record.topic,
                    record.value,
                    record.key,
                    headers=record.headers,
                    on_delivery=_callback(batch, index),
                )
            except BufferError:
                batch.acknowledge(index, KafkaError(KafkaError._QUEUE_FULL))  # noqa: SLF001 - a public constant
            except KafkaException as refusal:
                batch.acknowledge(index, refusal.args[0])
        await batch.done
        if batch.failed is not None:
            self._note(batch.failed)
            raise UnavailableError("KafkaUnavailable", f"Kafka did not take the batch: {batch.failed.name()}")
        if len(records) == 1:
            return batch.permanent
        # The broker refuses all records that travelled together: which of them is too large shows one by one.
        alone = [index for index, reason in batch.permanent.items() if reason == _TOO_LARGE]
        for index in alone:
            del batch.permanent[index]
            refused = await self._write(producer, [records[index]])
            if refused:
                batch.permanent[index] = refused[0]
        return batch.permanent

    def _note(self, error: KafkaError) -> None:
        if error.fatal() or error.code() == KafkaError._FATAL:  # noqa: SLF001 - a public constant
            self._abandon(self._producer, error)

    def _abandon(self, producer: Producer | None, error: KafkaError) -> None:
        """Give up a producer that cannot go on (a right was missing, its place was lost); `refresh` makes a new one.

        The batch comes again from its sender.
        """
        if producer is not None and producer is self._producer:
            self._replaced.append(producer)
            self._producer = None
            self.trouble = f"the producer is beyond repair ({error.name()}); reconnecting"
            _LOG.warning("the producer is beyond repair; reconnecting", extra={"reason": error.name()})

    def stop(self) -> None:
        """Wait a little for what is under way, give back what is not done by then, and end the thread."""
        if self._producer is not None:
            self._replaced.append(self._producer)
        self._producer, self.trouble = None, "the connection has ended"
        self._stopping.set()
        deadline = time.monotonic() + _STOP_S
        for producer in list(self._replaced):
            with contextlib.suppress(KafkaException):
                producer.flush(max(0.0, deadline - time.monotonic()))
            # Whoever waits for an answer gets one: the batch failed, and its sender sends it again.
            producer.purge()
            with contextlib.suppress(KafkaException):
                producer.flush(_POLL_S)
        self._thread.join(_STOP_S)


def _pieces(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    begin = size = 0
    for index, record in enumerate(records):
        if index > begin and size + len(record.value) > _MAX_PIECE:
            yield records[begin:index]
            begin, size = index, 0
        size += len(record.value)
    if records:
        yield records[begin:]


def _callback(batch: _Batch, index: int) -> Any:
    def delivered(error: KafkaError | None, _: object) -> None:
        batch.acknowledge(index, error)

    return delivered
