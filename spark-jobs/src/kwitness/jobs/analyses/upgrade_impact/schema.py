"""The columns of UpgradeImpact. None of them depends on the release that somebody wants to go to."""

from __future__ import annotations

from pyspark.sql.types import BooleanType, LongType, StringType, StructField, StructType

from kwitness.jobs.frame.columns import column
from kwitness.jobs.frame.owners import owner_columns

_LONG, _TEXT = LongType(), StringType()

REQUEST = "request"
CONNECTION = "connection"
SOFTWARE = "software"

CLIENT_FIELDS = (
    column("cluster_id", _TEXT, "Kafka cluster."),
    column("principal", _TEXT, "Identity key principal."),
    column("client_id", _TEXT, "Identity key client_id."),
    column("client_software_name", _TEXT, "Identity key client_software_name; null of clients that announce nothing."),
    column("client_software_version", _TEXT, "Identity key client_software_version."),
    column("k8s_namespace", _TEXT, "Namespace of the client's pod, where the observer knows it."),
    column("k8s_workload", _TEXT, "Workload of the client's pod, likewise."),
)
KEY_FIELDS = (
    column(
        "kind",
        _TEXT,
        "request: an observer saw the client use a version of an API; connection: an observer saw a connection of it "
        "end, or could not read it; software: brokers counted it connected, and say nothing else of who it is.",
        nullable=False,
    ),
    column("api", _TEXT, "Which request, by Kafka's name; `other` of what overflowed. Kind request only."),
    column("api_version", _LONG, "Its version; null of what overflowed."),
    *CLIENT_FIELDS,
)
SUMS = ("requests", "request_bytes", "response_bytes")
TABLE_SCHEMA = StructType(
    [
        *KEY_FIELDS,
        column(
            "added_in", _TEXT, "First known release of Kafka that answers it; null where the oldest one (3.9) does."
        ),
        column("dropped_in", _TEXT, "First release that no longer answers it; null where all that are known do."),
        column("requests", _LONG, "Requests; a record that is in the topic twice counts twice."),
        column("request_bytes", _LONG, "Bytes of the requests."),
        column("response_bytes", _LONG, "Bytes of the answers."),
        column("connections", _LONG, "Most connections at once on one listener of one broker; kind software only."),
        column("first_seen_ms", _LONG, "First time, ms since the epoch.", nullable=False),
        column("last_seen_ms", _LONG, "Last time, ms since the epoch.", nullable=False),
        *owner_columns("the client, when it was seen last"),
        column("ended", BooleanType(), "Whether it was not seen for a day. Splits the table."),
    ]
)

KEYS = tuple(field.name for field in KEY_FIELDS)
CLIENT = tuple(field.name for field in CLIENT_FIELDS)

PARTIAL_SCHEMA = StructType(
    [
        *(StructField(field.name, field.dataType) for field in KEY_FIELDS),
        *(StructField(name, _LONG) for name in (*SUMS, "connections", "first_seen_ms", "last_seen_ms")),
    ]
)
"""What one record says of one client, or of one version of an API that it used."""
