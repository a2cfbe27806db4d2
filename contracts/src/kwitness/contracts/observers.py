"""Words about observers that bodies, records and configuration share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

__all__ = ["ObserverMode", "ReportableApi", "ReportedBy", "ResourceName", "WorkloadKind"]

ObserverMode = Literal["gateway", "sidecar", "broker", "laptop"]
ReportedBy = Literal["gateway", "pod", "broker", "laptop"]
ReportableApi = Literal[
    "Produce",
    "Fetch",
    "ShareFetch",
    "Metadata",
    "OffsetCommit",
    "JoinGroup",
    "ConsumerGroupHeartbeat",
    "CreateTopics",
    "DeleteTopics",
    "AlterConfigs",
]
"""Kafka's names of the APIs whose fields may be reported; none has a client's secret in it."""
"""A namespace."""
ResourceName = Annotated[str, Field(min_length=1, max_length=253, pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")]
"""A resource's or a pod's name."""
WorkloadKind = Annotated[str, Field(min_length=1, max_length=63, pattern=r"^[A-Za-z][A-Za-z0-9]*$")]
"""The kind of what a pod was made by, such as Deployment."""
