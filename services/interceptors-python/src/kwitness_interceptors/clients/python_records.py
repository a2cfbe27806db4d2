"""What kafka-python and aiokafka have in common: their records have the same names, and are values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Optional

from kwitness_interceptors.chain import ConsumerChain
from kwitness_interceptors.configuration import ClientConfiguration, kafka_names, split
from kwitness_interceptors.containment import FAILURES, reason_of
from kwitness_interceptors.records import ConsumerRecord, Header, OffsetAndMetadata, ProducerRecord, TopicPartition

__all__ = [
    "DESERIALIZES",
    "SEND",
    "changed_arguments",
    "committed",
    "consumed",
    "deserializes",
    "not_committed",
    "producer_record",
    "separated",
]

DESERIALIZES = "_kwitness_deserializes"
"""Attribute of a consumer: whether its records have other keys and values than those that were received."""
SEND = ("value", "key", "headers", "partition", "timestamp_ms")


def separated(arguments: Mapping[str, Any], client_id: str) -> tuple[dict[str, Any], ClientConfiguration]:
    """Return the arguments that the client may see, and the whole configuration by Kafka's names.

    Settings of interceptors may be spelled either way: ``interceptor_classes=[...]``, or as Kafka does.
    """
    spelled = kafka_names({key: value for key, value in arguments.items() if value is not None or key != "client_id"})
    config = split(spelled, client_id)
    return {
        key: value for key, value in arguments.items() if key.replace("_", ".") in {*config.client, "client.id"}
    }, config


def producer_record(topic: Any, given: Mapping[str, Any]) -> Optional[ProducerRecord]:
    """Return the record that the arguments of `send` describe; None where the client will refuse them."""
    try:
        headers = tuple(Header(key, value) for key, value in given.get("headers") or ())
    except (TypeError, ValueError):
        return None
    if not isinstance(topic, str):
        return None
    return ProducerRecord(
        *(topic, given.get("value"), given.get("key"), given.get("partition"), given.get("timestamp_ms"), headers)
    )


def changed_arguments(given: Mapping[str, Any], record: ProducerRecord, sent: ProducerRecord) -> dict[str, Any]:
    """Return the arguments of `send` with what interceptors changed; the others are as the application gave them."""
    arguments = dict(given)
    for name in ("value", "key", "partition", "timestamp_ms"):
        if getattr(sent, name) is not getattr(record, name):
            arguments[name] = getattr(sent, name)
    if sent.headers is not record.headers:
        arguments["headers"] = [(key, value) for key, value in sent.headers]
    return arguments


def deserializes(arguments: Mapping[str, Any]) -> bool:
    """Whether a consumer that is made with these arguments deserializes."""
    return any(arguments.get(name) is not None for name in ("key_deserializer", "value_deserializer"))


def consumed(chain: ConsumerChain, batches: Mapping[Any, Iterable[Any]], *, known: bool) -> dict[Any, list[Any]]:
    """Return, by partition, the records that the application gets instead of those that the client has.

    `known` says whether these have the keys and values that were received.
    """
    try:
        return _kept(chain, batches, known=known)
    except Exception as error:  # noqa: BLE001 - other releases may have other records
        FAILURES.add("kwitness_interceptors", "on_consume", reason_of(error))
        return {partition: list(batch) for partition, batch in batches.items()}


def _kept(chain: ConsumerChain, batches: Mapping[Any, Iterable[Any]], *, known: bool) -> dict[Any, list[Any]]:
    originals: dict[tuple[Any, ...], tuple[Any, Any, ConsumerRecord]] = {}
    records: list[ConsumerRecord] = []
    for partition, batch in batches.items():
        for theirs in batch:
            ours = _record(theirs)
            records.append(ours)
            if chain.wants_serialized and ours.headers:
                chain.received(ours.topic, ours.key, ours.value, ours.headers, known=known)
            originals[ours[:3]] = (partition, theirs, ours)
    kept = chain.on_consume(records)
    result: dict[Any, list[Any]] = {}
    for record in kept:
        partition, theirs, ours = originals[record[:3]]
        result.setdefault(partition, []).append(theirs if record is ours else _changed(theirs, ours, record))
    return result


def committed(chain: ConsumerChain, offsets: Mapping[Any, Any]) -> None:
    """Tell of offsets as these clients have them: a number, or a tuple of offset and metadata."""
    try:
        told = {TopicPartition(place.topic, place.partition): _offset(value) for place, value in offsets.items()}
    except Exception as error:  # noqa: BLE001 - likewise
        FAILURES.add("kwitness_interceptors", "on_commit", reason_of(error))
        return
    if told:
        chain.on_commit(told)


def not_committed(chain: ConsumerChain, offsets: Any, why: BaseException) -> None:
    """Have the offsets of a commit that failed counted."""
    try:
        places = [TopicPartition(place.topic, place.partition) for place in offsets]
    except Exception as error:  # noqa: BLE001 - likewise
        FAILURES.add("kwitness_interceptors", "on_commit", reason_of(error))
        return
    chain.commit_failed(places, why)


def _record(theirs: Any) -> ConsumerRecord:
    timestamp, kind = theirs.timestamp, theirs.timestamp_type
    return ConsumerRecord(
        theirs.topic,
        theirs.partition,
        theirs.offset,
        -1 if timestamp is None else timestamp,
        -1 if kind is None else kind,
        theirs.key,
        theirs.value,
        tuple(Header(key, value) for key, value in theirs.headers),
        theirs.serialized_key_size,
        theirs.serialized_value_size,
        getattr(theirs, "leader_epoch", None),
    )


def _changed(theirs: Any, ours: ConsumerRecord, record: ConsumerRecord) -> Any:
    changes: dict[str, Any] = {
        name: getattr(record, name) for name in ("key", "value") if getattr(record, name) is not getattr(ours, name)
    }
    if record.headers is not ours.headers:
        changes["headers"] = type(theirs.headers)((key, value) for key, value in record.headers)
    if not changes:
        return theirs
    if dataclasses.is_dataclass(theirs) and not isinstance(theirs, type):
        return dataclasses.replace(theirs, **changes)
    return theirs._replace(**changes)


def _offset(value: Any) -> OffsetAndMetadata:
    if isinstance(value, int):
        return OffsetAndMetadata(value)
    return OffsetAndMetadata(value[0], value[1] or "", value[2] if len(value) > 2 else None)  # noqa: PLR2004 - epoch
