"""Interceptors in confluent-kafka's consumers; hooks see records after their deserializers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Optional

from kwitness_interceptors.chain import ConsumerChain
from kwitness_interceptors.configuration import split
from kwitness_interceptors.connecting import connect
from kwitness_interceptors.containment import FAILURES, reason_of
from kwitness_interceptors.made_chains import close_with, consumer_chain
from kwitness_interceptors.records import Batch, ConsumerRecord, Header, OffsetAndMetadata, TopicPartition

from .confluent_delivery import exception_of, size_of
from .confluent_headers import headers_of
from .confluent_producer import DEFAULT_CLIENT_ID
from .hooked_classes import CHAIN, Method, closing

__all__ = ["consumer_hooks"]

_SIZES = "_kwitness_sizes"
_DESERIALIZES = "_kwitness_deserializes"

Sizes = tuple[int, int]


def consumer_hooks(base: type, *, deserializing: bool) -> dict[str, Any]:
    """Return methods that stand in for those of a consumer's class: `base`'s own, with the hooks around them.

    Parameters
    ----------
    base
        `confluent_kafka.Consumer`, `DeserializingConsumer`, or a class that is derived from one of them.
    deserializing
        Whether `poll` deserializes what the `poll` of its own base returns.
    """
    hooks: dict[str, Any] = {
        "__init__": _construct(base.__init__),  # type: ignore[misc] # it is called with what it is called with
        "commit": _commit(base.commit),  # type: ignore[attr-defined]
        "close": closing(base.close),  # type: ignore[attr-defined]
    }
    if deserializing:
        hooks["poll"] = _poll_deserialized(base.poll)  # type: ignore[attr-defined]
        hooks[_DESERIALIZES] = True
    else:
        hooks["poll"] = _poll(base.poll)  # type: ignore[attr-defined]
        hooks["consume"] = _consume(base.consume)  # type: ignore[attr-defined]
    if hasattr(base, "__exit__"):
        hooks["__exit__"] = closing(base.__exit__)
    return hooks


def _construct(original: Method) -> Method:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it stands in for one
        if CHAIN in vars(self) or len(args) > 1 or (args and not isinstance(args[0], dict)):
            original(self, *args, **kwargs)
            return
        config = split({**(args[0] if args else {}), **kwargs}, DEFAULT_CLIENT_ID)
        chain = consumer_chain(config.classes, config.whole)
        setattr(self, CHAIN, chain)
        if chain is not None:
            config.client["on_commit"] = _committed(chain, config.client.get("on_commit"))
            close_with(self, chain)
        connect(config.client)
        original(self, config.client)

    return __init__


def _poll(original: Method) -> Method:
    def poll(self: Any, *args: Any, **kwargs: Any) -> Any:
        message = original(self, *args, **kwargs)
        chain: Optional[ConsumerChain] = getattr(self, CHAIN, None)
        if chain is None or message is None or message.error() is not None:
            return message
        if getattr(self, _DESERIALIZES, False):
            # The serialized bytes are not to be had any more once they are deserialized.
            setattr(self, _SIZES, _sizes(message))
            if chain.wants_serialized:
                _compare(chain, message)
            return message
        if not chain.wants_records:
            _count(chain, [message])
            return message
        if chain.wants_serialized:
            _compare(chain, message)
        return next(iter(_consumed(chain, [message], [_sizes(message)])), None)

    return poll


def _poll_deserialized(original: Method) -> Method:
    def poll(self: Any, *args: Any, **kwargs: Any) -> Any:
        setattr(self, _SIZES, None)
        message = original(self, *args, **kwargs)
        chain: Optional[ConsumerChain] = getattr(self, CHAIN, None)
        if chain is None or message is None:
            return message
        sizes = getattr(self, _SIZES)
        if sizes is None and chain.wants_serialized:
            # Its base has no hooks.
            _compare(chain, message, known=False)
        return next(iter(_consumed(chain, [message], [sizes or (-1, -1)])), None)

    return poll


def _consume(original: Method) -> Method:
    def consume(self: Any, *args: Any, **kwargs: Any) -> Any:
        messages = original(self, *args, **kwargs)
        chain: Optional[ConsumerChain] = getattr(self, CHAIN, None)
        if chain is None or not messages or getattr(self, _DESERIALIZES, False):
            return messages
        if not chain.wants_records:
            _count(chain, messages)
            return messages
        if chain.wants_serialized:
            for one in messages:
                if one.error() is None:
                    _compare(chain, one)
        return _consumed(chain, messages, [_sizes(one) for one in messages])

    return consume


def _commit(original: Method) -> Method:
    def commit(self: Any, *args: Any, **kwargs: Any) -> Any:
        chain: Optional[ConsumerChain] = getattr(self, CHAIN, None)
        try:
            committed = original(self, *args, **kwargs)
        except Exception as error:
            if chain is not None:
                chain.commit_failed(_asked_to_commit(*args, **kwargs), error)
            raise
        # An asynchronous one returns nothing, and is told by on_commit.
        if chain is not None and committed:
            _tell_committed(chain, committed)
        return committed

    return commit


def _committed(chain: ConsumerChain, callback: Any) -> Method:
    def on_commit(error: Any, partitions: Any) -> Any:
        if error is None:
            _tell_committed(chain, partitions)
        else:
            chain.commit_failed(_with_offsets(partitions), exception_of(error))
        return callback(error, partitions) if callable(callback) else None

    return on_commit


def _tell_committed(chain: ConsumerChain, partitions: Sequence[Any]) -> None:
    offsets = {
        TopicPartition(one.topic, one.partition): OffsetAndMetadata(
            one.offset, getattr(one, "metadata", None) or "", getattr(one, "leader_epoch", None)
        )
        for one in partitions
        if one.error is None and one.offset >= 0
    }
    if offsets:
        chain.on_commit(offsets)
    for one in partitions:
        if one.error is not None:
            chain.commit_failed(_with_offsets([one]), exception_of(one.error))


def _asked_to_commit(message: Any = None, offsets: Any = None, *_: Any, **__: Any) -> list[TopicPartition]:
    """Return the places that a call of `commit` names."""
    if message is not None:
        return [TopicPartition(message.topic(), message.partition())]
    return _with_offsets(offsets or ())


def _with_offsets(partitions: Iterable[Any]) -> list[TopicPartition]:
    return [TopicPartition(one.topic, one.partition) for one in partitions if one.offset >= 0]


def _consumed(chain: ConsumerChain, messages: Sequence[Any], sizes: Sequence[Sizes]) -> list[Any]:
    """Return the messages that the application gets; those with an error among them are not shown to interceptors."""
    try:
        return _kept(chain, messages, sizes)
    except Exception as error:  # noqa: BLE001 - what interceptors put into a record may be what no message takes
        FAILURES.add("kwitness_interceptors", "on_consume", reason_of(error))
        return list(messages)


def _compare(chain: ConsumerChain, message: Any, *, known: bool = True) -> None:
    """Tell of a message; `known` says whether key and value are as they were received."""
    try:
        headers = headers_of(message)
    except Exception as error:  # noqa: BLE001 - odd or not, the application gets it
        FAILURES.add("kwitness_interceptors", "on_consume", reason_of(error))
        return
    if headers:
        chain.received(message.topic(), message.key(), message.value(), headers, known=known)


def _count(chain: ConsumerChain, messages: Sequence[Any]) -> None:
    """Tell of messages that nobody changes: by topic, and without looking at them one by one."""
    try:
        kind = type(messages[0])
        good = [one for one in messages if one.error() is None]
        by_topic = dict.fromkeys(set(map(kind.topic, good)), good)
        if len(by_topic) > 1:
            by_topic = {topic: [one for one in good if one.topic() == topic] for topic in by_topic}
        batches = [
            Batch(
                topic,
                list(map(kind.partition, some)),
                list(map(kind.offset, some)),
                list(map(kind.timestamp, some)),
                list(map(size_of, map(kind.key, some))),
                list(map(size_of, map(kind.value, some))),
            )
            for topic, some in by_topic.items()
        ]
    except Exception as error:  # noqa: BLE001 - the application gets them, whatever is odd about them
        FAILURES.add("kwitness_interceptors", "on_consume", reason_of(error))
        return
    chain.consumed(batches)


def _kept(chain: ConsumerChain, messages: Sequence[Any], sizes: Sequence[Sizes]) -> list[Any]:
    records = [_record(one, size) for one, size in zip(messages, sizes) if one.error() is None]
    kept = chain.on_consume(records)
    if kept is records:
        return list(messages)
    originals = {record[:3]: record for record in records}
    by_place = {(one.topic(), one.partition(), one.offset()): one for one in messages if one.error() is None}
    errors = [one for one in messages if one.error() is not None]
    return [_changed(by_place[record[:3]], originals[record[:3]], record) for record in kept] + errors


def _record(message: Any, sizes: Sizes) -> ConsumerRecord:
    kind, timestamp = message.timestamp()
    headers = headers_of(message)
    return ConsumerRecord(
        message.topic(),
        message.partition(),
        message.offset(),
        timestamp if kind else -1,
        kind - 1,
        message.key(),
        message.value(),
        tuple(Header(key, value) for key, value in headers) if headers else (),
        *sizes,
        message.leader_epoch() if hasattr(message, "leader_epoch") else None,
    )


def _changed(message: Any, original: ConsumerRecord, record: ConsumerRecord) -> Any:
    if record.key is not original.key:
        message.set_key(record.key)
    if record.value is not original.value:
        message.set_value(record.value)
    if record.headers is not original.headers:
        message.set_headers([(key, value) for key, value in record.headers])
    return message


def _sizes(message: Any) -> Sizes:
    return (-1, -1) if message.error() is not None else (size_of(message.key()), size_of(message.value()))
