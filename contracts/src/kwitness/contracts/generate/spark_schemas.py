"""Spark schemas of the platform's JSON records, for the jobs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kwitness.contracts.envelopes import ConnectionSnapshot
from kwitness.contracts.record_headers import ALL_HEADER_NAMES

__all__ = ["spark_schemas"]

_SIMPLE = {"string": "STRING", "integer": "BIGINT", "boolean": "BOOLEAN", "number": "DOUBLE"}
_MODULE = '''\
"""Generated from contracts/ by `make generate`; do not edit."""

# ruff: noqa: E501
from __future__ import annotations

CONNECTION_SNAPSHOT = (
{snapshot}
)
"""Value of a record in kwitness.connections of kind snapshot, as a Spark DDL schema."""

TELEMETRY_HEADERS = (
{headers}
)
"""Every header that a record in kwitness.telemetry may have."""
'''


def _type(node: dict[str, Any], definitions: dict[str, Any]) -> str:
    if "$ref" in node:
        node = definitions[node["$ref"].rpartition("/")[2]]
    if "anyOf" in node:
        node = next(choice for choice in node["anyOf"] if choice.get("type") != "null")
    if "const" in node:
        return "STRING"
    if node["type"] == "array":
        return f"ARRAY<{_type(node['items'], definitions)}>"
    if node["type"] == "object":
        if isinstance(node.get("additionalProperties"), dict):
            return f"MAP<STRING, {_type(node['additionalProperties'], definitions)}>"
        inside = ", ".join(f"{name}: {_type(field, definitions)}" for name, field in node["properties"].items())
        return f"STRUCT<{inside}>"
    return _SIMPLE[node["type"]]


def spark_schemas(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and text of the generated modules."""
    folder = root / "spark-jobs/src/kwitness/jobs/generated"
    schema = ConnectionSnapshot.model_json_schema(by_alias=True)
    columns = [f"{name} {_type(field, schema['$defs'])}" for name, field in schema["properties"].items()]
    snapshot = "\n".join(
        f'    "{column}{", " if number < len(columns) - 1 else ""}"' for number, column in enumerate(columns)
    )
    headers = "\n".join(f'    "{name}",' for name in ALL_HEADER_NAMES)
    yield (
        folder / "__init__.py",
        '"""Generated from contracts/ by `make generate`; nothing here is written by hand."""\n',
    )
    yield folder / "schemas.py", _MODULE.format(snapshot=snapshot, headers=headers)
