"""Records of the platform's JSON topics, one module for each; JSON Schema and Spark schema are generated from them.

Each carries the schema's name and version, the number its source gave it, and what is known about the client. Unknown
keys are ignored, unknown values absent. The snapshots in `kwitness.connections` are in `kwitness.contracts.envelopes`,
since the plugin's heartbeat has the same parts. Only those are written yet: observers and interceptors come later.
"""

from __future__ import annotations

from .connections import ConnectionEvent
from .event import Event, OffsetRange, Sketch, Window
from .interceptions import InterceptionWindow
from .requests import RequestEvent
from .seals import WindowSeal
from .traffic import TrafficWindow

__all__ = [
    "ConnectionEvent",
    "Event",
    "InterceptionWindow",
    "OffsetRange",
    "RequestEvent",
    "Sketch",
    "TrafficWindow",
    "Window",
    "WindowSeal",
]
