"""Records of the topic kwitness.connections: snapshots of a broker's connection gauge."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .envelope_model import Count, Envelope, Milliseconds
from .gauges import ConnectionCount

__all__ = ["ConnectionSnapshot"]


class ConnectionSnapshot(Envelope):
    """Open connections of one broker at one time; written when they change and at least every 60 s."""

    schema_: Literal["kwitness.connections/1"] = Field(
        "kwitness.connections/1", alias="schema", description="Name and version."
    )
    kind: Literal["snapshot"] = Field("snapshot", description="What the record is.")
    event_source: str = Field(description="<cluster id>/<broker id>.")
    event_epoch: Milliseconds = Field(description="Start of the source, in milliseconds since 1970.")
    event_seq: Count = Field(description="Number within the epoch.")
    cluster_id: str = Field(description="Cluster id.")
    broker_id: str = Field(description="Broker id.")
    sent_at_ms: Milliseconds = Field(description="When the plugin sent it, in milliseconds since 1970.")
    connections: tuple[ConnectionCount, ...] = Field((), description="Open connections by listener and software.")
