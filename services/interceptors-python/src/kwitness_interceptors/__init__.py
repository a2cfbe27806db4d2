"""KIP-42's interceptors for Kafka's clients in Python: confluent-kafka, kafka-python and aiokafka.

What is named here is public. It runs in other people's processes: it needs the standard library alone, Python 3.9 on,
and nothing that goes wrong in it reaches the application.
"""

from .by_hand import wrap
from .import_hook import install
from .interface import ConsumerInterceptor, ProducerInterceptor
from .records import ConsumerRecord, Header, OffsetAndMetadata, ProducerRecord, RecordMetadata, TopicPartition

__all__ = [
    "ConsumerInterceptor",
    "ConsumerRecord",
    "Header",
    "OffsetAndMetadata",
    "ProducerInterceptor",
    "ProducerRecord",
    "RecordMetadata",
    "TopicPartition",
    "install",
    "wrap",
]
