"""Tables of past days: the events of an invented fleet, through the jobs that make the tables of daily questions."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from pyspark.sql import SparkSession

from kwitness.cli.__main__ import main
from kwitness.contracts.owners import OwnerList
from kwitness.contracts.rate_card import RateCard
from kwitness.contracts.resources.analytics_parameters import CostAttributionParameters, UnusedTopicsParameters
from kwitness.jobs.analyses.cost_attribution import job as cost
from kwitness.jobs.analyses.registry import find_job
from kwitness.jobs.analyses.unused_topics import job as unused_topics
from kwitness.jobs.analyses.unused_topics.schema import TABLE_SCHEMA
from kwitness.jobs.analyses.unused_topics.survey import surveyed_rows
from kwitness.jobs.frame.cluster_state import ClusterState, SurveyedTopic
from kwitness.jobs.frame.job import JobInput, rejected_in
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.lattice_sink import LatticeTable
from kwitness.jobs.frame.offsets import TopicPartition
from kwitness.jobs.frame.sink import Reading
from kwitness.jobs.frame.table_sink import PeriodTables

from tests.jobs.open_tables import kinds_of, open_tables
from tests.jobs.tables import frame_of, read
from tests.jobs.topic_uses import snapshot_of
from tests.jobs.traffic import counted

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
CLUSTER: Final = "fleet"
OWNERS: Final = OwnerList.model_validate(
    {
        "owners": [
            {"team": "orders", "contact": "#orders", "match": {"clientId": "orders-*"}},
            {"team": "mail", "match": {"clientId": "mail-*"}},
        ]
    }
)
CARD: Final = RateCard(
    currency="EUR", bytes_in_per_gib=2**30, bytes_out_per_gib=2 * 2**30, requests_per_million=0, stored_per_gib_month=0
)
"""A micro-unit for each byte sent, and two for each byte fetched: costs are sums of bytes."""
TOPICS: Final = ("orders.0", "payments.1", "stock.2", "mail.3", "prices.4", "search.5")
"""All topics of the fleet."""
LOG_BYTES: Final = 4096
"""Of each topic."""
_TABLES: Final = {
    "Traffic": "traffic",
    "UpgradeImpact": "upgrade_impact",
    "EndToEndLatency": "end_to_end_latency",
    "TelemetryRollup": "telemetry",
    "Completeness": "completeness",
}
_UNUSED_FOR: Final = UnusedTopicsParameters(unused_for="24h")


@dataclass(frozen=True)
class PastDays:
    """Records that the fleet's observers, clients and interceptors reported, and the folder with the tables.

    Attributes
    ----------
    records
        By kind, in the order of their arrival.
    """

    folder: Path
    records: dict[str, list[KafkaRecord]]

    @cached_property
    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Their values, of all that are JSON."""
        return {
            kind: [json.loads(record.value or b"") for record in records]
            for kind, records in self.records.items()
            if kind != "telemetry"
        }

    def moved(self, api: str, **fields: Any) -> list[dict[str, Any]]:
        """Return rows of traffic by partition with these fields."""
        return [
            row
            for row in self.rows["traffic"]
            if row["kind"] == "partition" and row["api"] == api and fields.items() <= row.items()
        ]


def past_days(spark: SparkSession, folder: Path, options: list[str]) -> PastDays:
    """Generate the events that the options of `kwitness generate` ask for, and have the jobs make their tables."""
    file = folder / "events.ndjson"
    assert main([*options, "--to", str(file)]) == 0
    records = _records(file)
    records["connections"] += _counts(records["connections"])
    days = PastDays(folder, records)
    for job_type, table in _TABLES.items():
        given = JobInput(_parameters(job_type), 3600.0, owners=OWNERS, cluster_id=CLUSTER)
        opened = open_tables(spark, folder / "tables" / table, job_type, given)
        of_job = [record for kind in kinds_of(job_type) for record in records.get(kind, ())]
        _write(opened.reads[0](frame_of(spark, of_job)), of_job)
    _make_unused_topics(spark, days)
    _make_cost(spark, days)
    return days


