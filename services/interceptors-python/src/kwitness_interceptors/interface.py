"""The methods that KIP-42 gives interceptors of producers and consumers.

Every method has an empty default. So will those that later versions add: a class written today goes on working.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from .records import ConsumerRecord, OffsetAndMetadata, ProducerRecord, RecordMetadata, TopicPartition

__all__ = ["ConsumerInterceptor", "ProducerInterceptor"]


class ProducerInterceptor:
    """Is told of each record on its way to a producer, and of what became of it.

    The constructor is called without arguments, then `configure`, then the others, `close` last. `on_send` is called
    on the threads that send, at the same time where there are several of them; `on_acknowledgement` on the thread on
    which the client reports deliveries. What a method raises is counted and logged, and reaches nobody.
    """

    def configure(self, config: Mapping[str, Any]) -> None:
        """Take the client's whole configuration, by Kafka's names (``bootstrap.servers``), with ``client.id``.

        Interceptors, serializers and the client share these names: settings of one's own begin with a prefix.

        Raises
        ------
        Exception
            Any: this interceptor is left out, and the client works without it.
        """

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        """Return the record to be sent: this one, or a changed one, before it is serialized and has a partition."""
        return record

    def on_send_batch(self, topic: str, partition: Optional[int], count: int) -> None:
        """Take note of records that the application put into a batch itself (aiokafka's `send_batch`).

        They are serialized and cannot be changed: `on_send` is not called for them, `on_acknowledgement` for each is.
        """

    def on_acknowledgement(self, metadata: RecordMetadata, exception: Optional[BaseException]) -> None:
        """Take note of what became of a record, just before the application's own callback.

        Parameters
        ----------
        metadata
            Where the record is; on an error at least its topic, and -1 as the partition where it has none.
        exception
            None once brokers have the record; else why they do not, also where the client refused it at once.
        """

    def close(self) -> None:
        """Give back what is held."""


class ConsumerInterceptor:
    """Is told of the records that a consumer hands to the application, and of the offsets that it commits.

    It is made and configured as a `ProducerInterceptor` is; its methods are called on the consumer's own thread.
    """

    def configure(self, config: Mapping[str, Any]) -> None:
        """Take the client's whole configuration, as `ProducerInterceptor.configure` does."""

    def on_consume(self, records: Sequence[ConsumerRecord]) -> Sequence[ConsumerRecord]:
        """Return the records that the application gets: these, changed ones, or fewer, in the order it gets them."""
        return records

    def on_commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """Take note of offsets that the group's coordinator has."""

    def close(self) -> None:
        """Give back what is held."""
