"""Interceptors in confluent-kafka's producers.

Nothing in librdkafka calls them. `Producer` is a class of the C extension, whose methods cannot be replaced, so
classes are derived from it; `SerializingProducer` is derived from that one, and its hooks are before its serializers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional

from kwitness_interceptors.chain import ProducerChain
from kwitness_interceptors.configuration import split
from kwitness_interceptors.connecting import connect
from kwitness_interceptors.containment import FAILURES
from kwitness_interceptors.made_chains import close_with, producer_chain
from kwitness_interceptors.records import Header, ProducerRecord

from .confluent_delivery import Delivery, DeliveryCallback, exception_of, only_errors, size_of
from .hooked_classes import CHAIN, Method, closing
from .refused_headers import refuses_headers, without_added

__all__ = ["DEFAULT_CLIENT_ID", "producer_hooks"]

DEFAULT_CLIENT_ID = "rdkafka"

_TOLD = "_kwitness_told"
"""Attribute of a producer: what makes a record's callback of the one that it is given; None where it is that one."""
_UNSET_PARTITION = -1
_RAW = ("value", "key", "partition", "callback", "on_delivery", "timestamp", "headers")
_SERIALIZING = ("key", "value", "partition", "on_delivery", "timestamp", "headers")

Telling = Callable[[Optional[DeliveryCallback]], Optional[DeliveryCallback]]


def producer_hooks(base: type, *, serializing: bool) -> dict[str, Method]:
    """Return methods that stand in for those of a producer's class: `base`'s own, with the hooks around them.

    Parameters
    ----------
    base
        `confluent_kafka.Producer`, `SerializingProducer`, or a class that is derived from one of them.
    serializing
        Whether `produce` takes the key first, and serializes.
    """
    hooks = {
        "__init__": _construct(base.__init__),  # type: ignore[misc] # it is called with what it is called with
        "produce": _produce(base.produce, _SERIALIZING if serializing else _RAW),  # type: ignore[attr-defined]
    }
    # Older releases lack some of these.
    for name, made in (("produce_batch", _produce_batch), ("close", closing), ("__exit__", closing)):
        if hasattr(base, name):
            hooks[name] = made(getattr(base, name))
    return hooks


def _construct(original: Method) -> Method:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it stands in for one
        if CHAIN in vars(self) or len(args) > 1 or (args and not isinstance(args[0], dict)):
            original(self, *args, **kwargs)
            return
        config = split({**(args[0] if args else {}), **kwargs}, DEFAULT_CLIENT_ID)
        chain = producer_chain(config.classes, config.whole)
        setattr(self, CHAIN, chain)
        if chain is not None:
            # The extension would keep acknowledgements from the chain, too.
            errors_only = _is_true(config.client.pop("delivery.report.only.error", False))
            setattr(self, _TOLD, _telling(config.client.get("on_delivery"), errors_only=errors_only))
            close_with(self, chain)
        connect(config.client)
        original(self, config.client)

    return __init__


def _produce(original: Method, names: tuple[str, ...]) -> Method:
    serializing = names is _SERIALIZING

    def produce(self: Any, topic: Any, *args: Any, **given: Any) -> None:
        chain: Optional[ProducerChain] = getattr(self, CHAIN, None)
        if chain is None or len(args) > len(names) or not isinstance(topic, str):
            original(self, topic, *args, **given)
            return
        if args:
            given = {**dict(zip(names, args)), **given}
        headers = given.get("headers")
        headers = _headers(headers) if headers else ()
        if headers is None:
            # The client will refuse them.
            original(self, topic, **given)
            return
        callback = given.pop("callback", None) or given.get("on_delivery")
        if isinstance(callback, Delivery):
            # That of a serializing producer, which this one is the base of.
            delivery = callback
            delivery.serialized(given.get("key"), given.get("value"))
            if chain.wants_serialized:
                _add_serialized(chain, topic, given, headers, delivery)
        else:
            delivery = _begun(chain, topic, given, headers, callback, getattr(self, _TOLD), serializing)
        given["on_delivery"] = delivery
        try:
            original(self, topic, **given)
        except BaseException as error:
            if delivery.fallback is not None and refuses_headers(error):
                _produce_without(original, self, topic, given, delivery)
                return
            delivery.refuse(error)
            raise
        if serializing and chain.wants_serialized and not delivery.knows_bytes:
            # Its base has no hooks.
            chain.left_out(topic, "checksum_left_out")

    return produce


def _produce_without(original: Method, self: Any, topic: str, given: dict[str, Any], delivery: Delivery) -> None:
    """Produce the record without the headers that the profile added."""
    chain: ProducerChain = getattr(self, CHAIN)
    given["headers"], delivery.fallback = delivery.fallback, None
    try:
        original(self, topic, **given)
    except BaseException as error:
        delivery.refuse(error)
        raise
    chain.left_out(topic, "headers_refused")


