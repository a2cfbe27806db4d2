"""The nouns of questions over HTTP."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.endpoints import CLIENTS_PATH, CONNECTIONS_PATH, GROUPS_PATH, TRAFFIC_PATH
from kwitness.contracts.envelopes import ClientItem, ConnectionItem, GroupItem, TrafficItem
from kwitness.contracts.questions import Noun

__all__ = ["CLIENTS", "CONNECTIONS", "GROUPS", "NOUNS", "TRAFFIC"]

CLIENTS: Final = Noun(
    CLIENTS_PATH,
    ClientItem,
    filters=(
        "client_id",
        "client_instance_id",
        "principal",
        "group_id",
        "client_software_name",
        "client_software_version",
        "client_address",
        "k8s_namespace",
        "k8s_workload",
        "owner",
        "known_wrong",
    ),
    orders=("client_id", "principal", "owner", "first_seen_ms", "last_push_ms"),
    lists_changes=True,
)
CONNECTIONS: Final = Noun(
    CONNECTIONS_PATH,
    ConnectionItem,
    filters=(
        "client_software_name",
        "client_software_version",
        "principal",
        "client_id",
        "client_address",
        "broker_id",
        "group_id",
        "k8s_namespace",
        "k8s_workload",
        "owner",
    ),
    orders=("client_id", "principal", "client_address", "owner", "opened_at_ms"),
)
TRAFFIC: Final = Noun(
    TRAFFIC_PATH,
    TrafficItem,
    filters=(
        "topic",
        "api",
        "principal",
        "client_id",
        "client_software_name",
        "client_software_version",
        "k8s_namespace",
        "k8s_workload",
        "owner",
        "topic_owner",
    ),
    orders=(
        "requests_per_s",
        "records_per_s",
        "record_bytes_per_s",
        "request_bytes_per_s",
        "response_bytes_per_s",
        "throttle_ms",
        "fetch_lag",
        "fetch_lag_ms",
    ),
)
GROUPS: Final = Noun(
    GROUPS_PATH,
    GroupItem,
    filters=("group_id", "owner", "topic", "topic_owner"),
    orders=("committed_lag", "committed_lag_ms"),
)
NOUNS: Final = (CLIENTS, CONNECTIONS, TRAFFIC, GROUPS)
"""All nouns, in the order of the reference."""
