"""The columns of the table of traffic, of the facts it is computed from, and how they add up."""

from __future__ import annotations

from pyspark.sql.types import IntegerType, LongType, MapType, StringType, StructField, StructType

from kwitness.jobs.frame.columns import CLIENT_COLUMNS, column
from kwitness.jobs.frame.facts import EVENT_COLUMNS
from kwitness.jobs.frame.json_events import union_of
from kwitness.jobs.frame.owners import TOPIC_PREFIX, owner_columns
from kwitness.jobs.frame.tallies import Tally
from kwitness.jobs.frame.windows import STATE, WINDOW_COLUMNS
from kwitness.jobs.generated.schemas import API_TRAFFIC, PARTITION_TRAFFIC, TOPIC_PRESENCE, WINDOW_SEAL

_LONG, _TEXT = LongType(), StringType()
_COUNTS = MapType(StringType(), LongType())
_BUCKETS = MapType(IntegerType(), LongType())
_OPTIONAL = "absent unless clientColumns names it."

_WHO = (
    column("kind", _TEXT, "partition: records of a topic; api: requests; presence: topics that a client asks for."),
    column("api", _TEXT, "Which request, by Kafka's name."),
    column("topic", _TEXT, "Topic; absent for requests, and while only its id is known."),
    column("topic_id", _TEXT, "Id of the topic, where its name is not known."),
    *CLIENT_COLUMNS,
    column("client_address", _TEXT, f"Address that the client connects from; {_OPTIONAL}"),
    column("group_id", _TEXT, f"Identity key group_id; {_OPTIONAL}"),
    column("listener", _TEXT, f"Listener, where the observer knows it; {_OPTIONAL}"),
)
_SUMS = (
    column("requests", _LONG, "Requests; of a partition's those that named it."),
    column("records", _LONG, "Records, from batch headers."),
    column("bytes", _LONG, "Bytes of the batches as they travelled."),
    column("batches", _LONG, "Record batches."),
    column("unknown_batches", _LONG, "Batches of them whose records cannot be counted."),
    column("transactional_records", _LONG, "Records of transactions."),
    column("aborted_records", _LONG, "Fetched records of transactions known to be aborted."),
    column("duplicate_batches", _LONG, "Batches sent again by an idempotent producer; counted here only."),
    column("rejected_bytes", _LONG, "Bytes of batches that the broker refused."),
    column("unconfirmed", _LONG, "Records sent with acks=0, which no answer confirms."),
    column("request_bytes", _LONG, "Bytes of the requests; kind api only, as what follows."),
    column("response_bytes", _LONG, "Bytes of the answers."),
    column("committed_transactions", _LONG, "Transactions that the broker committed."),
    column("aborted_transactions", _LONG, "Transactions that the broker aborted as the client asked for."),
    column("response_time_us", _LONG, "Sum of the times from request to answer, microseconds."),
    column("waited_us", _LONG, "Sum of the same of fetches that waited for records."),
)
_GREATEST = (column("partitions", _LONG, "Most partitions of the topic that one client asks for; kind presence only."),)
_MAPS = (
    column("errors", _COUNTS, "Answers by Kafka's error code."),
    column("unread", _COUNTS, "Requests or answers that could not be read, by reason; kind api only."),
    column("response_time", _BUCKETS, "Times from request to answer, counted by number of the bucket (sketch bounds)."),
    column("waited", _BUCKETS, "The same of fetches that waited for records."),
)
_DERIVED = (
    column("error_count", _LONG, "Answers with an error."),
    column("response_time_p50_us", _LONG, "Half of the answers took no longer; at most 2.1 % more than measured."),
    column("response_time_p99_us", _LONG, "99 % of the answers took no longer, likewise."),
    column("waited_p50_us", _LONG, "Half of the fetches that waited took no longer."),
    column("waited_p99_us", _LONG, "99 % of the fetches that waited took no longer."),
    column("sources", _LONG, "Observers that the row is from; of a longer window, the most in any of its parts."),
)

_OWNERS = (*owner_columns("the client"), *owner_columns("the topic", TOPIC_PREFIX))

TABLE_SCHEMA = StructType([*WINDOW_COLUMNS, *_WHO, *_SUMS, *_GREATEST, *_MAPS, *_DERIVED, *_OWNERS, STATE])
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
