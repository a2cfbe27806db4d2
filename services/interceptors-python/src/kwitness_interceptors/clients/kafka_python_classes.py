"""Interceptors in kafka-python's producers and consumers, whose methods are replaced in place or in a derived class.

Its own iteration is shown record by record, for it moves the position as it hands them over.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextvars import ContextVar
from time import perf_counter
from types import ModuleType
from typing import Any, Optional

from kwitness_interceptors.chain import ConsumerChain, ProducerChain
from kwitness_interceptors.connecting import connect_by_arguments
from kwitness_interceptors.made_chains import close_with, consumer_chain, producer_chain
from kwitness_interceptors.records import ProducerRecord, RecordMetadata

from .hooked_classes import CHAIN, Method, closing, derived, in_place
from .python_records import (
    DESERIALIZES,
    SEND,
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

_ON_COMMIT = "default_offset_commit_callback"
_KEY_AND_VALUE = 2
_UPDATES_OFFSETS = 2
"""Place of `update_offsets` among the arguments of `poll`."""


def intercept_producers(module: ModuleType) -> None:
    """Give `KafkaProducer` hooks, in place."""
    in_place(module.KafkaProducer, _producer_hooks(module.KafkaProducer))


def intercept_consumers(module: ModuleType) -> None:
    """Give `KafkaConsumer` hooks, in place."""
    in_place(module.KafkaConsumer, _consumer_hooks(module.KafkaConsumer))


def intercepted_class(kind: type) -> Optional[type]:
    """Derive a class with hooks from one of kafka-python's, or the application's own; None where it is neither."""
    # Other packages of this name are possible.
    package = sys.modules.get("kafka")
    if issubclass(kind, getattr(package, "KafkaProducer", ())):
        return derived(kind, _producer_hooks(kind))
    if issubclass(kind, getattr(package, "KafkaConsumer", ())):
        return derived(kind, _consumer_hooks(kind))
    return None


def _producer_hooks(base: Any) -> dict[str, Method]:
    construct, send, close = base.__init__, base.send, base.close

    def intercepted_init(self: Any, **configs: Any) -> None:
        client, config = separated(configs, "")
        connect_by_arguments(client)
        construct(self, **client)
        # Where none is configured it is numbered by the client.
        chain = producer_chain(config.classes, {**config.whole, "client.id": self.config["client_id"]})
        setattr(self, CHAIN, chain)
        if chain is not None:
            close_with(self, chain)

    def intercepted_send(self: Any, topic: Any, *args: Any, **kwargs: Any) -> Any:
        chain: Optional[ProducerChain] = getattr(self, CHAIN, None)
        given = {**dict(zip(SEND, args)), **kwargs}
        record = producer_record(topic, given) if chain is not None and len(args) <= len(SEND) else None
        if chain is None or record is None:
            return send(self, topic, *args, **kwargs)
        sent = chain.on_send(record)
        outcome = _Outcome(chain, sent)
        arguments = changed_arguments(given, record, sent)
        try:
            future = _sent(self, send, chain, topic, arguments)
        except BaseException as error:
            fallback = without_added(sent.headers)
            if (fallback is None and not chain.wants_serialized) or not refuses_headers(error):
                outcome.refused(error)
                raise
            arguments["headers"] = list(sent.headers) if fallback is None else fallback
            try:
                future = send(self, topic, **arguments)
            except BaseException as again:
                outcome.refused(again)
                raise
            chain.left_out(topic, "headers_refused")
        # Before the application has the future, so before what it adds.
        future.add_callback(outcome.acknowledged)
        future.add_errback(outcome.failed, future)
        return future

    return {
        "__init__": intercepted_init,
        "send": intercepted_send,
        "_serialize": _serializing(base._serialize),  # noqa: SLF001 - the bytes are nowhere else before they are sent
        "close": closing(close),
    }


class _Sending:
    """A record whose `send` is under way in this thread: its key is serialized first, then its value."""

    __slots__ = ("chain", "headers", "parts", "topic")

    def __init__(self, chain: ProducerChain, topic: str, headers: list[Any]) -> None:
        self.chain = chain
        self.topic = topic
        self.headers = headers
        self.parts: list[Any] = []

    def serialized(self, part: Any) -> None:
        self.parts.append(part)
        if len(self.parts) == _KEY_AND_VALUE:
            added = self.chain.serialized(self.topic, self.parts[0], self.parts[1], self.headers)
            self.headers.extend((one.key, one.value) for one in added)


_SENDING: ContextVar[Optional[_Sending]] = ContextVar("kwitness_kafka_sending", default=None)


def _sent(producer: Any, send: Method, chain: ProducerChain, topic: str, arguments: dict[str, Any]) -> Any:
    """Send a record, with the headers that it gets once its bytes are known."""
    if not chain.wants_serialized:
        return send(producer, topic, **arguments)
    # The client keeps this list until it has the bytes.
    headers = list(arguments.get("headers") or ())
    token = _SENDING.set(_Sending(chain, topic, headers))
    try:
        return send(producer, topic, **{**arguments, "headers": headers})
    finally:
        _SENDING.reset(token)


def _serializing(serialize: Method) -> Method:
    def intercepted_serialize(self: Any, *args: Any, **kwargs: Any) -> Any:
        serialized = serialize(self, *args, **kwargs)
        sending = _SENDING.get()
        if sending is not None:
            sending.serialized(serialized)
        return serialized

    return intercepted_serialize


class _Outcome:
    """Tells the chain what became of one record."""

    __slots__ = ("_chain", "_record", "_started")

    def __init__(self, chain: ProducerChain, record: ProducerRecord) -> None:
        self._chain = chain
        self._record = record
        self._started = perf_counter()

    def acknowledged(self, theirs: Any) -> None:
        metadata = RecordMetadata(
            theirs.topic,
            theirs.partition,
            theirs.offset,
            -1 if theirs.timestamp is None else theirs.timestamp,
            theirs.serialized_key_size,
            theirs.serialized_value_size,
            theirs.checksum,
            perf_counter() - self._started,
        )
        self._chain.on_acknowledgement(metadata, None)

    def failed(self, future: Any, error: BaseException) -> None:
        place = getattr(getattr(future, "_produce_future", None), "topic_partition", None)
        partition = getattr(place, "partition", None)
        sizes = getattr(future, "args", ())[3:5]
        self._tell(error, -1 if partition is None else partition, *(sizes if len(sizes) == 2 else (-1, -1)))  # noqa: PLR2004

    def refused(self, error: BaseException) -> None:
        partition = self._record.partition
        self._tell(error, partition if isinstance(partition, int) else -1, -1, -1)

    def _tell(self, error: BaseException, partition: int, key_size: int, value_size: int) -> None:
        elapsed = perf_counter() - self._started
        metadata = RecordMetadata(self._record.topic, partition, -1, -1, key_size, value_size, None, elapsed)
        self._chain.on_acknowledgement(metadata, error)


def _consumer_hooks(base: Any) -> dict[str, Method]:
    return {
        "__init__": _constructing_consumer(base),
        "poll": _polling(base.poll),
        "_message_generator_v2": _iterating(base._message_generator_v2),  # noqa: SLF001 - what `for` reads
        "commit": _committing(base.commit),
        "commit_async": _committing_async(base.commit_async),
        "close": closing(base.close),
    }


def _constructing_consumer(base: Any) -> Method:
    construct = base.__init__

    def intercepted_init(self: Any, *topics: Any, **configs: Any) -> None:
        client, config = separated(configs, base.DEFAULT_CONFIG["client_id"])
        chain = consumer_chain(config.classes, config.whole)
        setattr(self, CHAIN, chain)
        setattr(self, DESERIALIZES, deserializes(client))
        if chain is not None:
            client[_ON_COMMIT] = _telling(chain, client.get(_ON_COMMIT, base.DEFAULT_CONFIG[_ON_COMMIT]))
            close_with(self, chain)
        connect_by_arguments(client)
        construct(self, *topics, **client)

    return intercepted_init


def _polling(poll: Method) -> Method:
    def intercepted_poll(self: Any, *args: Any, **kwargs: Any) -> Any:
        records = poll(self, *args, **kwargs)
        chain: Optional[ConsumerChain] = getattr(self, CHAIN, None)
        iterates = not (args[_UPDATES_OFFSETS] if len(args) > _UPDATES_OFFSETS else kwargs.get("update_offsets", True))
        if chain is None or not records or iterates:
            return records
        return consumed(chain, records, known=not getattr(self, DESERIALIZES, True))

    return intercepted_poll


def _iterating(generate: Method) -> Method:
    def intercepted_generator(self: Any) -> Iterator[Any]:
        chain: Optional[ConsumerChain] = getattr(self, CHAIN, None)
        for record in generate(self):
            if chain is None:
                yield record
            else:
                known = not getattr(self, DESERIALIZES, True)
                for kept in consumed(chain, {None: [record]}, known=known).values():
                    yield from kept

    return intercepted_generator


def _committing(commit: Method) -> Method:
    def intercepted_commit(self: Any, offsets: Any = None, *args: Any, **kwargs: Any) -> Any:
        chain: Optional[ConsumerChain] = getattr(self, CHAIN, None)
        told = _positions(self) if chain is not None and offsets is None else offsets
        try:
            result = commit(self, offsets, *args, **kwargs)
        except Exception as error:
            if chain is not None:
                not_committed(chain, told, error)
            raise
        if chain is not None:
            committed(chain, told)
        return result

    return intercepted_commit


def _committing_async(commit_async: Method) -> Method:
    def intercepted_commit_async(self: Any, offsets: Any = None, callback: Any = None) -> Any:
        chain: Optional[ConsumerChain] = getattr(self, CHAIN, None)
        if chain is not None and callback is not None:
            callback = _telling(chain, callback)
        return commit_async(self, offsets, callback)

    return intercepted_commit_async


def _telling(chain: ConsumerChain, callback: Any) -> Method:
    def told(offsets: Any, response: Any) -> Any:
        if isinstance(response, BaseException):
            not_committed(chain, offsets, response)
        else:
            committed(chain, offsets)
        return callback(offsets, response) if callback is not None else None

    return told


def _positions(consumer: Any) -> dict[Any, Any]:
    """Return what `commit` commits without arguments."""
    subscription = getattr(consumer, "_subscription", None)
    return dict(subscription.all_consumed_offsets()) if subscription is not None else {}
