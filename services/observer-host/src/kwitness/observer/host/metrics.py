"""What the host tells of itself, and what observers tell by the Prometheus library's own registry."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Final

from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from typing_extensions import override

from kwitness.contracts.own_metrics import own_metric
from kwitness.observer.host.crew import Crew
from kwitness.observer.host.reader import Reader
from kwitness.observer.loading import reason_of
from kwitness.runtime.service import installed_version

__all__ = ["page_of"]

_OURS: Final = "kwitness_"

_LOG = logging.getLogger(__name__)


def page_of(reader: Reader, crew: Crew) -> CollectorRegistry:
    """Make the registry that /metrics shows."""
    registry = CollectorRegistry()
    registry.register(_Host(reader, crew))
    registry.register(_Observers())
    return registry


def _family(name: str, samples: Iterable[tuple[tuple[str, ...], float]]) -> Metric:
    entry = own_metric(name)
    kind = CounterMetricFamily if entry.type == "counter" else GaugeMetricFamily
    family = kind(name, entry.help, labels=entry.labels)
    for labels, value in samples:
        family.add_metric(labels, value)
    return family


class _Host(Collector):
    def __init__(self, reader: Reader, crew: Crew) -> None:
        self._reader, self._crew = reader, crew

    @override
    def collect(self) -> Iterator[Metric]:
        reader, workers = self._reader, self._crew.workers
        events: list[tuple[tuple[str, ...], float]] = []
        queued: list[tuple[tuple[str, ...], float]] = []
        for one in workers:
            ledger = one.ledger()
            events.append(((one.name, "accepted", ""), ledger.accepted))
            events.append(((one.name, "delivered", ""), ledger.delivered))
            events += [((one.name, "dropped", why), count) for why, count in sorted(ledger.dropped.items())]
            queued.append(((one.name,), ledger.queued))
        yield _family("kwitness_build_info", [(("observer_host", installed_version()), 1)])
        yield _family("kwitness_observer_host_events_total", events)
        yield _family("kwitness_observer_host_queued_events", queued)
        yield _family("kwitness_observer_host_call_seconds", [((one.name,), one.call_seconds) for one in workers])
        yield _family(
            "kwitness_observer_host_usable", [((one.name,), 1 if one.trouble is None else 0) for one in workers]
        )
        records = (("ordered", reader.ordered), ("repeated", reader.repeated), ("malformed", reader.malformed))
        yield _family("kwitness_observer_host_records_total", [((outcome,), count) for outcome, count in records])
        yield _family("kwitness_observer_host_missing_events_total", [((), reader.missing)])
        yield _family("kwitness_observer_host_waiting_events", [((), reader.waiting)])
        lag = reader.lag
        yield _family("kwitness_observer_host_lag_records", [] if lag is None else [((), lag)])


class _Observers(Collector):
    """Families of the default registry, where observers put theirs; what fails there hides nothing of the host's."""

    def __init__(self) -> None:
        self._reported: str | None = None

    @override
    def collect(self) -> Iterator[Metric]:
        families: list[Metric] = []
        try:
            families += REGISTRY.collect()
        except Exception as error:  # noqa: BLE001 - collecting is the observers' own code
            self._report(reason_of(error))
        yield _family("kwitness_observer_host_metrics_good", [((), 1 if families else 0)])
        yield from (family for family in families if not family.name.startswith(_OURS))

    def _report(self, reason: str) -> None:
        if self._reported != reason:
            _LOG.warning("The metrics of observers cannot be collected", extra={"reason": reason})
        self._reported = reason
