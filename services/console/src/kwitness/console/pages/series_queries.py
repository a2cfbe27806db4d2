"""Lists the queries of charts: a fixed list for a client and for a topic, in which names are literals."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from kwitness.console.pages.lines import BYTES, label

__all__ = ["CHARTS", "Chart", "query_of"]


class Chart(NamedTuple):
    """A chart: its title, unit and query, with a place for the matchers of labels.

    Attributes
    ----------
    is_for_all
        True where its series have no namespace of a client: only readers of all may read them.
    """

    title: str
    unit: str
    query: str
    is_for_all: bool = False


_LATENCY: Final = "kafka_client_(producer|consumer)_node_request_latency_max_seconds"
_BYTES: Final = Chart("Record bytes", "B/s", f"sum by (api) (rate({BYTES}{{MATCHERS}}[5m]))")
CHARTS: Final = {
    "client_id": (
        _BYTES,
        Chart("Time throttled", "s/s", "sum by (api) (rate(kafka_client_throttle_seconds_total{MATCHERS}[5m]))"),
        Chart(
            "Longest request to a broker",
            "s",
            f'max by (__name__) ({{__name__=~"{_LATENCY}",MATCHERS}})',
        ),
        Chart("Instances that push", "", 'count(kwitness_client_info{client_instance_id!="",MATCHERS})'),
    ),
    "topic": (
        _BYTES,
        Chart("Fetch lag", "s", "max by (client_id) (kafka_client_fetch_lag_seconds{MATCHERS})"),
        Chart(
            "Committed lag",
            "s",
            "max by (group_id) (kafka_client_group_committed_lag_seconds{MATCHERS})",
            is_for_all=True,
        ),
    ),
}
"""Charts by the label whose value is the name of a page."""


def query_of(chart: Chart, name: tuple[str, str], namespaces: Sequence[str] | None) -> str:
    """Return the query of a label with its value.

    Parameters
    ----------
    namespaces
        Namespaces whose series are read; None is all series.
    """
    matchers = label(*name)
    if namespaces is not None:
        pattern = "|".join(re.escape(namespace) for namespace in namespaces)
        matchers += f',k8s_namespace!="",k8s_namespace=~{json.dumps(pattern)}'
    return chart.query.replace("MATCHERS", matchers)
