"""The pod's own metrics; their meaning and labels are in the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from typing_extensions import override

from kwitness.console.sources.source import Source
from kwitness.contracts.own_metrics import own_metric
from kwitness.runtime.service import installed_version

__all__ = ["PodMetrics"]

# The time of each series' birth would double the series, and is of no use.
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library has no type for it

_COMPONENT: Final = "console"
_READ: Final = own_metric("kwitness_console_source_read_seconds")
_STATE: Final = own_metric("kwitness_console_source_state")
_REQUESTS: Final = own_metric("kwitness_console_requests_total")
_DURATION: Final = own_metric("kwitness_console_request_seconds")
_BUILD: Final = own_metric("kwitness_build_info")
_STATES: Final = ("loading", "complete", "partial", "failed")


class PodMetrics:
    """Metrics of one console.

    Parameters
    ----------
    sources
        Returns the sources by their keys.

    Attributes
    ----------
    registry
        What the probe port shows.
    """

    def __init__(self, sources: Callable[[], Mapping[str, Source]]) -> None:
        self.registry: Final = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.registry.register(_Sources(sources))
        Gauge(_BUILD.name, _BUILD.help, _BUILD.labels, registry=self.registry).labels(
            component=_COMPONENT, version=installed_version()
        ).set(1)
        self._requests = Counter(_REQUESTS.name, _REQUESTS.help, _REQUESTS.labels, registry=self.registry)
        self._duration = Histogram(_DURATION.name, _DURATION.help, buckets=_DURATION.bounds, registry=self.registry)

    def count(self, page: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests.labels(page=page, code=str(status)).inc()
        self._duration.observe(seconds)


class _Sources(Collector):
    def __init__(self, sources: Callable[[], Mapping[str, Source]]) -> None:
        self._sources = sources

    @override
    def collect(self) -> Iterator[GaugeMetricFamily]:
        read = GaugeMetricFamily(_READ.name, _READ.help, labels=_READ.labels)
        state = GaugeMetricFamily(_STATE.name, _STATE.help, labels=_STATE.labels)
        for key, source in self._sources().items():
            if source.as_of_ms is not None:
                read.add_metric([key], source.as_of_ms / 1000)
            for name in _STATES:
                state.add_metric([key, name], float(source.state == name))
        yield read
        yield state
