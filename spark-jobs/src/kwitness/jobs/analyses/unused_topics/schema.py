"""The columns of UnusedTopics."""

from __future__ import annotations

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from kwitness.jobs.frame.columns import column

TOPIC = "topic"
TOPIC_ID = "topic_id"
SOFTWARE = "software"
BROKER = "broker"
GAP = "gap"

#: Days kept of a software or a broker: somewhat more than the longest `unusedFor`.
MAX_DAYS = 4_000

LAST_PRODUCED = ("ms", "principal", "client_id", "client_software_name", "client_software_version")
LAST_FETCHED = (*LAST_PRODUCED, "group_id")


PARTIAL_SCHEMA = StructType(
    [
        StructField("cluster_id", StringType()),
        StructField("kind", StringType()),
        StructField("subject", StringType()),
        StructField("listener", StringType()),
        StructField("at_ms", LongType()),
        StructField("use", StringType()),
        *(StructField(name, StringType()) for name in LAST_FETCHED[1:]),
    ]
)
"""What one record says of one subject; `use` is produced, fetched, counted or observed."""

_WORDS = {
    "ms": "when, ms since the epoch; whether or not the broker took it.",
    "principal": "principal.",
    "client_id": "client id.",
    "client_software_name": "software name.",
    "client_software_version": "software version.",
    "group_id": "group, where the request named it.",
}
_OFFSETS = ArrayType(StructType([StructField("partition", IntegerType()), StructField("offset", LongType())]))
_GROUPS = ArrayType(
    StructType(
        [
            StructField("group_id", StringType()),
            StructField("state", StringType()),
            StructField("members", IntegerType()),
            StructField("committed", _OFFSETS),
        ]
    )
)

KEY_FIELDS = (
    column("cluster_id", StringType(), "Kafka cluster."),
    column(
        "kind",
        StringType(),
        "topic; topic_id (a topic of which only the id was seen); software (connected, by brokers or by observers); "
        "broker (that counts connections); gap (what observers could not tell the topic of).",
        nullable=False,
    ),
    column("subject", StringType(), "Name of the topic; software/version; id of the broker; why.", nullable=False),
    column("listener", StringType(), "Listener, of software as brokers count it."),
)

SEEN_FIELDS = (
    column("first_seen_ms", LongType(), "First time in a record or a survey, ms since the epoch.", nullable=False),
    column("last_seen_ms", LongType(), "Last time likewise, ms since the epoch.", nullable=False),
    *(
        column(f"last_produced_{name}", LongType() if name == "ms" else StringType(), f"Last Produce: {_WORDS[name]}")
        for name in LAST_PRODUCED
    ),
    *(
        column(f"last_fetched_{name}", LongType() if name == "ms" else StringType(), f"Last Fetch: {_WORDS[name]}")
        for name in LAST_FETCHED
    ),
    column("counted_days", ArrayType(IntegerType()), "Days since 1970 (UTC) on which brokers counted it connected."),
    column("observed_days", ArrayType(IntegerType()), "Days since 1970 (UTC) on which observers saw it."),
)
"""What records say."""

SURVEY_FIELDS = (
    column("surveyed_ms", LongType(), "Last survey of the cluster, ms since the epoch; the columns after are its."),
    column("listed", BooleanType(), "Whether the cluster has the topic, as far as the job's credential may know."),
    column("topic_id", StringType(), "The topic's id; another one after it was recreated."),
    column("reported", BooleanType(), "Whether findings speak of it: not internal, not the platform's, not ignored."),
    column("partitions", IntegerType(), "Partitions."),
    column("end_offsets", _OFFSETS, "The next offset of each partition that was ever written."),
    column("ends_since_ms", LongType(), "Survey since which no end offset moved."),
    column("ends_moved_ms", LongType(), "Last survey that found one moved."),
    column("latest_timestamp_ms", LongType(), "Largest timestamp of a record; producers may choose it."),
    column("records", LongType(), "Offsets between start and end: records that are kept, at most."),
    column("log_bytes", LongType(), "Bytes on the disks of brokers, all replicas."),
    column("groups", _GROUPS, "Consumer groups with members or committed offsets on it."),
    column("groups_since_ms", LongType(), "Survey since which no group had members on it or moved its offsets."),
    column("groups_used_ms", LongType(), "Last survey that found one with members or with moved offsets."),
    column(
        "coverage",
        StringType(),
        "full: observers saw each software that brokers counted, on each of its days, which need not be each client or "
        "connection of it. partial, or none.",
    ),
    column("not_observed", ArrayType(StringType()), "Software that brokers counted and observers did not see."),
    column("written", StringType(), "Whether it is written: Used, Unused (proved), NotSeen (evidence is missing)."),
    column("fetched", StringType(), "Whether it is read, likewise."),
    column("verdict", StringType(), "Used if one of the two is, Unused if both are unused, else NotSeen."),
    column("missing", ArrayType(StringType()), "What is missing for more than NotSeen."),
)
"""What surveys say; all of the last one."""

TABLE_SCHEMA = StructType([*KEY_FIELDS, *SEEN_FIELDS, *SURVEY_FIELDS])

KEYS = tuple(field.name for field in KEY_FIELDS)
SURVEY_COLUMNS = tuple(field.name for field in SURVEY_FIELDS)
