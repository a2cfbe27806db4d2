"""Interceptors in aiokafka's producers and consumers; hooks run on the event loop, and await nothing."""

from __future__ import annotations

import sys
from asyncio import CancelledError
from contextvars import ContextVar
from time import perf_counter
from types import ModuleType
from typing import Any, Optional

from kwitness_interceptors.chain import ConsumerChain, ProducerChain
from kwitness_interceptors.connecting import connect_by_arguments
from kwitness_interceptors.made_chains import close_with, consumer_chain, producer_chain
from kwitness_interceptors.records import RecordMetadata

from .confluent_delivery import size_of
from .hooked_classes import CHAIN, Method, derived, in_place
from .python_records import (
    DESERIALIZES,
    changed_arguments,
    committed,
    consumed,
    deserializes,
    not_committed,
    producer_record,
    separated,
)
from .refused_headers import refuses_headers, without_added

__all__ = ["intercept_consumers", "intercept_producers", "intercepted_class"]

_SEND = ("value", "key", "partition", "timestamp_ms", "headers")
_CLIENT_ID = "aiokafka"

_SENDING: ContextVar[Optional[_Outcome]] = ContextVar("kwitness_sending", default=None)
"""The record whose `send` is under way in this task: its sizes are known once it is serialized."""


def intercept_producers(module: ModuleType) -> None:
    """Give `AIOKafkaProducer` hooks, in place."""
    in_place(module.AIOKafkaProducer, _producer_hooks(module.AIOKafkaProducer))


def intercept_consumers(module: ModuleType) -> None:
    """Give `AIOKafkaConsumer` hooks, in place."""
    in_place(module.AIOKafkaConsumer, _consumer_hooks(module.AIOKafkaConsumer))


def intercepted_class(kind: type) -> Optional[type]:
    """Derive a class with hooks from one of aiokafka's, or the application's own; None where it is neither."""
    package = sys.modules.get("aiokafka")
    if issubclass(kind, getattr(package, "AIOKafkaProducer", ())):
        return derived(kind, _producer_hooks(kind))
    if issubclass(kind, getattr(package, "AIOKafkaConsumer", ())):
        return derived(kind, _consumer_hooks(kind))
    return None


class _Outcome:
    """Tells the chain what became of one record."""

    __slots__ = ("_chain", "_partition", "_started", "_topic", "headers", "key_size", "value_size")

    def __init__(self, chain: ProducerChain, topic: str, partition: Optional[int]) -> None:
        self._chain = chain
        self._topic = topic
        self._partition = partition if isinstance(partition, int) else -1
        self._started = perf_counter()
        self.key_size = self.value_size = -1
        self.headers: Optional[list[Any]] = None

    def serialized(self, key: Any, value: Any) -> None:
        """Note the sizes, and add the headers that the record gets once its bytes are known."""
        self.key_size, self.value_size = size_of(key), size_of(value)
        if self.headers is not None:
            added = self._chain.serialized(self._topic, key, value, self.headers)
            self.headers.extend((one.key, one.value) for one in added)

    def done(self, future: Any) -> None:
        if future.cancelled():
            self.failed(CancelledError())
            return
        # `exception()` would keep asyncio from saying that nobody has asked for it.
        error = future._exception if hasattr(future, "_exception") else future.exception()  # noqa: SLF001
        if error is not None:
            self.failed(error)
        else:
            self.acknowledged(future.result())

    def acknowledged(self, theirs: Any, ahead: int = 0) -> None:
        """Tell of the record that is `ahead` offsets after the one in the client's metadata."""
        offset, timestamp = theirs.offset, theirs.timestamp
        metadata = RecordMetadata(
            theirs.topic,
            theirs.partition,
            offset + ahead if offset is not None and offset >= 0 else -1,
            -1 if timestamp is None else timestamp,
            self.key_size,
            self.value_size,
            None,
            perf_counter() - self._started,
        )
        self._chain.on_acknowledgement(metadata, None)

    def failed(self, error: BaseException) -> None:
        elapsed = perf_counter() - self._started
        metadata = RecordMetadata(self._topic, self._partition, -1, -1, self.key_size, self.value_size, None, elapsed)
        self._chain.on_acknowledgement(metadata, error)


class _BatchOutcome(_Outcome):
    """Tells the chain what became of each record of a batch."""

    __slots__ = ("_count",)

    def __init__(self, chain: ProducerChain, topic: str, partition: Optional[int], count: int) -> None:
        super().__init__(chain, topic, partition)
        self._count = count

    def acknowledged(self, theirs: Any, ahead: int = 0) -> None:
        for number in range(self._count):
            super().acknowledged(theirs, ahead + number)

    def failed(self, error: BaseException) -> None:
        for _ in range(self._count):
            super().failed(error)


def _producer_hooks(base: Any) -> dict[str, Method]:
    return {
        "__init__": _constructing_producer(base.__init__),
        "send": _sending(base.send),
        "_serialize": _serializing(base._serialize),  # noqa: SLF001 - sizes are nowhere else
        "send_batch": _sending_batch(base.send_batch),
        "stop": _closing(base.stop),
    }


def _constructing_producer(construct: Method) -> Method:
    def intercepted_init(self: Any, **configs: Any) -> None:
        client, config = separated(configs, _CLIENT_ID)
        connect_by_arguments(client)
        construct(self, **client)
        # Where none is configured it is numbered by the client.
        client_id = getattr(self.client, "_client_id", None) or config.whole["client.id"]
        chain = producer_chain(config.classes, {**config.whole, "client.id": client_id})
        setattr(self, CHAIN, chain)
        if chain is not None:
            close_with(self, chain)

    return intercepted_init


