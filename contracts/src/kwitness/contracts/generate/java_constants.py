"""Java constants for the broker plugin: paths, schema names and keys of the messages that it sends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from kwitness.contracts.audiences import collector_audience
from kwitness.contracts.endpoints import GAUGES_PATH, PUSHES_PATH
from kwitness.contracts.envelopes import (
    ConnectionCount,
    GaugeSnapshot,
    InstanceSensors,
    PluginLedger,
    Push,
    PushBatch,
    TelemetrySensors,
)

from .event_schemas import schema_name

__all__ = ["java_constants"]

_MODELS = (PushBatch, Push, GaugeSnapshot, ConnectionCount, PluginLedger, TelemetrySensors, InstanceSensors)
_HEAD = """\
// Generated from contracts/ by `make generate`; do not edit.
package dev.kwitness.broker;

/** Words that the plugin shares with the collector: paths, schema names and JSON keys. */
final class Contract {
"""


def _constant(name: str, value: str) -> str:
    return f'    static final String {re.sub("[^A-Za-z0-9]", "_", name).upper()} = "{value}";\n'


def _keys(models: tuple[type[BaseModel], ...]) -> list[str]:
    names = [field.alias or name for model in models for name, field in model.model_fields.items()]
    return sorted(set(names))


def java_constants(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and text of the Java class."""
    lines = [
        _constant("path_pushes", PUSHES_PATH),
        _constant("path_gauges", GAUGES_PATH),
        _constant("schema_pushes", schema_name(PushBatch)),
        _constant("schema_gauges", schema_name(GaugeSnapshot)),
        _constant("token_audience", collector_audience("NAMESPACE", "NAME")),
        "\n",
        *(_constant(f"key_{key}", key) for key in _keys(_MODELS)),
        "\n    private Contract() {\n    }\n}\n",
    ]
    yield (
        root / "services/broker-plugin/src/main/java/dev/kwitness/broker/Contract.java",
        _HEAD + "".join(lines),
    )
