"""Generated from contracts/ by `make generate`; do not edit."""

# fmt: off
from __future__ import annotations

from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

CONNECTION_SNAPSHOT = StructType([
    StructField("schema", StringType()),
    StructField("kind", StringType()),
    StructField("event_source", StringType()),
    StructField("event_epoch", LongType()),
    StructField("event_seq", LongType()),
    StructField("cluster_id", StringType()),
    StructField("broker_id", StringType()),
    StructField("sent_at_ms", LongType()),
    StructField("connections", ArrayType(StructType([
        StructField("listener", StringType()),
        StructField("client_software_name", StringType()),
        StructField("client_software_version", StringType()),
        StructField("connections", LongType()),
    ]))),
])
"""Value of a record in kwitness.connections of kind snapshot."""

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
