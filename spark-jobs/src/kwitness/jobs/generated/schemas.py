"""Generated from contracts/ by `make generate`; do not edit."""

# ruff: noqa: E501
from __future__ import annotations

CONNECTION_SNAPSHOT = (
    "schema STRING, "
    "kind STRING, "
    "event_source STRING, "
    "event_epoch BIGINT, "
    "event_seq BIGINT, "
    "cluster_id STRING, "
    "broker_id STRING, "
    "sent_at_ms BIGINT, "
    "connections ARRAY<STRUCT<listener: STRING, client_software_name: STRING, client_software_version: STRING, connections: BIGINT>>"
)
"""Value of a record in kwitness.connections of kind snapshot, as a Spark DDL schema."""

TELEMETRY_HEADERS = (
    "schema",
    "event_source",
    "event_epoch",
    "event_seq",
    "received_at_ms",
    "push_interval_ms",
    "terminating",
    "content_type",
    "cluster_id",
    "broker_id",
    "listener",
    "principal",
    "client_id",
    "client_instance_id",
    "client_software_name",
    "client_software_version",
    "client_address",
    "client_source_port",
    "client_rack",
    "group_id",
    "group_instance_id",
    "group_member_id",
    "transactional_id",
    "application_id",
    "k8s_namespace",
    "k8s_workload",
    "k8s_pod",
)
"""Every header that a record in kwitness.telemetry may have."""
