"""GET /v1/traffic and GET /v1/groups: what observers counted in their last three closed windows."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .client_owner import ClientOwner
from .envelope_model import ClientText, Count, Envelope, ErrorCounts, Milliseconds, ReplicasAnswer

__all__ = ["GroupItem", "GroupPage", "Rate", "TrafficItem", "TrafficPage"]

Rate = Annotated[float, Field(ge=0)]
"""Per second, over the windows of the observers that counted."""


class TrafficItem(Envelope):
    """Requests of one client and API: to one topic, or without `topic` to all topics and none."""

    cluster_id: str = Field(description="Cluster id.")
    api: str = Field(description="Request, by Kafka's name.")
    topic: str | None = Field(None, description="Topic; absent in the item of all requests of the API.")
    principal: ClientText | None = Field(None, description="Authenticated principal.")
    client_id: ClientText | None = Field(None, description="Client id.")
    client_software_name: ClientText | None = Field(None, description="Software name.")
    client_software_version: ClientText | None = Field(None, description="Software version.")
    k8s_namespace: str | None = Field(None, description="Namespace of the client's pod, if a sidecar counted.")
    k8s_workload: str | None = Field(None, description="Name of what made the pod, likewise.")
    k8s_pod: str | None = Field(None, description="The client's pod, likewise.")
    owner: ClientOwner | None = Field(None, description="Owner of the client; absent if no entry matches.")
    topic_owner: ClientOwner | None = Field(None, description="Owner of the topic; absent if no entry matches.")
    requests_per_s: Rate = Field(0, description="Requests per second.")
    records_per_s: Rate | None = Field(None, description="Records per second; in items with a topic.")
    record_bytes_per_s: Rate | None = Field(
        None, description="Bytes of record batches as transferred, per second; in items with a topic."
    )
    request_bytes_per_s: Rate | None = Field(
        None, description="Bytes of requests per second; in items without a topic."
    )
    response_bytes_per_s: Rate | None = Field(
        None, description="Bytes of responses per second; in items without a topic."
    )
    errors: ErrorCounts = Field(default_factory=dict, description="Errors in the windows, by Kafka's code.")
    throttled_responses: Count | None = Field(
        None, description="Responses in the windows that throttle the client by a quota (KIP-219), without a topic."
    )
    throttle_ms: Count | None = Field(None, description="Sum of their throttle times, in milliseconds.")
    fetch_lag: Count | None = Field(
        None, description="The largest fetch lag of a partition in the newest window, in records; absent if unknown."
    )
    fetch_lag_ms: Count | None = Field(None, description="The same in milliseconds; absent if unknown.")
    held_by_transaction: Count | None = Field(
        None, description="Records of a partition behind an open transaction, in the newest window; absent if unknown."
    )
    until_ms: Milliseconds = Field(description="End of the newest window, in milliseconds since 1970.")


class GroupItem(Envelope):
    """Committed lag of one consumer group in one topic."""

    cluster_id: str = Field(description="Cluster id.")
    group_id: ClientText = Field(description="Group.")
    owner: ClientOwner | None = Field(None, description="Owner of the group; absent if no entry matches.")
    topic: str = Field(description="Topic.")
    topic_owner: ClientOwner | None = Field(None, description="Owner of the topic; absent if no entry matches.")
    committed_lag: Count = Field(
        description="The largest distance of a partition's committed offset to its high watermark, in records."
    )
    committed_lag_ms: Count | None = Field(None, description="The same in milliseconds; absent if unknown.")
    went_back_records: Count | None = Field(
        None,
        description="The most records from an offset that was committed within the last hour to the one that the group "
        "had in the partition before; absent where observers saw none go back.",
    )
    went_back_ms: Milliseconds | None = Field(
        None, description="End of the last window with such a commit, in milliseconds since 1970."
    )
    k8s_namespace: str | None = Field(
        None,
        description="Namespace of the pods whose sidecars counted; absent for all other observers. It is there where "
        "`fields` names it: then each group and topic has an item for each namespace.",
    )
    until_ms: Milliseconds = Field(description="End of the newest window, in milliseconds since 1970.")


class _WindowsAnswer(ReplicasAnswer):
    """An answer from observers' windows."""

    matched: Count = Field(
        description="Items that match the filters, of all replicas that answered. An item that several replicas have "
        "may count for each, unless it is in `items`."
    )
    left_out: dict[str, Count] = Field(
        default_factory=dict,
        description="Entries of windows that are in no item, by reason: no_room (budget of memory), no_length (an "
        "observer of an earlier version does not send the start of its windows).",
    )
    continue_: str | None = Field(
        None, alias="continue", description="Token for the next page; absent in the last, and with `order`."
    )


class TrafficPage(_WindowsAnswer):
    """One page of what clients do now."""

    items: tuple[TrafficItem, ...] = Field(description="Items, by `order`, else by cluster, topic, API and client.")
    missed_at_most: Rate | None = Field(
        None,
        description="The largest value of the field in `order` that an item can have which is not in `items`; absent "
        "if there is none, and where `order` is a lag, whose first items are exact. A client that is observed at "
        "several replicas can be among the first by its sum, and not at any single replica.",
    )


class GroupPage(_WindowsAnswer):
    """One page of committed lags."""

    items: tuple[GroupItem, ...] = Field(description="Items, by `order`, else by cluster, group and topic.")
