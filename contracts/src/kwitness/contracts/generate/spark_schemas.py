"""Spark schemas of the platform's JSON records, for the jobs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kwitness.contracts.envelopes import ConnectionSnapshot
from kwitness.contracts.record_headers import ALL_HEADER_NAMES

__all__ = ["spark_schemas"]

_SIMPLE = {"string": "StringType()", "integer": "LongType()", "boolean": "BooleanType()"}
_MODULE = '''\
"""Generated from contracts/ by `make generate`; do not edit."""

# fmt: off
from __future__ import annotations

from pyspark.sql.types import {types}

CONNECTION_SNAPSHOT = {snapshot}
"""Value of a record in kwitness.connections of kind snapshot."""

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
    if node["type"] == "array":
        return f"ArrayType({_type(node['items'], definitions, indent)})"
    if node["type"] == "object":
        return _struct(node, definitions, indent)
    return _SIMPLE[node["type"]]


def spark_schemas(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and text of the generated modules."""
    folder = root / "spark-jobs/src/kwitness/jobs/generated"
    schema = ConnectionSnapshot.model_json_schema(by_alias=True)
    snapshot = _struct(schema, schema["$defs"], "")
    types = sorted(set(re.findall(r"\w+(?=\()", snapshot)))
    headers = "\n".join(f'    "{name}",' for name in ALL_HEADER_NAMES)
    yield (
        folder / "__init__.py",
        '"""Generated from contracts/ by `make generate`; nothing here is written by hand."""\n',
    )
    yield folder / "schemas.py", _MODULE.format(types=", ".join(types), snapshot=snapshot, headers=headers)
