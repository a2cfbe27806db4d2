"""Generated from contracts/registry/software.yaml by `make generate`; do not edit."""

# fmt: off
# ruff: noqa: E501
from __future__ import annotations

from kwitness.contracts.registry_entries import Software

ENTRIES: tuple[Software, ...] = (
    Software(name="librdkafka", engine="librdkafka", version="same", pushes_since="2.5.0", kafka_4_since="1.8.2", language="C and bindings without a name"),
    Software(name="confluent-kafka-python", engine="librdkafka", version="suffix", pushes_since="2.5.0", kafka_4_since="1.8.2", language="Python"),
    Software(name="confluent-kafka-go", engine="librdkafka", version="suffix", pushes_since="2.5.0", kafka_4_since="1.8.2", language="Go"),
    Software(name="confluent-kafka-dotnet", engine="librdkafka", version="same", pushes_since="2.5.0", kafka_4_since="1.8.2", language=".NET"),
    Software(name="confluent-kafka-javascript", engine="librdkafka", version="suffix", pushes_since="2.5.0", kafka_4_since="1.8.2", language="JavaScript"),
    Software(name="karafka", engine="librdkafka", version="suffix", pushes_since="2.5.0", kafka_4_since="1.8.2", language="Ruby"),
    Software(name="rdkafka-ruby", engine="librdkafka", version="suffix", pushes_since="2.5.0", kafka_4_since="1.8.2", language="Ruby"),
    Software(name="rdkafka-rust", engine="librdkafka", version="suffix", pushes_since="2.5.0", kafka_4_since="1.8.2", language="Rust"),
    Software(name="rust-rdkafka", engine="librdkafka", version="suffix", pushes_since="2.5.0", kafka_4_since="1.8.2", language="Rust"),
    Software(name="apache-kafka-java", engine="java", version="none", pushes_since="3.7.0", kafka_4_since="2.1.0", language="Java"),
    Software(name="kgo", engine="other", version="none", pushes_since="1.19.0", kafka_4_since="unknown", language="Go"),
    Software(name="kafka-python", engine="other", version="none", pushes_since="never", kafka_4_since="2.0.2", language="Python"),
    Software(name="aiokafka", engine="other", version="none", pushes_since="never", kafka_4_since="unknown", language="Python"),
    Software(name="sarama", engine="other", version="none", pushes_since="never", kafka_4_since="1.30.1", language="Go"),
    Software(name="kafkajs", engine="other", version="none", pushes_since="never", kafka_4_since="1.15.0", language="JavaScript"),
    Software(name="segmentio-kafka-go", engine="other", version="none", pushes_since="never", kafka_4_since="unknown", language="Go"),
)
