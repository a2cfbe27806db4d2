"""Frames of records without Kafka, and what the tables hold afterwards, in the oracle's shape."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from deltalake import DeltaTable
from pyspark.sql import DataFrame, SparkSession

from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.owners import OWNER, TOPIC_PREFIX

from tests.jobs import numbered, traffic

_KINDS = numbered.KINDS | traffic.KINDS

_FIELDS: list[tuple[str, Any]] = [
    ("topic", pa.string()),
    ("partition", pa.int32()),
    ("offset", pa.int64()),
    ("timestamp_ms", pa.int64()),
    ("key", pa.binary()),
    ("value", pa.binary()),
    ("headers", pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))),
]
RECORDS = pa.schema(_FIELDS)
"""Columns of records as Spark hands them to Python."""
_KINDED = RECORDS.append(pa.field("kind", pa.string()))


def frame_of(spark: SparkSession, records: list[KafkaRecord]) -> DataFrame:
    """Records as the stream gives them to a transform."""
    rows = [
        record._asdict()
        | {"headers": [{"key": key, "value": value} for key, value in record.headers], "kind": _KINDS[record.topic]}
        for record in records
    ]
    return spark.createDataFrame(pa.Table.from_pylist(rows, _KINDED)).repartition(2)


def kinded(records: list[KafkaRecord]) -> list[tuple[str, KafkaRecord]]:
    """Records as the oracle takes them."""
    return [(_KINDS[record.topic], record) for record in records]


def by_client(rows: list[dict[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Table rows by what they are about, without the digest and the job that wrote them."""
    found = {}
    for row in map(without_owners, rows):
        if row["kind"] == "instance":
            key = ("instance", row["cluster_id"], row["client_instance_id"])
        else:
            names = ("listener", "client_software_name", "client_software_version")
            key = ("software", row["cluster_id"], *(row[name] for name in names))
        assert key not in found, f"two rows for {key}"
        found[key] = {name: value for name, value in row.items() if name not in {"row_id", "computed_by"}}
    assert all(set(IDENTITY_KEYS) <= set(row) for row in found.values())
    return found


def without_owners(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a job that was given no owners, without their columns."""
    columns = {f"{prefix}{name}" for prefix in ("", TOPIC_PREFIX) for name in OWNER.names} & row.keys()
    assert columns >= set(OWNER.names)
    assert {row[name] for name in columns} == {None}
    return {name: value for name, value in row.items() if name not in columns}


def read(path: str) -> list[dict[str, Any]]:
    """All rows, read without the JVM that wrote them."""
    rows: list[dict[str, Any]] = DeltaTable(path).to_pyarrow_dataset().to_table().to_pylist()
    return rows
