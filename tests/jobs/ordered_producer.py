"""Makes producers whose records have offsets in the order in which they were written."""

from __future__ import annotations

from collections.abc import Mapping

from confluent_kafka import Producer


def ordered_producer(bootstrap: str, settings: Mapping[str, str | int] | None = None) -> Producer:
    """Return a producer that keeps the order of a partition's records where it sends some of them again."""
    return Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, **(settings or {})})