def _sending(send: Method) -> Method:
    async def intercepted_send(self: Any, topic: Any, *args: Any, **kwargs: Any) -> Any:
        chain: Optional[ProducerChain] = getattr(self, CHAIN, None)
        given = {**dict(zip(_SEND, args)), **kwargs}
        record = producer_record(topic, given) if chain is not None and len(args) <= len(_SEND) else None
        if chain is None or record is None:
            return await send(self, topic, *args, **kwargs)
        sent = chain.on_send(record)
        outcome = _Outcome(chain, topic, sent.partition)
        arguments = changed_arguments(given, record, sent)
        if chain.wants_serialized:
            # The client keeps this list until it has the bytes.
            arguments["headers"] = outcome.headers = list(arguments.get("headers") or ())
        token = _SENDING.set(outcome)
        try:
            try:
                future = await send(self, topic, **arguments)
            except Exception as error:
                fallback = without_added(sent.headers)
                if (fallback is None and not chain.wants_serialized) or not refuses_headers(error):
                    raise
                arguments["headers"] = list(sent.headers) if fallback is None else fallback
                outcome.headers = None
                future = await send(self, topic, **arguments)
                chain.left_out(topic, "headers_refused")
        except BaseException as error:
            outcome.failed(error)
            raise
        finally:
            _SENDING.reset(token)
        future.add_done_callback(outcome.done)
        return future

    return intercepted_send


def _serializing(serialize: Method) -> Method:
    # aiokafka 0.12 passes topic, key and value, 0.14 passes key, value and headers.
    def intercepted_serialize(self: Any, *given: Any) -> Any:
        serialized = serialize(self, *given)
        outcome = _SENDING.get()
        if outcome is not None:
            outcome.serialized(serialized[0], serialized[1])
        return serialized

    return intercepted_serialize


def _sending_batch(send_batch: Method) -> Method:
    async def intercepted_send_batch(self: Any, batch: Any, topic: Any, *, partition: Any) -> Any:
        chain: Optional[ProducerChain] = getattr(self, CHAIN, None)
        if chain is None:
            return await send_batch(self, batch, topic, partition=partition)
        count = batch.record_count()
        chain.on_send_batch(topic, partition, count)
        outcome = _BatchOutcome(chain, topic, partition, count)
        try:
            future = await send_batch(self, batch, topic, partition=partition)
        except BaseException as error:
            outcome.failed(error)
            raise
        future.add_done_callback(outcome.done)
        return future

    return intercepted_send_batch


def _consumer_hooks(base: Any) -> dict[str, Method]:
    construct, start, stop, getone, getmany = base.__init__, base.start, base.stop, base.getone, base.getmany

    def intercepted_init(self: Any, *topics: Any, **configs: Any) -> None:
        client, config = separated(configs, _CLIENT_ID)
        connect_by_arguments(client)
        construct(self, *topics, **client)
        setattr(self, DESERIALIZES, deserializes(client))
        client_id = getattr(self._client, "_client_id", None) or config.whole["client.id"]
        chain = consumer_chain(config.classes, {**config.whole, "client.id": client_id})
        setattr(self, CHAIN, chain)
        if chain is not None:
            close_with(self, chain)

    async def intercepted_start(self: Any) -> None:
        await start(self)
        chain: Optional[ConsumerChain] = getattr(self, CHAIN, None)
        coordinator = getattr(self, "_coordinator", None)
        if chain is not None and coordinator is not None and hasattr(coordinator, "_do_commit_offsets"):
            coordinator._do_commit_offsets = _telling(chain, coordinator._do_commit_offsets)  # noqa: SLF001 - all commits

    async def intercepted_getone(self: Any, *partitions: Any) -> Any:
        chain: Optional[ConsumerChain] = getattr(self, CHAIN, None)
        while True:
            record = await getone(self, *partitions)
            if chain is None:
                return record
            kept = _kept(self, chain, {None: [record]})
            if kept:
                return kept[None][0]

    async def intercepted_getmany(self: Any, *partitions: Any, **kwargs: Any) -> Any:
        records = await getmany(self, *partitions, **kwargs)
        chain: Optional[ConsumerChain] = getattr(self, CHAIN, None)
        return records if chain is None or not records else _kept(self, chain, records)

    return {
        "__init__": intercepted_init,
        "start": intercepted_start,
        "getone": intercepted_getone,
        "getmany": intercepted_getmany,
        "stop": _closing(stop),
    }


def _kept(consumer: Any, chain: ConsumerChain, records: Any) -> dict[Any, list[Any]]:
    return consumed(chain, records, known=not getattr(consumer, DESERIALIZES, True))


def _telling(chain: ConsumerChain, commit: Method) -> Method:
    async def told(assignment: Any, offsets: Any) -> Any:
        try:
            result = await commit(assignment, offsets)
        except Exception as error:
            # The others it tries again.
            if not getattr(error, "retriable", False):
                not_committed(chain, offsets, error)
            raise
        committed(chain, offsets)
        return result

    return told


def _closing(original: Method) -> Method:
    async def stop(self: Any) -> Any:
        try:
            return await original(self)
        finally:
            chain = getattr(self, CHAIN, None)
            if chain is not None:
                chain.close()

    return stop
