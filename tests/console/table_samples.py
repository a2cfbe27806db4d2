"""Tables of analyses with the columns that jobs write, in a folder, without Spark."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from deltalake import write_deltalake
from pyspark.sql.pandas.types import to_arrow_schema

from kwitness.console.sources.tables_process import Reading, ReadTable
from kwitness.console.sources.tables_program import answered
from kwitness.devtools.table_reference import described_jobs

__all__ = ["DAY_MS", "HOSTILE", "NOW_MS", "OLD", "REQUESTS", "columns_of", "read_here", "seen", "write_table"]

DAY_MS = 86_400_000
NOW_MS = int(time.time() * 1000)
HOSTILE = "=<script>alert(1)</script>\u202egnp\x07'\"&"


@functools.cache
def columns_of(job_type: str) -> pa.Schema:
    """Return the columns of the table of a type; rows may lack all."""
    [schema] = [job.schema for job in described_jobs() if job.name == job_type]
    return pa.schema([field.with_nullable(nullable=True).remove_metadata() for field in to_arrow_schema(schema)])


def write_table(
    folder: Path,
    job_type: str,
    rows: Sequence[dict[str, Any]],
    *,
    name: str = "",
    mode: Literal["append", "overwrite"] = "overwrite",
) -> Path:
    """Write a version of a table."""
    path = folder / (name or job_type.lower()) / "table"
    write_deltalake(str(path), pa.Table.from_pylist(list(rows), schema=columns_of(job_type)), mode=mode)
    return path


def read_here(requests: Sequence[Mapping[str, Any]]) -> Reading:
    """Read tables as the process does, in this one, which has loaded its libraries."""
    return Reading([ReadTable(*answered(request)) for request in requests], None, 0.0)


def seen(**fields: Any) -> dict[str, Any]:
    """Return a row of UpgradeImpact; clients are of Java unless another software is named."""
    return {
        "kind": "request",
        "cluster_id": "main",
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
        "first_seen_ms": NOW_MS - 20 * DAY_MS,
        "last_seen_ms": NOW_MS,
        **fields,
    }


_ORDERS = {"owner": "orders", "owner_contact": "orders@example.org"}
_DESK = {"client_id": "desk", "principal": "User:desk", **_ORDERS}
OLD = {"client_software_version": "2.0.0", "api": "Fetch", "api_version": 3, "dropped_in": "4.0"}
REQUESTS = [
    seen(**_DESK, **OLD, requests=70),
    seen(**_DESK, **{**OLD, "api": "Produce", "api_version": 2}, requests=2),
    seen(**_DESK, client_software_version="2.0.0", api="Metadata", api_version=9, requests=900),
    seen(client_id="till", **_ORDERS, **OLD, requests=4, k8s_namespace="shop", k8s_workload="till"),
    seen(client_id=HOSTILE, principal="User:nobody", **OLD, requests=5),
    seen(client_id="once", owner="mail", owner_contact="#mail", **OLD, requests=9, last_seen_ms=NOW_MS - 40 * DAY_MS),
    seen(client_id="shop", owner="mail", owner_contact="#mail", api="Fetch", api_version=13, requests=70),
    seen(client_id="odd", api="other", requests=3),
    seen(client_id="behind", kind="connection", client_software_version="3.9.0"),
    seen(client_id="early", kind="connection", client_software_version="0.11.0"),
    seen(kind="software", client_software_name="sarama", client_software_version="1.26.1", connections=3),
    seen(kind="software", connections=7),
    seen(client_id="kwitness-observer", **OLD, requests=1),
    seen(kind="software", client_software_version="3.9.1-kwitness", connections=106),
]
"""Of whom orders' two and the hostile one break with 4.0, one is long gone, and five are without evidence."""
