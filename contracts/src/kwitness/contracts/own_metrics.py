"""The metrics that our own processes expose."""

from __future__ import annotations

from .registry_entries import OwnMetric
from .tables import observer_metrics
from .tables.own_metrics import ENTRIES

__all__ = ["OBSERVER_METRICS", "OWN_METRICS", "OwnMetric", "own_metric"]

OWN_METRICS: tuple[OwnMetric, ...] = ENTRIES
"""The metrics of our own processes, except observers."""

OBSERVER_METRICS: tuple[OwnMetric, ...] = observer_metrics.ENTRIES
"""The metrics that an observer exposes; the collector exposes some under the same names, with other labels."""

_BY_NAME = {metric.name: metric for metric in ENTRIES}


def own_metric(name: str) -> OwnMetric:
    """Return the entry for `name`.

    Raises
    ------
    KeyError
        If the registry has no such metric: add it to contracts/registry/own_metrics.yaml.
    """
    return _BY_NAME[name]
