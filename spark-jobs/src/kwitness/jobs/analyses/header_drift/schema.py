"""The columns of the table of headers, of the facts it is computed from, and how they add up.

Rows of an hour (`window_seconds` 3600) are what is reckoned with; those of the job's own window are the newest.
"""

from __future__ import annotations

from pyspark.sql.types import LongType, MapType, StringType, StructType

from kwitness.jobs.frame.columns import CLIENT_COLUMNS, column
from kwitness.jobs.frame.facts import EVENT_COLUMNS
from kwitness.jobs.frame.json_events import union_of
from kwitness.jobs.frame.tallies import Tally
from kwitness.jobs.frame.windows import STATE, WINDOW_COLUMNS
from kwitness.jobs.generated.schemas import HEADER_ROW, WINDOW_SEAL

_LONG, _TEXT = LongType(), StringType()
_VALUES = MapType(StringType(), LongType())

TOPIC, KEY, OVERFLOW = "topic", "key", "overflow"
HOUR_SECONDS = 3600
#: Values of a row that are told apart.
MAX_VALUES = 256

_CLIENT = (
    column("topic", _TEXT, "Topic; absent of what overflowed, and while only its id is known."),
    column("topic_id", _TEXT, "Id of the topic, where its name is not known."),
    column("side", _TEXT, "producer: sent; consumer: received."),
    column("seen_by", _TEXT, "What saw them: python, java, librdkafka (interceptors), or observer (a sample)."),
    *CLIENT_COLUMNS,
)
_WHAT = (
    column(
        "kind",
        _TEXT,
        "topic: records of a client and topic; key: headers with one key among them; overflow: those with keys that "
        "were too many to be told apart.",
    ),
    column("key", _TEXT, "Key of the header; kind key only."),
)
_SUMS = (
    column("headers", _LONG, "Headers with the key; a record may have several. Null for kind topic, as what follows."),
    column("bytes", _LONG, "Size of their values."),
    column("unregistered", _LONG, "Headers reported while no register had the key."),
    column("wrong_type", _LONG, "Headers whose value is not of the registered type."),
    column("too_large", _LONG, "Headers whose value is larger than registered."),
    column("deprecated", _LONG, "Headers whose key is registered as deprecated."),
    column("testing_id", _LONG, "Headers whose key has an id for tests, in a namespace not labelled so."),
    column("missing", _LONG, "Records without the key though it is required."),
    column("removed", _LONG, "Headers that the policy Deny removed."),
    column("values_left_out", _LONG, "Headers whose value is not in `values`, of a key whose values are asked for."),
)
_MAPS = (column("values", _VALUES, f"Headers by value, where values are asked for; the {MAX_VALUES} most frequent."),)
LOOKED_AT = (
    column(
        "records_passed",
        _LONG,
        "Records of the client and topic within the window, with or without the key: the same in its row of kind "
        "topic and in those of its keys.",
    ),
    column("records_looked_at", _LONG, "Those of them whose headers were looked at, likewise."),
)
_DERIVED = (column("sources", _LONG, "Sources that the row is from; of a longer window, the most in any part."),)

TABLE_SCHEMA = StructType([*WINDOW_COLUMNS, *_WHAT, *_CLIENT, *_SUMS, *_MAPS, *LOOKED_AT, *_DERIVED, STATE])
"""Of the table: a row for each window, topic and client in it, and one for each key."""

_WHOLE = column("whole_identity", _TEXT, "Digest of all that is known of the client, its instance included.")
FACTS = union_of([EVENT_COLUMNS, StructType([*_WHAT, *_CLIENT, _WHOLE, *_SUMS, *_MAPS, *LOOKED_AT])])
"""What one record says."""

EVENTS = union_of([HEADER_ROW, WINDOW_SEAL])
"""Fields of all records of the two topics."""

CLIENT = tuple(field.name for field in _CLIENT)
WHAT = tuple(field.name for field in _WHAT)
SUMS = tuple(field.name for field in _SUMS)

TALLY = Tally(keys=("window_start_ms", *WHAT, *CLIENT), sums=SUMS, greatest=(), maps={"values": False})
"""How facts of keys add up to rows."""
LONGER_TALLY = Tally(keys=TALLY.keys, sums=SUMS, greatest=("sources",), maps=TALLY.maps)
"""How rows of keys add up to rows of longer windows."""
