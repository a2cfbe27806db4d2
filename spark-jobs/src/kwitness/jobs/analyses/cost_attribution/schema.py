"""The columns of CostAttribution."""

from __future__ import annotations

from typing import NamedTuple

from pyspark.sql.types import ArrayType, DecimalType, LongType, StringType, StructType

from kwitness.contracts.resources.analytics_parameters import CostGroup
from kwitness.jobs.analyses.cost_attribution.prices import RATES, Usage
from kwitness.jobs.frame.columns import column

WHOLE = DecimalType(38, 0)
"""Whole numbers beyond 64 bits: a hundred petabytes are more byte-hours in a month than those hold."""
_LONG, _TEXT = LongType(), StringType()

ATTRIBUTED = "attributed"
UNTAGGED = "untagged"
UNATTRIBUTED = "unattributed"


class GroupColumn(NamedTuple):
    """The column that tells groups apart."""

    name: str
    comment: str


GROUP_COLUMNS: dict[CostGroup, GroupColumn] = {
    "principal": GroupColumn("principal", "Principal; null: clients without one."),
    "Team": GroupColumn(
        "owner", "Team that owners name first for client and topic, at the time of the usage; null: nobody."
    ),
    "Topic": GroupColumn("topic", "Topic, by its id where its name is not known; null: requests that named none."),
    "k8s_namespace": GroupColumn("k8s_namespace", "Namespace of the client's pod; null: not known."),
    "client_id": GroupColumn("client_id", "Client id; null: none."),
    "k8s_workload": GroupColumn("k8s_workload", "Workload of the client's pod; null: not known."),
    "Header": GroupColumn("header_value", "Value of the header; null: see attribution."),
}
"""By the word of `groupBy`. Columns that are not asked for are null in all rows."""

CLIENT = ("principal", "client_id", "k8s_namespace", "k8s_workload")
"""Columns that tell clients apart."""

_USAGE_COMMENTS: dict[Usage, str] = {
    "bytes_in": "Bytes of record batches that were sent to brokers, as they travelled.",
    "bytes_out": "Bytes of record batches that brokers sent.",
    "requests": "Requests of all kinds.",
    "stored_byte_hours": "Bytes on the disks of brokers, all replicas, times hours.",
}
COSTS: dict[Usage, str] = {
    "bytes_in": "bytes_in_cost",
    "bytes_out": "bytes_out_cost",
    "requests": "requests_cost",
    "stored_byte_hours": "stored_cost",
}
"""The column with the cost of a usage."""

TABLE_SCHEMA = StructType(
    [
        column("month", _TEXT, "Month of the job's time zone, such as 2028-02."),
        column("month_start_ms", _LONG, "First millisecond of the month, since 1970."),
        column("month_end_ms", _LONG, "First millisecond after the month."),
        column("grouped_by", _TEXT, "What has a row each, such as principal,Topic."),
        *(column(one.name, _TEXT, one.comment) for one in GROUP_COLUMNS.values()),
        column("owner_contact", _TEXT, "How to reach the owner; of the first entry of the team."),
        column(
            "attribution",
            _TEXT,
            "attributed; untagged: of records without the header, or whose headers nobody looked at; unattributed: "
            "stored bytes of topics that nobody was seen to write.",
        ),
        *(column(name, WHOLE, comment) for name, comment in _USAGE_COMMENTS.items()),
        column("currency", _TEXT, "Code of the currency; costs are in micro-units, 1e-6 of it."),
        *(column(COSTS[name], WHOLE, f"Cost of {name}, by the rate {rate}.") for name, rate in RATES.items()),
        column("cost", WHOLE, "Sum of the four."),
        column("unowned_cost", WHOLE, "Part of it that is of usage without an owner; null where there are no owners."),
        column("missing_rates", ArrayType(_TEXT), "Rates that the card has not; what they are for costs 0."),
        column("stored_known_ms", _LONG, "Milliseconds of the month for which stored bytes are known."),
        column("stored_gap_ms", _LONG, "Milliseconds of it between two samples too far apart, which count nothing."),
        column(
            "state", _TEXT, "open: the month is not over in the table of traffic, or a window of it is open; closed."
        ),
    ]
)

KEYS = (*(one.name for one in GROUP_COLUMNS.values()), "attribution")
"""What tells rows of a month apart."""
