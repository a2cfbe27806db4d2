"""Bodies of our HTTP APIs, one module per direction; the collector's OpenAPI and JSON Schema are generated from them.

All keys are snake_case, as identity keys are everywhere. Unknown keys are ignored, so that older and newer sides
understand each other; unknown identity keys are absent, never null.
"""

from __future__ import annotations

from .driver_status import DriverFinding, DriverLag, DriverLedger, DriverRun, DriverStatus, LostRecords
from .events import (
    EVENTS_CONTENT_TYPE,
    MAX_EVENTS_BYTES,
    MAX_EVENTS_ROWS,
    ApiTotals,
    Directives,
    EventRow,
    EventsAnswer,
    EventsHead,
    ObserverLedger,
    ObserverName,
    ObserverReport,
    TimeTotals,
    TrafficTotals,
    WindowTotals,
    WorkloadName,
)
from .gauges import ConnectionCount, GaugeSnapshot, PluginLedger
from .header_totals import HeaderTotals
from .interceptor_events import (
    HookTotals,
    InterceptedTotals,
    InterceptionTotals,
    InterceptorClients,
    InterceptorReport,
    InterceptorsHead,
    KeyTotals,
    LatencyTotals,
    ProfileName,
    SizeTotals,
)
from .inventory import (
    BrokerState,
    ClientItem,
    ClientPage,
    ClusterState,
    HeaderFinding,
    HopState,
    InterceptorState,
    ObserverState,
    SoftwareConnections,
    SoftwareState,
)
from .number_ranges import ranges_of
from .open_connections import (
    MAX_OPEN_CONNECTIONS,
    ConnectionItem,
    ConnectionPage,
    ConnectionState,
    ObserverListing,
    OpenConnection,
    OpenConnections,
)
from .pushes import ApiError, ErrorBody, Push, PushAnswer, PushBatch, Rejection
from .snapshots import ConnectionSnapshot
from .subscriptions import SilentSoftwareState, SubscriptionClients, SubscriptionState, TopClient

__all__ = [
    "EVENTS_CONTENT_TYPE",
    "MAX_EVENTS_BYTES",
    "MAX_EVENTS_ROWS",
    "MAX_OPEN_CONNECTIONS",
    "ApiError",
    "ApiTotals",
    "BrokerState",
    "ClientItem",
    "ClientPage",
    "ClusterState",
    "ConnectionCount",
    "ConnectionItem",
    "ConnectionPage",
    "ConnectionSnapshot",
    "ConnectionState",
    "Directives",
    "DriverFinding",
    "DriverLag",
    "DriverLedger",
    "DriverRun",
    "DriverStatus",
    "ErrorBody",
    "EventRow",
    "EventsAnswer",
    "EventsHead",
    "GaugeSnapshot",
    "HeaderFinding",
    "HeaderTotals",
    "HookTotals",
    "HopState",
    "InterceptedTotals",
    "InterceptionTotals",
    "InterceptorClients",
    "InterceptorReport",
    "InterceptorState",
    "InterceptorsHead",
    "KeyTotals",
    "LatencyTotals",
    "LostRecords",
    "ObserverLedger",
    "ObserverListing",
    "ObserverName",
    "ObserverReport",
    "ObserverState",
    "OpenConnection",
    "OpenConnections",
    "PluginLedger",
    "ProfileName",
    "Push",
    "PushAnswer",
    "PushBatch",
    "Rejection",
    "SilentSoftwareState",
    "SizeTotals",
    "SoftwareConnections",
    "SoftwareState",
    "SubscriptionClients",
    "SubscriptionState",
    "TimeTotals",
    "TopClient",
    "TrafficTotals",
    "WindowTotals",
    "WorkloadName",
    "ranges_of",
]