def _begun(
    chain: ProducerChain,
    topic: str,
    given: dict[str, Any],
    headers: tuple[Header, ...],
    callback: Optional[DeliveryCallback],
    told: Optional[Telling],
    serializing: bool,  # noqa: FBT001 - a name for each would take longer than the call
) -> Delivery:
    """Tell the chain of a record, and return what will tell it of its delivery; `given` has what it changed."""
    key, value, partition = given.get("key"), given.get("value"), given.get("partition")
    fallback = None
    if partition == _UNSET_PARTITION:
        partition = None
    if chain.wants_records:
        record = ProducerRecord(topic, value, key, partition, given.get("timestamp") or None, headers)
        sent = chain.on_send(record)
        if sent is not record:
            _apply(given, record, sent)
            value, key, partition = sent.value, sent.key, sent.partition
            if sent.headers is not headers:
                headers = sent.headers
                fallback = without_added(headers)
    else:
        chain.sent(topic)
    if told is not None:
        callback = told(callback)
    if serializing:
        delivery = Delivery(chain, topic, partition, callback, -1, -1)
    else:
        delivery = Delivery(chain, topic, partition, callback, size_of(key), size_of(value))
    delivery.fallback = fallback
    if chain.wants_serialized and not serializing:
        _add_serialized(chain, topic, given, headers, delivery)
    return delivery


def _add_serialized(
    chain: ProducerChain, topic: str, given: dict[str, Any], headers: tuple[Header, ...], delivery: Delivery
) -> None:
    """Add the headers that a record gets once its bytes are known."""
    added = chain.serialized(topic, given.get("key"), given.get("value"), headers)
    if added:
        if delivery.fallback is None:
            delivery.fallback = [(key, value) for key, value in headers]
        given["headers"] = [(key, value) for key, value in (*headers, *added)]


def _produce_batch(original: Method) -> Method:
    def produce_batch(self: Any, topic: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
        chain: Optional[ProducerChain] = getattr(self, CHAIN, None)
        if chain is None or not isinstance(topic, str) or not _is_batch(messages):
            return original(self, topic, messages, *args, **kwargs)
        given = {**dict(zip(("partition", "callback", "on_delivery"), args)), **kwargs}
        common = given.get("callback") or given.get("on_delivery")
        made = [_of_batch(self, chain, topic, one, given.get("partition"), common) for one in messages]
        try:
            queued = original(self, topic, [message for message, _ in made], *args, **kwargs)
        except BaseException as error:
            for _, delivery in made:
                delivery.refuse(error)
            raise
        for theirs, (message, delivery) in zip(messages, made):
            if "_error" in message:
                theirs["_error"] = message["_error"]
                delivery.refuse(exception_of(message["_error"]))
        return queued

    return produce_batch


def _of_batch(
    producer: Any,
    chain: ProducerChain,
    topic: str,
    message: dict[str, Any],
    partition: Optional[int],
    common: Optional[DeliveryCallback],
) -> tuple[dict[str, Any], Delivery]:
    """Return what is sent instead of one message of a batch; the application's own stays as it is."""
    message = dict(message)
    record = ProducerRecord(
        topic, message.get("value"), message.get("key"), _asked(message.get("partition", partition))
    )
    if chain.wants_records:
        sent = chain.on_send(record)
    else:
        sent = record
        chain.sent(topic)
    if sent is not record:
        message["value"], message["key"] = sent.value, sent.key
        if sent.partition != record.partition:
            message["partition"] = _UNSET_PARTITION if sent.partition is None else sent.partition
        if sent.headers:
            FAILURES.note("kwitness_interceptors", "headers_left_out")
    # librdkafka's batches have none.
    chain.left_out(topic, "headers_left_out")
    callback, told = message.get("callback") or common, getattr(producer, _TOLD)
    if told is not None:
        callback = told(callback)
    delivery = Delivery(chain, topic, sent.partition, callback, size_of(sent.key), size_of(sent.value))
    message["callback"] = delivery
    return message, delivery


def _telling(default: Any, *, errors_only: bool) -> Optional[Telling]:
    """Return what makes the callback of a record: the producer's own where it has none, of errors alone if asked."""
    common: Optional[DeliveryCallback] = default if callable(default) else None
    if common is None and not errors_only:
        return None

    def told(callback: Optional[DeliveryCallback]) -> Optional[DeliveryCallback]:
        callback = callback or common
        return only_errors(callback) if callback is not None and errors_only else callback

    return told


def _apply(given: dict[str, Any], record: ProducerRecord, sent: ProducerRecord) -> None:
    """Write what interceptors changed into the arguments; the others stay as the application gave them."""
    given["value"], given["key"] = sent.value, sent.key
    if sent.partition != record.partition:
        given["partition"] = _UNSET_PARTITION if sent.partition is None else sent.partition
    if sent.timestamp_ms != record.timestamp_ms:
        given["timestamp"] = sent.timestamp_ms or 0
    if sent.headers is not record.headers:
        given["headers"] = [(key, value) for key, value in sent.headers]


def _headers(headers: Any) -> Optional[tuple[Header, ...]]:
    """Return headers in their order; None where they are none."""
    if not headers:
        return ()
    try:
        pairs = headers.items() if isinstance(headers, dict) else headers
        return tuple(Header(key, value.encode() if isinstance(value, str) else value) for key, value in pairs)
    except (TypeError, ValueError):
        return None


def _asked(partition: Any) -> Optional[int]:
    return None if partition == _UNSET_PARTITION else partition


def _is_batch(messages: Any) -> bool:
    return isinstance(messages, list) and all(isinstance(one, dict) for one in messages)


def _is_true(value: object) -> bool:
    return value is True or str(value).lower() in {"true", "t", "1"}
