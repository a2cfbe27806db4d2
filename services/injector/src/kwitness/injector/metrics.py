"""The injector's own metrics; meaning and labels are in the registry."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, disable_created_metrics

from kwitness.contracts.own_metrics import own_metric

__all__ = [
    "BUILD_INFO",
    "CERTIFICATE_EXPIRY",
    "CONFIG_GOOD",
    "INJECTIONS",
    "INTERCEPTOR_INJECTIONS",
    "INTERCEPTOR_REVIEWS",
    "REGISTRY",
    "REVIEWS",
    "REVIEW_DURATION",
    "WATCH_SUCCESS",
]

# A series with the time of each series' birth would double them, and nobody asks for it.
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library has no type for it


REGISTRY: Final = CollectorRegistry()
"""What this process shows; names such as kwitness_build_info are those of other components too."""
ProcessCollector(registry=REGISTRY)


def _gauge(name: str) -> Gauge:
    entry = own_metric(name)
    return Gauge(name, entry.help, entry.labels, registry=REGISTRY)


def _counter(name: str) -> Counter:
    entry = own_metric(name)
    return Counter(entry.name, entry.help, entry.labels, registry=REGISTRY)


_duration = own_metric("kwitness_injector_review_seconds")

BUILD_INFO: Final = _gauge("kwitness_build_info")
REVIEWS: Final = _counter("kwitness_injector_reviews_total")
INTERCEPTOR_REVIEWS: Final = _counter("kwitness_injector_interceptor_reviews_total")
REVIEW_DURATION: Final = Histogram(
    _duration.name, _duration.help, buckets=(0.001, 0.005, 0.02, 0.1, 0.5, 1, 2), registry=REGISTRY
)
INJECTIONS: Final = _gauge("kwitness_injector_injections")
INTERCEPTOR_INJECTIONS: Final = _gauge("kwitness_injector_interceptor_injections")
CONFIG_GOOD: Final = _gauge("kwitness_injector_config_good")
CERTIFICATE_EXPIRY: Final = _gauge("kwitness_injector_certificate_expiry_seconds")
WATCH_SUCCESS: Final = _gauge("kwitness_watch_last_success_seconds")
