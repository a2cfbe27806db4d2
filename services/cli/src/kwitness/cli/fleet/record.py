"""One record, as the collector would have written it to Kafka."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["FleetRecord"]


class FleetRecord(NamedTuple):
    """A record with the time at which it came to Kafka.

    Attributes
    ----------
    kind
        The topic without its prefix: what observers write, and interceptions, headers or telemetry where asked for.
    timestamp_ms
        When it arrived, in milliseconds since 1970.
    headers
        All of them, as the collector writes them.
    fault
        What was done to it on the way (a `Fault`), empty for most. No reader of topics knows.
    """

    kind: str
    key: bytes
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    timestamp_ms: int
    fault: str
