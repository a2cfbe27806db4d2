"""Makes a core with the labels of these tests, and reads the page that it exposes."""

from __future__ import annotations

from kwitness.collector.core import ZeroPeriod
from kwitness.collector.prometheus.accumulate import PythonCore

from tests.collector.collector_process import parse

NO_ZEROS = ZeroPeriod(0, 0)
"""All counters have their value."""
LABELS = ("cluster_id", "client_id")
WHO = {"cluster_id": "c", "client_id": "orders"}


def core(max_series: int = 1_000, labels: tuple[str, ...] = LABELS) -> PythonCore:
    return PythonCore(labels, max_series)


def scrape(one: PythonCore, zeros: ZeroPeriod = NO_ZEROS, *, openmetrics: bool = False) -> str:
    return b"".join(one.render(zeros, openmetrics=openmetrics)).decode()


def samples(one: PythonCore) -> dict[str, dict[frozenset[tuple[str, str]], float]]:
    return parse(scrape(one))
