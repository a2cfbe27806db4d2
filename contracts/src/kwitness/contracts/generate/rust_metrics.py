"""Families of the observer's own metrics in Rust, from `contracts/registry/observer_metrics.yaml`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from kwitness.contracts.own_metrics import OBSERVER_METRICS, OwnMetric

__all__ = ["rust_metrics"]

_MOST_COLUMNS = 120
_HEAD = """\
// Generated from contracts/registry/observer_metrics.yaml by `make generate`; do not edit.
//! Families of the observer's own metrics.

/// A family of samples, and the names of their labels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) labels: &'static [&'static str],
    pub(crate) help: &'static str,
}

"""


def _constant(metric: OwnMetric) -> str:
    """Return a constant as rustfmt writes it: on one line where it fits."""
    texts = {"name": metric.name, "kind": metric.type, "labels": metric.labels, "help": metric.help}
    fields = [
        f"{name}: {'' if isinstance(value, str) else '&'}{json.dumps(value, ensure_ascii=False)}"
        for name, value in texts.items()
    ]
    head = f"pub(crate) const {metric.name.removeprefix('kwitness_observer_').upper()}: Family ="
    short = f"{head} Family {{ {', '.join(fields)} }};\n"
    if len(short) <= _MOST_COLUMNS + 1:
        return short
    return f"{head} Family {{\n" + "".join(f"    {field},\n" for field in fields) + "};\n"


def rust_metrics(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and text of the observer's module."""
    yield root / "services/observer/src/metric_families.rs", _HEAD + "".join(map(_constant, OBSERVER_METRICS))
