"""Lists what a release promises, a line for each thing that a later one must still have: nothing is renamed or retyped.

Lines come from the files and schemas that the product itself reads or is checked by: definitions, schemas of rows in
topics, the description of the HTTP API, registries of metrics, and schemas of tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from kwitness.contracts.own_metrics import OBSERVER_METRICS, OWN_METRICS
from kwitness.devtools.release.release import REPOSITORY
from kwitness.devtools.table_reference import described_jobs

__all__ = ["PROMISED", "lines_of", "promises"]

PROMISED: Final = "promised.txt"
"""The lines of a release, in its folder."""
_CONTRACTS: Final = REPOSITORY / "contracts"
_METHODS: Final = ("get", "post", "put", "delete", "patch")


def promises() -> set[str]:
    """Return the lines of these sources."""
    return {*_definitions(), *_rows(), *_http(), *_metrics(), *_tables()}


def _definitions() -> Iterator[str]:
    for file in sorted((REPOSITORY / "crds").glob("*.yaml")):
        spec = _read(file)["spec"]
        for version in spec["versions"]:
            subject = f"resource {spec['names']['kind']}.{version['name']}"
            yield from lines_of(version["schema"]["openAPIV3Schema"], subject, optional=True)


def _rows() -> Iterator[str]:
    for file in sorted((_CONTRACTS / "schemas").glob("*.json")):
        schema = json.loads(file.read_text(encoding="utf-8"))
        yield from lines_of(schema, f"rows {file.stem}")
        for name, part in schema.get("$defs", {}).items():
            yield from lines_of(part, f"rows {file.stem} {name}")


def _http() -> Iterator[str]:
    described = _read(_CONTRACTS / "http" / "collector.yaml")
    for path, methods in described["paths"].items():
        for method in set(methods).intersection(_METHODS):
            subject = f"http {method.upper()} {path}"
            for parameter in methods[method].get("parameters", ()):
                yield from lines_of(parameter["schema"], f"{subject} {parameter['in']} {parameter['name']}")
            for status, answer in methods[method]["responses"].items():
                for kind, content in answer.get("content", {}).items():
                    yield from lines_of(content["schema"], f"{subject} {status} {kind}")
    for name, schema in described["components"]["schemas"].items():
        yield from lines_of(schema, f"http {name}")


def _metrics() -> Iterator[str]:
    for metric in (*OWN_METRICS, *OBSERVER_METRICS):
        yield f"metric {metric.name}: {metric.type}"
        for label in metric.labels:
            yield f"metric {metric.name} label {label}"


def _tables() -> Iterator[str]:
    for job in described_jobs():
        for field in job.schema.fields:
            yield f"table {job.name}.{field.name}: {field.dataType.simpleString()}"


def lines_of(schema: Mapping[str, Any], path: str, *, optional: bool = False) -> Iterator[str]:
    """Return the lines of a value and all below it.

    Parameters
    ----------
    optional
        Readers of answers rely on fields that are always there, writers of resources on those that may be left out.
    """
    if "$ref" in schema:
        yield f"{path}: {schema['$ref'].rpartition('/')[2]}"
    for kind in sorted([schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", ())):
        yield f"{path}: {kind}"
    for value in (*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())):
        yield f"{path} = {json.dumps(value)}"
    for choice in ("oneOf", "anyOf", "allOf"):
        for part in schema.get(choice, ()):
            yield from lines_of(part, path, optional=optional)
    for name, below in schema.get("properties", {}).items():
        if (name not in schema.get("required", ())) == optional:
            yield f"{path}.{name} {'may be left out' if optional else 'is always there'}"
        yield from lines_of(below, f"{path}.{name}", optional=optional)
    for key, mark in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(schema.get(key), Mapping):
            yield from lines_of(schema[key], f"{path}{mark}", optional=optional)


def _read(file: Path) -> Any:
    return yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
