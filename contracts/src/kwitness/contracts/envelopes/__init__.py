"""Bodies of our HTTP APIs, one module per direction; the collector's OpenAPI and JSON Schema are generated from them.

All keys are snake_case, as identity keys are everywhere. Unknown keys are ignored, so that older and newer sides
understand each other; unknown identity keys are absent, never null.
"""

from __future__ import annotations

from .driver_status import DriverLag, DriverLedger, DriverRun, DriverStatus, LostRecords
from .gauges import ConnectionCount, GaugeSnapshot, PluginLedger
from .inventory import BrokerState, ClientItem, ClientPage, ClusterState, HopState, SoftwareState
from .pushes import ApiError, ErrorBody, Push, PushAnswer, PushBatch, Rejection
from .snapshots import ConnectionSnapshot
from .subscriptions import SilentSoftwareState, SubscriptionClients, SubscriptionState, TopClient

__all__ = [
    "ApiError",
    "BrokerState",
    "ClientItem",
    "ClientPage",
    "ClusterState",
    "ConnectionCount",
    "ConnectionSnapshot",
    "DriverLag",
    "DriverLedger",
    "DriverRun",
    "DriverStatus",
    "ErrorBody",
    "GaugeSnapshot",
    "HopState",
    "LostRecords",
    "PluginLedger",
    "Push",
    "PushAnswer",
    "PushBatch",
    "Rejection",
    "SilentSoftwareState",
    "SoftwareState",
    "SubscriptionClients",
    "SubscriptionState",
    "TopClient",
]
