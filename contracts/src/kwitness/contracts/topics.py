"""The platform's topics: names after the KafkaCluster's prefix, and the schema each record carries."""

from __future__ import annotations

from .registry_entries import Topic
from .tables.topics import ENTRIES

__all__ = [
    "CONNECTIONS",
    "CONNECTIONS_SCHEMA",
    "DEFAULT_PREFIX",
    "HEADERS",
    "INTERCEPTIONS",
    "REQUESTS",
    "SCHEMAS",
    "SEALS",
    "TELEMETRY",
    "TELEMETRY_SCHEMA",
    "TOPICS",
    "TRAFFIC",
    "USED_TOPICS",
    "Topic",
    "topic_name",
]

DEFAULT_PREFIX = "kwitness."
"""What topic names start with unless the KafkaCluster says otherwise."""

TOPICS: tuple[Topic, ...] = ENTRIES
"""All topics, used and reserved."""

USED_TOPICS: tuple[Topic, ...] = tuple(topic for topic in ENTRIES if topic.status == "used")
"""The topics that something writes, which the operator creates."""

TELEMETRY = "telemetry"
CONNECTIONS = "connections"
TRAFFIC = "traffic"
REQUESTS = "requests"
INTERCEPTIONS = "interceptions"
HEADERS = "headers"
SEALS = "seals"

SCHEMAS = {topic.name: f"{topic.schema}/{topic.version}" for topic in ENTRIES}
"""What each topic's records carry as their schema, by the topic's name."""
TELEMETRY_SCHEMA = SCHEMAS[TELEMETRY]
CONNECTIONS_SCHEMA = SCHEMAS[CONNECTIONS]


def topic_name(prefix: str, name: str) -> str:
    """Return the full name of the topic `name` (such as `TELEMETRY`) under `prefix`."""
    return f"{prefix}{name}"
