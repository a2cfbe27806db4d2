"""Reads `contracts/registry/*.yaml` into entries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import yaml

from kwitness.contracts.registry_entries import (
    ClientMetric,
    KafkaError,
    KubernetesEvent,
    OwnMetric,
    Reason,
    RecordHeader,
    Role,
    Software,
    SoftwareDefect,
    Topic,
    WarningType,
)

__all__ = [
    "client_metrics",
    "kafka_errors",
    "kubernetes_events",
    "observer_metrics",
    "own_metrics",
    "prometheus_name",
    "reasons",
    "record_headers",
    "software",
    "software_defects",
    "topics",
    "warnings",
]

Unit = Literal["ms", "ns", "s", "bytes", "1"]
_SCALE: dict[Unit, float] = {"ms": 0.001, "ns": 1e-9, "s": 1.0, "bytes": 1.0, "1": 1.0}
_SUFFIX: dict[Unit, str] = {"ms": "seconds", "ns": "seconds", "s": "seconds", "bytes": "bytes", "1": ""}
_COMBINE: dict[str, Literal["sum", "max", "min", "mean"]] = {
    "total": "sum",
    "rate": "sum",
    "avg": "mean",
    "max": "max",
    "min": "min",
}
_ROLE: dict[Role, str] = {
    "producer": "producer",
    "consumer": "consumer",
    "share consumer": "consumer.share",
    "admin": "admin.client",
    "streams": "stream",
}
"""How names on the wire spell who sends them."""
_PHRASE = {
    "total": "{help}, since the client started",
    "rate": "{help}, per second",
    "avg": "{help}, mean",
    "max": "{help}, longest or largest",
    "min": "{help}, smallest",
    "value": "{help}",
}


def _read(folder: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = yaml.safe_load((folder / f"{name}.yaml").read_text(encoding="utf-8"))
    return rows


def prometheus_name(name: str, part: str, unit: Unit, *, counter: bool) -> str:
    """Return the one Prometheus name of the wire name `name`.

    `org.apache.kafka.` becomes `kafka_client_`; times end in `_seconds`, sizes in `_bytes` unless the name says so
    already, counters in one `_total` after the unit, gauges in none.
    """
    words = name.removeprefix("org.apache.kafka.").split(".")
    if unit in ("ms", "ns"):
        words = [word for word in words if word not in ("ms", "ns")]
    if words[-1] == "total":
        words = words[:-1]
    suffix = _SUFFIX[unit]
    says_so = {suffix, suffix.removesuffix("s")} & set(words)
    if suffix and part != "rate" and not says_so:
        words.append(suffix)
    if counter:
        words.append("total")
    return "kafka_client_" + "_".join(words)


def _metrics_of(row: dict[str, Any]) -> Iterator[ClientMetric]:
    required = row.get("required", [])
    for role in row["roles"] or [None]:
        for part in row["parts"]:
            who = [_ROLE[role]] if role else []
            name = ".".join(["org.apache.kafka", *who, row["stem"], *([] if part == "value" else [part])])
            counter = part == "total" or row.get("counter", False)
            yield ClientMetric(
                name=name,
                prometheus_name=prometheus_name(name, part, row["unit"], counter=counter),
                type="counter" if counter else "gauge",
                unit=row["unit"],
                scale=_SCALE[row["unit"]],
                combine=_COMBINE.get(part) or row["combine"],
                required=part in required,
                role=role,
                senders=tuple(row["senders"]),
                help=_PHRASE[part].format(help=row["help"]),
            )


def client_metrics(folder: Path) -> tuple[ClientMetric, ...]:
    """Return the metrics that clients push, by name."""
    entries = [metric for row in _read(folder, "client_metrics") for metric in _metrics_of(row)]
    return tuple(sorted(entries, key=lambda metric: metric.name))


def own_metrics(folder: Path) -> tuple[OwnMetric, ...]:
    """Return the metrics of our own processes, except observers."""
    return _own_metrics(folder, "own_metrics")


def observer_metrics(folder: Path) -> tuple[OwnMetric, ...]:
    """Return the metrics that an observer exposes."""
    return _own_metrics(folder, "observer_metrics")


def _own_metrics(folder: Path, name: str) -> tuple[OwnMetric, ...]:
    return tuple(
        OwnMetric(**{**row, "labels": tuple(row["labels"]), "bounds": tuple(row.get("bounds", ()))})
        for row in _read(folder, name)
    )


def topics(folder: Path) -> tuple[Topic, ...]:
    """Return the platform's topics."""
    return tuple(Topic(writer=row.pop("from"), **row) for row in _read(folder, "topics"))


def kafka_errors(folder: Path) -> tuple[KafkaError, ...]:
    """Return the error codes of Kafka's protocol."""
    return tuple(KafkaError(**row) for row in _read(folder, "kafka_errors"))


def record_headers(folder: Path) -> tuple[RecordHeader, ...]:
    """Return the headers of records."""
    return tuple(RecordHeader(**{**row, "topics": tuple(row["topics"])}) for row in _read(folder, "record_headers"))


def software(folder: Path) -> tuple[Software, ...]:
    """Return the client software known by name."""
    return tuple(Software(**row) for row in _read(folder, "software"))


def software_defects(folder: Path) -> tuple[SoftwareDefect, ...]:
    """Return what is known to be wrong with client software."""
    return tuple(
        SoftwareDefect(
            **{
                **row,
                "affected": tuple((_version(first), _version(last)) for first, last in row["affected"]),
                "fixed_in": tuple(row["fixed_in"]),
            }
        )
        for row in _read(folder, "software_defects")
    )


def _version(text: str) -> tuple[int, int, int]:
    major, minor, patch = map(int, text.split("."))
    return major, minor, patch


def reasons(folder: Path) -> tuple[Reason, ...]:
    """Return the reasons of conditions."""
    return tuple(Reason(**{**row, "kinds": tuple(row["kinds"])}) for row in _read(folder, "reasons"))


def warnings(folder: Path) -> tuple[WarningType, ...]:
    """Return the types of warnings in statuses."""
    return tuple(WarningType(**row) for row in _read(folder, "warnings"))


def kubernetes_events(folder: Path) -> tuple[KubernetesEvent, ...]:
    """Return the events that the operator writes."""
    return tuple(KubernetesEvent(**{**row, "kinds": tuple(row["kinds"])}) for row in _read(folder, "kubernetes_events"))
