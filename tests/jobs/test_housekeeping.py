from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import ArrayType, StructField, StructType

from kwitness.contracts.resources.analytics_parameters import ClientInventoryParameters
from kwitness.jobs.analyses.client_inventory.job import JOB, SINK
from kwitness.jobs.analyses.client_inventory.transform import expired, transform
from kwitness.jobs.frame import rejection
from kwitness.jobs.frame.delta_table import JobTable, TableSchemaError, keep_first
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.offsets import TopicPartition
from kwitness.jobs.frame.rejection import KEPT, QUARANTINE_SCHEMA, outdated
from kwitness.jobs.frame.table_schema import missing_fields, other_fields

from tests import soak
from tests.jobs.tables import frame_of, read
from tests.jobs.traffic import START_MS, push

ZERO = TopicPartition("t", 0)
JOB_INPUT = JobInput(ClientInventoryParameters(), 300.0)
START = datetime.fromtimestamp(START_MS / 1000, UTC)


@pytest.fixture
def no_waiting(spark: SparkSession) -> SparkSession:
    """Files that no version needs any more are removed at once instead of after a day."""
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    return spark


@pytest.mark.soak
def test_housekeeping_forgets_old_clients_and_removes_old_files(no_waiting: SparkSession, tmp_path: Path) -> None:
    spark = no_waiting
    table = JobTable(spark, str(tmp_path / "table"), JOB.schema, SINK.keys)
    table.ensure()
    retention = "SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 0 hours')"
    spark.sql(f"ALTER TABLE delta.`{table.path}` {retention}")
    late = START_MS + 3_600_000
    # Each merge leaves files behind.
    for number in range(soak.share(20)):
        old = number % 2 == 0
        record = push(
            client_instance_id=f"{'gone' if old else 'here'}-{number}", received_at_ms=str(START_MS if old else late)
        )
        table.merge(transform(frame_of(spark, [record]), JOB_INPUT).rows, SINK.merge, {})
    forgotten = START + timedelta(days=365)
    horizon = expired(JobInput(ClientInventoryParameters(forget_after="8759h"), 300.0), forgotten)

    table.tidy(horizon)

    kept = sorted(row["client_instance_id"] for row in read(table.path))
    assert kept == sorted(f"here-{number}" for number in range(1, soak.share(20), 2))
    files = {path.name for path in Path(table.path).rglob("*.parquet") if "_delta_log" not in path.parts}
    assert files == {Path(uri).name for uri in DeltaTable(table.path).file_uris()}
    assert len(files) == 1


def test_the_quarantine_keeps_what_is_young_and_the_newest_of_too_many(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejection, "MAX_KEPT", 3)
    table = JobTable(spark, str(tmp_path / "records"), QUARANTINE_SCHEMA, ("topic", "partition", "offset"))
    table.ensure()
    # Record n came n ms after the start.
    bad = [push(offset, b"garbage") for offset in range(6)]
    table.merge(transform(frame_of(spark, bad), JOB_INPUT).rejected, keep_first, {})

    table.tidy(outdated(table.frame(), START))
    assert sorted(row["offset"] for row in read(table.path)) == [2, 3, 4, 5]
    table.tidy(outdated(table.frame(), START + KEPT + timedelta(milliseconds=5)))
    assert sorted(row["offset"] for row in read(table.path)) == [5]


def test_a_newer_job_adds_its_columns_at_any_depth_and_goes_on_with_old_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = str(tmp_path / "table")
    inner = StructType([field for field in _element("versions") if field.name != "last_seen_ms"])
    older = StructType(
        [
            StructField("versions", ArrayType(inner)) if field.name == "versions" else field
            for field in JOB.schema
            if field.name != "terminated"
        ]
    )
    pushed = transform(frame_of(spark, [push(terminating="true")]), JOB_INPUT).rows
    JobTable(spark, path, older, SINK.keys).ensure()
    spark.sql(
        f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 9 days')"
    )
    before = pushed.drop("terminated").withColumn(
        "versions", F.transform("versions", lambda one: one.dropFields("last_seen_ms"))
    )
    before.write.format("delta").mode("append").save(path)

    table = JobTable(spark, path, JOB.schema, SINK.keys)
    table.ensure()
    table.merge(pushed, SINK.merge, {ZERO: 7})
    table.tidy(None)

    (row,) = read(path)
    assert row["terminated"] is True
    assert row["versions"][0]["last_seen_ms"] == START_MS
    there = {field.name: field.metadata.get("comment") for field in table.frame().schema}
    assert there["terminated"] == JOB.schema["terminated"].metadata["comment"]
    assert DeltaTable(path).metadata().configuration["delta.deletedFileRetentionDuration"] == "interval 2 hours"
    last = max((tmp_path / "table" / "_delta_log").glob("*.json"))
    assert table.version() == int(last.stem)
    assert '"userMetadata":"{\\"positions\\": {\\"t\\": {\\"0\\": 7}}}"' in last.read_text(), (
        "housekeeping repeats them"
    )


@pytest.mark.usefixtures("spark")
def test_fields_are_compared_by_name_at_any_depth() -> None:
    # Spark parses their declarations.
    there = StructType.fromDDL("a int, s struct<x: int>, v array<struct<x: int>>, m map<string, struct<x: int>>")
    wanted = StructType.fromDDL(
        "a int, s struct<x: int, y: int>, v array<struct<y: string, x: int>>, "
        "m map<string, struct<x: int, y: int>>, b int"
    )
    inner = wanted["s"].dataType
    assert isinstance(inner, StructType)
    inner.fields[1].metadata = {"comment": "it's"}

    assert [field.declared for field in missing_fields(there, wanted)] == [
        "`s`.`y` int COMMENT 'it\\'s'",
        "`v`.`element`.`y` string",
        "`m`.`value`.`y` int",
        "`b` int",
    ]
    assert other_fields(there, wanted) == []
    assert missing_fields(wanted, there) == [], "what an older job does not know may stay"
    assert other_fields(there, StructType.fromDDL("a string, v array<struct<x: long>>")) == ["a", "v.element.x"]


def test_somebody_elses_table_is_left_alone(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "table")
    spark.range(3).selectExpr("cast(id as string) as row_id", "id as roles").write.format("delta").save(path)

    with pytest.raises(TableSchemaError, match=r"roles.*another table"):
        JobTable(spark, path, JOB.schema, SINK.keys).ensure()

    assert set(read(path)[0]) == {"row_id", "roles"}


def _element(name: str) -> StructType:
    """What the elements of a list in the inventory are."""
    kind = JOB.schema[name].dataType
    assert isinstance(kind, ArrayType)
    assert isinstance(kind.elementType, StructType)
    return kind.elementType
