"""No record that a workload can write ends an analysis: it is counted or in quarantine, and the next batch is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.accumulators import Accumulator
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.rate_card import RateCard
from kwitness.contracts.resources.analytics_parameters import CostAttributionParameters
from kwitness.jobs.analyses.cost_attribution.job import JOB, SINK
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.moments import now_ms
from kwitness.jobs.frame.offsets import TopicPartition
from kwitness.jobs.frame.table_sink import PeriodTables

from tests.jobs.extreme_records import extremes
from tests.jobs.observed import START_MS
from tests.jobs.open_tables import READ_TOPICS, OpenTables, kinds_of, open_tables
from tests.jobs.tables import frame_of, read

_HOUR_MS = 3_600_000
_CARD = RateCard(currency="EUR", bytes_in_per_gib=10**15, requests_per_million=1, stored_per_gib_month=10**15)


Fed = Callable[[str], OpenTables]


@pytest.fixture(scope="module")
def fed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Fed:
    """The tables of an analysis that has read two batches of extremes, the second of which adds to what it has.

    Each batch is read once: decoding is the greatest part of an analysis' work.
    """

    @cache
    def feed(job_type: str) -> OpenTables:
        tables = open_tables(spark, tmp_path_factory.mktemp(job_type), job_type)
        for batch, copies in enumerate((1_100, 1)):
            records = [record for kind in kinds_of(job_type) for record in extremes(kind, copies=copies)]
            for read_records in tables.reads:
                read_count = spark.sparkContext.accumulator(0)
                frame = frame_of(spark, records)
                reading = read_records(frame.mapInArrow(partial(_counted, read_count), frame.schema))
                decoded = reading.decoded.persist()
                used, rejected = decoded.agg(F.sum("used"), F.count("rejected")).collect()[0]
                assert used + rejected == len(records)
                assert used
                assert rejected
                reading.write({TopicPartition(record.topic, 0): record.offset + 1 + batch for record in records})
                decoded.unpersist()
                assert read_count.value == len(records)
        return tables

    return feed


def _counted(read_count: Accumulator[int], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        read_count.add(batch.num_rows)
        yield batch


@pytest.mark.parametrize("job_type", READ_TOPICS)
def test_no_record_ends_an_analysis(fed: Fed, job_type: str) -> None:
    fed(job_type)


def test_no_record_ends_the_bill_of_what_the_analyses_before_it_have_counted(
    spark: SparkSession, fed: Fed, tmp_path: Path
) -> None:
    inputs = {name: fed(name).table.path for name in ("Traffic", "HeaderDrift")}
    parameters = CostAttributionParameters.model_validate(
        {
            "traffic_job_ref": {"name": "traffic"},
            "rate_card_config_map_ref": {"name": "rates"},
            "group_by": ("principal", "client_id", "k8s_namespace", "k8s_workload", "Topic", "Header"),
            "header": "charge.tag",
        }
    )
    given = JobInput(parameters, 300.0, rate_card=_CARD, tables=inputs)
    bills = PeriodTables(spark, JOB, SINK, given, path=str(tmp_path / "bills"), samples_path=str(tmp_path / "samples"))
    bills.prepare()
    for hour in range(2):
        bills.samples.add(START_MS + hour * _HOUR_MS, {"orders": 2**63 - 1, "": 2**63 - 1, "empty": 0})

    assert bills.update() == ("2026-09",)

    rows = read(bills.table.path)
    counted = [row for row in read(inputs["Traffic"]) if row["window_seconds"] == 300 and row["kind"] == "api"]
    assert sum(row["requests"] for row in rows) == sum(row["requests"] or 0 for row in counted) > 2**53
    assert sum(row["stored_byte_hours"] for row in rows) == 2 * (2**63 - 1)
    assert JOB.findings is not None
    assert JOB.findings(bills.table.frame(), given, now_ms()).counts
