"""Writes sentences about what observers and interceptors count of a client: ends, and statistics of librdkafka."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from kwitness.contracts.envelopes import CountedValue
from kwitness.contracts.kafka_errors import error_text

from .amounts import amount_text

__all__ = ["ends_of", "statistics_of"]

_ENDS: Final = "kafka_client_connection_ends_total"
_STATISTICS: Final = "kafka_client_interceptor_"
_BY_END: Final = {
    "client": "Closed by the client",
    "broker": "Closed by the broker",
    "error": "Without a way to a broker, or with failed TLS",
    "deadline": "Closed by the observer, since a request did not come whole in time",
    "drained": "Closed by the observer as it ended",
    "limit": "Closed by the observer, which had as many as it may have",
    "sign_in": "Closed by the observer, since the client did not sign in in time",
    "idle": "Closed by the observer, since nothing passed for long",
}
_QUEUES: Final = {"records": "queued_records", "bytes": "queued_bytes"}
_LIMITS: Final = {"records": "queue_limit_records", "bytes": "queue_limit_bytes"}
_FULL: Final = 0.9
_COUNTS: Final = {
    "request_retries_total": "requests that it sent again",
    "request_timeouts_total": "requests that timed out",
    "disconnects_total": "connections to brokers that ended",
    "rebalances_total": "rebalances of its group",
}
_TIMES: Final = {
    "round_trip": ("round_trip_seconds_total", "round_trips_total", "from sending to answer"),
    "queue": ("request_queue_seconds_total", "requests_total", "before they are sent"),
}
Labels = Mapping[str, str]


def ends_of(values: Iterable[CountedValue]) -> list[str]:
    """A sentence for each way in which connections ended and each last error of Kafka, the most frequent first."""
    counts = Counter[tuple[str, str]]()
    for counted in values:
        if counted.name == _ENDS:
            counts[counted.labels.get("end", ""), counted.labels.get("error", "")] += round(counted.value)
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return [f"{_BY_END.get(end, end)}{_after(error)}: {count:,}." for (end, error), count in ordered]


def _after(error: str) -> str:
    return "" if error in {"", "0"} else f", after Kafka's error {error_text(error)}"


def statistics_of(values: Iterable[CountedValue]) -> list[str]:
    """Sentences about queues, times of requests, what went wrong, what waits in a consumer, and its lag."""
    known: dict[str, list[tuple[Labels, float]]] = {}
    for counted in values:
        if counted.name.startswith(_STATISTICS):
            known.setdefault(counted.name.removeprefix(_STATISTICS), []).append((counted.labels, counted.value))
    return [*_queue(known), *_times(known), *_counts(known), *_fetched(known), *_lag(known)]


def _sum(values: Sequence[tuple[Labels, float]] | None) -> float:
    return sum(value for _, value in values or ())


def _queue(known: Mapping[str, Sequence[tuple[Labels, float]]]) -> list[str]:
    """Of the pod and the unit whose queue is fullest."""
    filled = []
    for unit, name in _QUEUES.items():
        limits = {frozenset(labels.items()): limit for labels, limit in known.get(_LIMITS[unit], ()) if limit}
        for labels, queued in known.get(name, ()):
            limit = limits.get(frozenset(labels.items()))
            if limit is not None:
                filled.append((queued / limit, queued, limit, unit, labels))
    if not filled:
        return []
    share, queued, limit, unit, labels = max(filled, key=lambda entry: entry[0])
    full = ": it is full, and sending fails or waits" if share >= _FULL else ""
    of_pod = f" of pod {labels['k8s_pod']}" if "k8s_pod" in labels else ""
    return [f"{amount_text(queued)} of {amount_text(limit)} {unit} wait in the queue of its producer{of_pod}{full}."]


def _times(known: Mapping[str, Sequence[tuple[Labels, float]]]) -> list[str]:
    sentences = []
    for seconds, requests, when in _TIMES.values():
        count = _sum(known.get(requests))
        if count:
            milliseconds = 1000 * _sum(known.get(seconds)) / count
            sentences.append(f"Its requests take {amount_text(milliseconds)} ms {when}, on average of all.")
    return sentences


def _counts(known: Mapping[str, Sequence[tuple[Labels, float]]]) -> list[str]:
    counts = ((what, round(_sum(known.get(name)))) for name, what in _COUNTS.items())
    listed = [f"{count:,} {what}" for what, count in counts if count]
    return [f"It counted {', '.join(listed)}."] if listed else []


def _fetched(known: Mapping[str, Sequence[tuple[Labels, float]]]) -> list[str]:
    waiting = max((value for _, value in known.get("fetched_records", ())), default=0)
    return [f"{amount_text(waiting)} records are fetched and not handed to its application yet."] if waiting else []


def _lag(known: Mapping[str, Sequence[tuple[Labels, float]]]) -> list[str]:
    behind = max(known.get("consumer_lag_records", ()), key=lambda entry: entry[1], default=None)
    if behind is None or not behind[1]:
        return []
    labels, lag = behind
    return [f"It is {amount_text(lag)} records behind in a partition of {labels.get('topic') or 'an unknown topic'}."]