def _records(file: Path) -> dict[str, list[KafkaRecord]]:
    found: dict[str, list[KafkaRecord]] = defaultdict(list)
    for line in file.read_text().splitlines():
        event = json.loads(line)
        kind = event["topic"]
        headers = tuple((name, text.encode()) for name, text in event["headers"].items())
        value = event["value"].encode() if "value" in event else base64.b64decode(event["value_base64"])
        place = f"kwitness.{kind}", 0, len(found[kind]), event["timestamp_ms"]
        found[kind].append(KafkaRecord(*place, None, value, headers))
    return dict(found)


def _counts(connections: list[KafkaRecord]) -> list[KafkaRecord]:
    """Return what `kwitness generate` leaves out: a broker's count of all software in each hour."""
    opened = [json.loads(record.value or b"") for record in connections]
    software = sorted({(row["client_software_name"], row["client_software_version"]) for row in opened})
    times = range(_first_ms(connections), connections[-1].timestamp_ms + HOUR_MS, HOUR_MS)
    entries = [counted(*names) for names in software]
    return [
        snapshot_of(len(connections) + number, at_ms, entries, CLUSTER)._replace(timestamp_ms=at_ms)
        for number, at_ms in enumerate(times)
    ]


def _first_ms(records: list[KafkaRecord]) -> int:
    return records[0].timestamp_ms // DAY_MS * DAY_MS


def _parameters(job_type: str) -> Any:
    model = find_job(job_type).parameters
    return model(target="4.0") if job_type == "UpgradeImpact" else model()


def _write(reading: Reading, records: list[KafkaRecord]) -> None:
    """Write a batch as the stream does, which decodes it once."""
    ends = {TopicPartition(record.topic, 0): record.offset + 1 for record in records}
    decoded = reading.decoded.persist()
    try:
        assert rejected_in(decoded).take(1) == []
        reading.write(ends)
    finally:
        decoded.unpersist()


def _make_unused_topics(spark: SparkSession, days: PastDays) -> None:
    """Survey the fleet's cluster after the first day and after the last."""
    given, path = JobInput(_UNUSED_FOR, 300.0, cluster_id=CLUSTER), str(days.folder / "tables/unused_topics/table")
    table = LatticeTable(spark, unused_topics.JOB, unused_topics.SINK, given, path)
    table.prepare()
    records = [*days.records["traffic"], *days.records["connections"]]
    _write(table.read(frame_of(spark, records)), records)
    connections = days.records["connections"]
    for at_ms in (_first_ms(connections) + DAY_MS, connections[-1].timestamp_ms):
        surveyed = surveyed_rows(_state(days, at_ms), read(path), dict.fromkeys(TOPICS, False), given)
        table.merge(spark.createDataFrame(surveyed, TABLE_SCHEMA, verifySchema=False), table.positions())


def _state(days: PastDays, at_ms: int) -> ClusterState:
    """Return the fleet's cluster as of a time: the ends of topics moved where something was written."""
    written = [row for row in days.moved("Produce") if row["window_end_ms"] <= at_ms and row.get("topic")]
    ends = {name: sum(row["records"] for row in written if row["topic"] == name) for name in TOPICS}
    topics = tuple(
        SurveyedTopic(name, partitions=1, starts={0: 0}, ends={0: end}, log_bytes=LOG_BYTES)
        for name, end in ends.items()
    )
    return ClusterState(CLUSTER, at_ms, ("1",), frozenset(TOPICS), topics)


def _make_cost(spark: SparkSession, days: PastDays) -> None:
    parameters = {
        "traffic_job_ref": {"name": "traffic"},
        "rate_card_config_map_ref": {"name": "kwitness-rates"},
        "group_by": ("Team", "Topic"),
        "time_zone": "Etc/UTC",
    }
    tables = days.folder / "tables"
    given = JobInput(
        CostAttributionParameters.model_validate(parameters),
        300.0,
        owners=OWNERS,
        rate_card=CARD,
        tables={"Traffic": (tables / "traffic/table").as_uri()},
    )
    path, samples = str(tables / "cost/table"), str(days.folder / "samples")
    periods = PeriodTables(spark, cost.JOB, cost.SINK, given, path=path, samples_path=samples)
    periods.prepare()
    periods.update()
