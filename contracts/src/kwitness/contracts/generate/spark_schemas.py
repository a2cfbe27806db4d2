"""Spark schemas of the platform's JSON records, for the jobs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from kwitness.contracts.envelopes import ConnectionSnapshot
from kwitness.contracts.record_headers import ALL_HEADER_NAMES
from kwitness.contracts.records import (
    ApiTraffic,
    ClientInterceptions,
    ConnectionEvent,
    HeaderRow,
    KeyInterceptions,
    PartitionTraffic,
    RequestEvent,
    TopicInterceptions,
    TopicPresence,
    WindowSeal,
)

__all__ = ["spark_schemas"]

_RECORDS: tuple[tuple[str, type[BaseModel], str], ...] = (
    ("CONNECTION_SNAPSHOT", ConnectionSnapshot, "in kwitness.connections of kind snapshot"),
    ("CONNECTION_EVENT", ConnectionEvent, "in kwitness.connections of another kind"),
    ("PARTITION_TRAFFIC", PartitionTraffic, "in kwitness.traffic of kind partition"),
    ("API_TRAFFIC", ApiTraffic, "in kwitness.traffic of kind api"),
    ("TOPIC_PRESENCE", TopicPresence, "in kwitness.traffic of kind presence"),
    ("REQUEST_EVENT", RequestEvent, "in kwitness.requests"),
    ("TOPIC_INTERCEPTIONS", TopicInterceptions, "in kwitness.interceptions of kind topic"),
    ("KEY_INTERCEPTIONS", KeyInterceptions, "in kwitness.interceptions of kind keys"),
    ("CLIENT_INTERCEPTIONS", ClientInterceptions, "in kwitness.interceptions of kind client"),
    ("HEADER_ROW", HeaderRow, "in kwitness.headers"),
    ("WINDOW_SEAL", WindowSeal, "in kwitness.seals"),
)
_SIMPLE = {"string": "StringType()", "integer": "LongType()", "boolean": "BooleanType()", "number": "DoubleType()"}
_MODULE = '''\
"""Generated from contracts/ by `make generate`; do not edit."""

# fmt: off
from __future__ import annotations

from pyspark.sql.types import {types}

{records}
TELEMETRY_HEADERS = (
{headers}
)
"""Every header that a record in kwitness.telemetry may have."""
'''


def _struct(node: dict[str, Any], definitions: dict[str, Any], indent: str) -> str:
    fields = "".join(
        f'{indent}    StructField("{name}", {_type(field, definitions, f"{indent}    ")}),\n'
        for name, field in node["properties"].items()
    )
    return f"StructType([\n{fields}{indent}])"


def _type(node: dict[str, Any], definitions: dict[str, Any], indent: str) -> str:
    if "$ref" in node:
        node = definitions[node["$ref"].rpartition("/")[2]]
    if "anyOf" in node:  # a value, or null for what is not known
        (node,) = [one for one in node["anyOf"] if one.get("type") != "null"]
        return _type(node, definitions, indent)
    if node["type"] == "array":
        return f"ArrayType({_type(node['items'], definitions, indent)})"
    if "properties" not in node and node["type"] == "object":
        return _map(node["additionalProperties"], definitions, indent)
    if node["type"] == "object":
        return _struct(node, definitions, indent)
    return _SIMPLE[node["type"]]


def _map(values: Any, definitions: dict[str, Any], indent: str) -> str:
    if isinstance(values, dict) and "$ref" in values:
        values = definitions[values["$ref"].rpartition("/")[2]]
    if not isinstance(values, dict) or not values:
        return "StringType()"  # of anything: Spark gives its JSON
    return f"MapType(StringType(), {_type(values, definitions, indent)})"


def _record(name: str, model: type[BaseModel], place: str) -> str:
    schema = model.model_json_schema(by_alias=True)
    return f'{name} = {_struct(schema, schema.get("$defs", {}), "")}\n"""Value of a record {place}."""\n'


def spark_schemas(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and text of the generated modules."""
    folder = root / "spark-jobs/src/kwitness/jobs/generated"
    records = "\n".join(_record(*record) for record in _RECORDS)
    types = sorted(set(re.findall(r"\w+(?=\()", records)))
    headers = "\n".join(f'    "{name}",' for name in ALL_HEADER_NAMES)
    yield (
        folder / "__init__.py",
        '"""Generated from contracts/ by `make generate`; nothing here is written by hand."""\n',
    )
    yield folder / "schemas.py", _MODULE.format(types=", ".join(types), records=records, headers=headers)
