"""Requests, records and bytes by topic and principal, as Prometheus metrics."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import REGISTRY, CollectorRegistry, Counter
from typing_extensions import override

from kwitness.observer.interface import Observer
from kwitness.observer.views import ApiKey, Request, Response

__all__ = ["TrafficMetrics"]

_LABELS = ("api", "topic", "principal")
_OTHERS = "(others)"


class TrafficMetrics(Observer):
    """Counts what is produced and fetched, in the registry that the host shows on /metrics.

    Its one setting is ``maxSeries``, by default 10,000: of further topics and principals all together are counted,
    as ``(others)``, since clients choose both.
    """

    registry: CollectorRegistry = REGISTRY

    def __init__(self) -> None:
        self._seen: set[tuple[str, str, str]] = set()
        self._most = 10_000

    @override
    def configure(self, config: Mapping[str, str]) -> None:
        unknown = sorted(config.keys() - {"maxSeries"})
        if unknown:
            raise ValueError(f"there is no setting {unknown[0]}: remove it, or write maxSeries")
        text = config.get("maxSeries", "10000")
        if not text.isdecimal() or int(text) < 1:
            raise ValueError(f"maxSeries is {text!r}: write a whole number above 0")
        self._most = int(text)
        made = {
            name: Counter(f"kafka_observed_{name}_total", help_text, _LABELS, registry=self.registry)
            for name, help_text in (
                ("messages", "Produce requests and fetch responses with records of a topic."),
                ("records", "Records produced and fetched; batches whose records cannot be counted are left out."),
                ("record_bytes", "Bytes of their record batches as they travelled."),
            )
        }
        self._messages, self._records, self._bytes = made["messages"], made["records"], made["record_bytes"]

    @override
    def record_request(
        self,
        request: Request,
        client_address: str | None,
        principal: str | None,
        api_key: ApiKey,
        api_version: int,
        correlation_id: str,
    ) -> None:
        if api_key.name == "Produce":
            self._count(request, principal)

    @override
    def record_response(self, response: Response, api_version: int, correlation_id: str) -> None:
        if response.api_key.name in {"Fetch", "ShareFetch"}:
            self._count(response, response.identity.principal)

    def _count(self, message: Request | Response, principal: str | None) -> None:
        records: dict[str, int] = {}
        size: dict[str, int] = {}
        for one in message.partitions:
            if one.bytes:
                records[one.topic] = records.get(one.topic, 0) + (one.records or 0)
                size[one.topic] = size.get(one.topic, 0) + one.bytes
        for topic, total in size.items():
            labels = self._labels(message.api_key.name, topic, principal or "")
            self._messages.labels(*labels).inc()
            self._records.labels(*labels).inc(records[topic])
            self._bytes.labels(*labels).inc(total)

    def _labels(self, api: str, topic: str, principal: str) -> tuple[str, str, str]:
        labels = (api, topic, principal)
        if labels not in self._seen:
            if len(self._seen) >= self._most:
                return (api, _OTHERS, _OTHERS)
            self._seen.add(labels)
        return labels
