"""Which family a metric belongs to: the registry's fixed one, or by OpenTelemetry's standard translation.

Source of the translation: OpenTelemetry's "Prometheus and OpenMetrics compatibility".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from kwitness.collector.otlp.points import Kind
from kwitness.contracts import client_metrics

Type = Literal["counter", "gauge", "histogram"]
Combine = Literal["sum", "max", "min", "mean"]

_INVALID: Final = re.compile(r"[^a-zA-Z0-9_]+")
_REPEATED: Final = re.compile(r"_{2,}")
_MAX_NAME: Final = 200
_UNITS: Final = {
    "d": "days",
    "h": "hours",
    "min": "minutes",
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
    "By": "bytes",
    "KiBy": "kibibytes",
    "MiBy": "mebibytes",
    "GiBy": "gibibytes",
    "KBy": "kilobytes",
    "MBy": "megabytes",
    "GBy": "gigabytes",
    "m": "meters",
    "V": "volts",
    "A": "amperes",
    "J": "joules",
    "W": "watts",
    "g": "grams",
    "Cel": "celsius",
    "Hz": "hertz",
    "%": "percent",
}
_PER: Final = {"s": "second", "m": "minute", "min": "minute", "h": "hour", "d": "day"}
_SECONDS: Final = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
RESERVED_PREFIXES: Final = ("kwitness_", "kafka_client_", "scrape_")
_OF_PROMETHEUS: Final = frozenset({"up", "ALERTS", "ALERTS_FOR_STATE"})
"""Names of our own and of Prometheus: a metric outside the registry must not pose as one of them."""


def is_reserved(name: str) -> bool:
    """Return whether a family's name, or one with a suffix of its type, is Prometheus' own or one of ours."""
    return name in _OF_PROMETHEUS or f"{name}_".startswith(RESERVED_PREFIXES)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a metric's values go.

    ``name`` is the family's name without ``_total``; ``scale`` turns a stored value into the exposed one; ``factor``
    turns a value as sent into a stored one (1 unless the client measures in another unit than the registry says).
    """

    name: str
    type: Type
    combine: Combine
    scale: float
    factor: float
    help: str
    registered: bool


def target(name: str, unit: str, kind: Kind) -> Target:
    """Decide the family of a metric as the client sent it."""
    known = client_metrics.lookup(name)
    if known is None:
        return _standard(name, unit, kind)
    return Target(
        name=known.prometheus_name.removesuffix("_total"),
        type=known.type,
        combine=known.combine,
        scale=known.scale,
        factor=_factor(known.unit, unit),
        help=f"Kafka clients: {known.help} ({known.name}; {_rule(known.combine)})",
        registered=True,
    )


def _factor(registered: str, sent: str) -> float:
    expected, actual = _SECONDS.get(registered), _SECONDS.get(sent)
    if expected is None or actual is None or expected == actual:
        return 1
    return actual / expected


def _standard(name: str, unit: str, kind: Kind) -> Target:
    type_ = type_of(kind)
    clean = _REPEATED.sub("_", _INVALID.sub("_", name))[:_MAX_NAME].strip("_") or "unnamed"
    if clean[0].isdigit():
        clean = f"_{clean}"
    base = clean.removesuffix("_total") if type_ == "counter" else clean
    base = _with_unit(base, unit, type_)
    if is_reserved(base):
        base = f"sent_{base}"
    combine: Combine = "mean" if kind is Kind.GAUGE else "sum"
    return Target(base, type_, combine, 1, 1, f"{name} ({_rule(combine)})", registered=False)


def type_of(kind: Kind) -> Type:
    """Return the Prometheus type of values of ``kind``."""
    match kind:
        case Kind.GAUGE | Kind.LEVEL | Kind.LEVEL_DELTA:
            return "gauge"
        case Kind.DELTA | Kind.CUMULATIVE:
            return "counter"
        case Kind.HISTOGRAM_DELTA | Kind.HISTOGRAM_CUMULATIVE:
            return "histogram"


def _with_unit(base: str, unit: str, type_: Type) -> str:
    unit = re.sub(r"\{[^}]*\}", "", unit)[:_MAX_NAME]  # annotations such as {requests} are no unit
    numerator, _, denominator = unit.partition("/")
    if unit == "1":
        return base if type_ != "gauge" or base.endswith("_ratio") else f"{base}_ratio"
    words: list[str] = []
    if numerator:
        words.append(_word(_UNITS.get(numerator, numerator)))
        # Names such as latency_ms must not become latency_ms_milliseconds.
        base = base.removesuffix(f"_{numerator}") if numerator in _UNITS else base
    if denominator:
        words += ["per", _word(_PER.get(denominator, denominator))]
    suffix = "_".join(word for word in words if word)
    return base if not suffix or base.endswith(f"_{suffix}") else f"{base}_{suffix}"


def _word(text: str) -> str:
    return _REPEATED.sub("_", _INVALID.sub("_", text)).strip("_")


def _rule(combine: Combine) -> str:
    match combine:
        case "sum":
            return "sum over instances"
        case "mean":
            return "mean over instances"
        case "max":
            return "largest over instances"
        case "min":
            return "smallest over instances"
