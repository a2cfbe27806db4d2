"""Why records were given up, in words that all clients share."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["failure_reason"]

_OF_LIBRDKAFKA = {
    "_MSG_TIMED_OUT": "timed_out",
    "_TIMED_OUT": "timed_out",
    "_QUEUE_FULL": "queue_full",
    "_PURGE_QUEUE": "purged",
    "_PURGE_INFLIGHT": "purged",
    "_FATAL": "fatal",
    "_FENCED": "PRODUCER_FENCED",
    "_TRANSPORT": "NETWORK_EXCEPTION",
    "_UNKNOWN_PARTITION": "UNKNOWN_TOPIC_OR_PARTITION",
    "_UNKNOWN_TOPIC": "UNKNOWN_TOPIC_OR_PARTITION",
    "_DESTROY": "closed",
    # Of the same batch: brokers take all of one or none.
    "_INVALID_DIFFERENT_RECORD": "INVALID_RECORD",
    "INVALID_MSG": "CORRUPT_MESSAGE",
    "MSG_SIZE_TOO_LARGE": "MESSAGE_TOO_LARGE",
    "TOPIC_EXCEPTION": "INVALID_TOPIC_EXCEPTION",
    "UNKNOWN_TOPIC_OR_PART": "UNKNOWN_TOPIC_OR_PARTITION",
    "NOT_LEADER_FOR_PARTITION": "NOT_LEADER_OR_FOLLOWER",
    "_KEY_SERIALIZATION": "serialization",
    "_VALUE_SERIALIZATION": "serialization",
}
_BY_CLASS = {
    "BufferError": "queue_full",
    "KafkaTimeoutError": "timed_out",
    "TimeoutError": "timed_out",
    "MessageSizeTooLargeError": "MESSAGE_TOO_LARGE",
    "KeySerializationError": "serialization",
    "ValueSerializationError": "serialization",
    "SerializationError": "serialization",
    "CancelledError": "purged",
    "ProducerClosed": "closed",
    "IllegalStateError": "closed",
}
_OF_KAFKA = re.compile(r"[A-Z][A-Z0-9_]{2,63}")


def failure_reason(error: BaseException) -> str:
    """Return Kafka's name of the error where brokers or a client have one, else one of a few words, or ``other``."""
    known = _BY_CLASS.get(type(error).__name__)
    if known is not None:
        return known
    first: Any = error.args[0] if error.args else None
    name = first.name() if callable(getattr(first, "name", None)) else getattr(error, "message", None)
    if isinstance(name, str) and name:
        if name in _OF_LIBRDKAFKA:
            return _OF_LIBRDKAFKA[name]
        # kafka-python and aiokafka have Kafka's names in `message`.
        return name if _OF_KAFKA.fullmatch(name) else "other"
    return "closed" if isinstance(error, RuntimeError) and "closed" in str(error) else "other"
