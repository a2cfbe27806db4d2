"""The columns of the table of traffic, of the facts it is computed from, and how they add up."""

from __future__ import annotations

from pyspark.sql.types import DataType, IntegerType, LongType, MapType, StringType, StructField, StructType

from kwitness.jobs.frame.facts import EVENT_COLUMNS
from kwitness.jobs.frame.json_events import union_of
from kwitness.jobs.frame.tallies import Tally
from kwitness.jobs.frame.windows import STATE, WINDOW_COLUMNS
from kwitness.jobs.generated.schemas import API_TRAFFIC, PARTITION_TRAFFIC, TOPIC_PRESENCE, WINDOW_SEAL

_LONG, _TEXT = LongType(), StringType()
_COUNTS = MapType(StringType(), LongType())
_BUCKETS = MapType(IntegerType(), LongType())


def _field(name: str, kind: DataType, comment: str) -> StructField:
    return StructField(name, kind, True, {"comment": comment})


_WHO = (
    _field("kind", _TEXT, "partition: records of a topic; api: requests; presence: topics that a client asks for."),
    _field("api", _TEXT, "Which request, by Kafka's name."),
    _field("topic", _TEXT, "Topic; absent for requests, and while only its id is known."),
    _field("topic_id", _TEXT, "Id of the topic, where its name is not known."),
    _field("principal", _TEXT, "Identity key principal."),
    _field("client_id", _TEXT, "Identity key client_id."),
    _field("client_software_name", _TEXT, "Identity key client_software_name."),
    _field("client_software_version", _TEXT, "Identity key client_software_version."),
    _field("k8s_namespace", _TEXT, "Namespace of the client's pod, where the observer knows it."),
    _field("k8s_workload", _TEXT, "Workload of the client's pod, likewise."),
)
_SUMS = (
    _field("requests", _LONG, "Requests; of a partition's those that named it."),
    _field("records", _LONG, "Records, from batch headers."),
    _field("bytes", _LONG, "Bytes of the batches as they travelled."),
    _field("batches", _LONG, "Record batches."),
    _field("unknown_batches", _LONG, "Batches of them whose records cannot be counted."),
    _field("transactional_records", _LONG, "Records of transactions."),
    _field("aborted_records", _LONG, "Fetched records of transactions known to be aborted."),
    _field("duplicate_batches", _LONG, "Batches sent again by an idempotent producer; counted here only."),
    _field("rejected_bytes", _LONG, "Bytes of batches that the broker refused."),
    _field("unconfirmed", _LONG, "Records sent with acks=0, which no answer confirms."),
    _field("request_bytes", _LONG, "Bytes of the requests; kind api only, as what follows."),
    _field("response_bytes", _LONG, "Bytes of the answers."),
    _field("committed_transactions", _LONG, "Transactions that the broker committed."),
    _field("aborted_transactions", _LONG, "Transactions that the broker aborted as the client asked for."),
    _field("response_time_us", _LONG, "Sum of the times from request to answer, microseconds."),
    _field("waited_us", _LONG, "Sum of the same of fetches that waited for records."),
)
_GREATEST = (_field("partitions", _LONG, "Most partitions of the topic that one client asks for; kind presence only."),)
_MAPS = (
    _field("errors", _COUNTS, "Answers by Kafka's error code."),
    _field("unread", _COUNTS, "Requests or answers that could not be read, by reason; kind api only."),
    _field("response_time", _BUCKETS, "Times from request to answer, counted by number of the bucket (sketch bounds)."),
    _field("waited", _BUCKETS, "The same of fetches that waited for records."),
)
_DERIVED = (
    _field("error_count", _LONG, "Answers with an error."),
    _field("response_time_p50_us", _LONG, "Half of the answers took no longer; at most 1 % more than measured."),
    _field("response_time_p99_us", _LONG, "99 % of the answers took no longer, likewise."),
    _field("waited_p50_us", _LONG, "Half of the fetches that waited took no longer."),
    _field("waited_p99_us", _LONG, "99 % of the fetches that waited took no longer."),
    _field("sources", _LONG, "Observers that the row is from; of a longer window, the most in any of its parts."),
)

TABLE_SCHEMA = StructType([*WINDOW_COLUMNS, *_WHO, *_SUMS, *_GREATEST, *_MAPS, *_DERIVED, STATE])
"""Of the table: a row for each window, and for each kind, api, topic and client in it."""

_OF_FACTS = [StructField(field.name, _COUNTS) for field in _MAPS]
FACTS = union_of([EVENT_COLUMNS, StructType([*_WHO, *_SUMS, *_GREATEST, *_OF_FACTS])])
"""What one record says; distributions have the numbers of their buckets as text, as in records."""

EVENTS = union_of([PARTITION_TRAFFIC, API_TRAFFIC, TOPIC_PRESENCE, WINDOW_SEAL])
"""Fields of all records of the two topics."""

_NUMBERED = {
    field.name: isinstance(field.dataType, MapType) and field.dataType.keyType == IntegerType() for field in _MAPS
}
TALLY = Tally(
    keys=("window_start_ms", *(field.name for field in _WHO)),
    sums=tuple(field.name for field in _SUMS),
    greatest=tuple(field.name for field in _GREATEST),
    maps=_NUMBERED,
)
"""How facts add up to rows."""

LONGER_TALLY = Tally(keys=TALLY.keys, sums=TALLY.sums, greatest=(*TALLY.greatest, "sources"), maps=_NUMBERED)
"""How rows add up to rows of longer windows."""
