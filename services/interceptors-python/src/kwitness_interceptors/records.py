"""What interceptors are given: values of no client in particular, which cannot be changed in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

__all__ = [
    "AddedHeader",
    "Batch",
    "ConsumerRecord",
    "Header",
    "OffsetAndMetadata",
    "ProducerRecord",
    "RecordMetadata",
    "TopicPartition",
]


class Header(NamedTuple):
    """One header; keys may come again."""

    key: str
    value: Optional[bytes]


class AddedHeader(Header):
    """One that the profile added: the record can go without it."""

    __slots__ = ()


class TopicPartition(NamedTuple):
    """A partition of a topic."""

    topic: str
    partition: int


class OffsetAndMetadata(NamedTuple):
    """A committed offset: that of the record to be read next."""

    offset: int
    metadata: str = ""
    leader_epoch: Optional[int] = None


class ProducerRecord(NamedTuple):
    """A record on its way to a producer; `record._replace(value=...)` makes a changed one.

    Key and value are as the application gave them, before serialization. Where the application left `partition` or
    `timestamp_ms` (milliseconds since 1970) to the client they are None.
    """

    topic: str
    value: Any = None
    key: Any = None
    partition: Optional[int] = None
    timestamp_ms: Optional[int] = None
    headers: tuple[Header, ...] = ()


class RecordMetadata(NamedTuple):
    """What became of a record; what is not known is -1, and never the whole of it None.

    Sizes are those of the serialized key and value in bytes, -1 for null ones too. `checksum` is what the client
    shows: nothing since Kafka's record format 2. `elapsed_seconds` is the time since `on_send`; `timestamp_ms` is in
    milliseconds since 1970.
    """

    topic: str
    partition: int = -1
    offset: int = -1
    timestamp_ms: int = -1
    serialized_key_size: int = -1
    serialized_value_size: int = -1
    checksum: Optional[int] = None
    elapsed_seconds: float = -1.0


class ConsumerRecord(NamedTuple):
    """A record that a consumer got; `record._replace(value=...)` makes a changed one.

    Key and value are as the application will see them, after deserialization. Topic, partition and offset name the
    record and stay as they are. `timestamp_type` is 0 for the producer's time, 1 for the broker's, -1 where there is
    none; sizes are in bytes, -1 where the client does not show them, and of null.
    """

    topic: str
    partition: int
    offset: int
    timestamp_ms: int = -1
    timestamp_type: int = -1
    key: Any = None
    value: Any = None
    headers: tuple[Header, ...] = ()
    serialized_key_size: int = -1
    serialized_value_size: int = -1
    leader_epoch: Optional[int] = None


class Batch(NamedTuple):
    """Records of one topic that a consumer got at once, each of the sequences with one value for each record.

    Values mean what they mean in `ConsumerRecord`; `times` are pairs of the timestamp's type, 0 where there is none,
    and of the timestamp.
    """

    topic: str
    partitions: Sequence[int]
    offsets: Sequence[int]
    times: Sequence[tuple[int, int]]
    key_sizes: Sequence[int]
    value_sizes: Sequence[int]
