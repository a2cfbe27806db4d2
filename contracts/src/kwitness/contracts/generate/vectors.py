"""Numbers that other languages check their own against, in `contracts/vectors`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from kwitness.contracts.own_metrics import own_metric
from kwitness.contracts.records import SKETCH_BOUNDS, SKETCH_RULE

__all__ = ["vectors"]

_MARK = "Generated from contracts/ by `make generate`; do not edit."
_RESPONSE_TIME = "kafka_client_response_time_seconds"


def vectors(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and text of each file."""
    sketch = {"$comment": _MARK, "rule": SKETCH_RULE, "bounds": SKETCH_BOUNDS}
    bounds_us = [round(bound * 1_000_000) for bound in own_metric(_RESPONSE_TIME).bounds]
    times = {
        "$comment": _MARK,
        "rule": f"bounds of {_RESPONSE_TIME} in microseconds; a time is counted at the first bound that is not below "
        "it, one beyond all of them after the last, so that there is one count more than bounds",
        "bounds_us": bounds_us,
    }
    for name, content in (("sketch_bounds", sketch), ("response_time_bounds", times)):
        yield root / "contracts/vectors" / f"{name}.json", f"{json.dumps(content, indent=1)}\n"
