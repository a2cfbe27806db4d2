"""Records of the platform's JSON topics, one module for each; JSON Schema and Spark schema are generated from them.

Each carries the schema's name and version, the number its source gave it, and what is known about the client. Unknown
keys are ignored, unknown values absent. The snapshots in `kwitness.connections` are in `kwitness.contracts.envelopes`,
since the plugin's heartbeat has the same parts. Observers' records arrive as lines of bodies
(`kwitness.contracts.envelopes.events`), and so do those of interceptors; headers may come from both.
"""

from __future__ import annotations

from .connections import ConnectionEvent
from .distinct_keys import DistinctKeys
from .event import Event, Observed, OffsetRange, Window
from .headers import HeaderRow, HeaderValue
from .interceptions import (
    ClientInterceptions,
    ClientStatistics,
    HookCalls,
    KeyInterceptions,
    PartitionInterceptions,
    TopicInterceptions,
    TopicStatistics,
)
from .requests import RequestEvent, RequestPartition
from .seals import WindowSeal
from .sketch import SKETCH_BOUNDS, SKETCH_RULE, SizeSketch, Sketch, bucket_of
from .traffic import ApiTraffic, PartitionTraffic, TopicPresence

__all__ = [
    "SKETCH_BOUNDS",
    "SKETCH_RULE",
    "ApiTraffic",
    "ClientInterceptions",
    "ClientStatistics",
    "ConnectionEvent",
    "DistinctKeys",
    "Event",
    "HeaderRow",
    "HeaderValue",
    "HookCalls",
    "KeyInterceptions",
    "Observed",
    "OffsetRange",
    "PartitionInterceptions",
    "PartitionTraffic",
    "RequestEvent",
    "RequestPartition",
    "SizeSketch",
    "Sketch",
    "TopicInterceptions",
    "TopicPresence",
    "TopicStatistics",
    "Window",
    "WindowSeal",
    "bucket_of",
]
