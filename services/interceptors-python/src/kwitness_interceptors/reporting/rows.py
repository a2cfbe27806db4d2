"""Closed windows as rows of kwitness.interceptions, and as totals for Prometheus."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional

from kwitness_interceptors.hook_counts import HookSum
from kwitness_interceptors.measures.client_counts import PartitionCounts, TopicCounts
from kwitness_interceptors.measures.sketch import Sketch
from kwitness_interceptors.profile import CONSUMER
from kwitness_interceptors.settings import Settings

from .client_window import ClientWindow
from .header_rows import header_totals

__all__ = ["LATENCY_BOUNDS_US", "SIZE_BOUNDS_BYTES", "rows", "totals"]

RUNTIME = "python"
LATENCY_BOUNDS_US = (
    *(5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000),
    *(30_000_000, 60_000_000, 300_000_000, 3_600_000_000),
)
SIZE_BOUNDS_BYTES = (64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 10_485_760)
"""As contracts/vectors/interception_aggregates.json has them."""

_MOST_TOTALS = 4_096
_MOST_HOOKS = 96
_MOST_REASONS = 64


def rows(of: ClientWindow, instance: str, settings: Settings) -> Iterator[dict[str, Any]]:
    """Return the rows of one window of a client, but for the names and numbers of the event."""
    client, window = of.client, of.window
    common = _present(
        {
            "cluster_id": settings.cluster_id,
            "client_id": of.client_id,
            "group_id": of.group_id,
            "window_start_ms": window.start_ms,
            "window_end_ms": window.end_ms,
            "instance": instance,
            "runtime": RUNTIME,
            "side": client.side,
            "attributes": dict(settings.attributes),
        }
    )
    for name, counts in window.topics.items():
        place: dict[str, Any] = {"overflowed": True} if name is None else {"topic": name}
        yield {**common, "kind": "topic", **place, **_topic(counts)}
    hooks = _hooks(window.hooks)
    if hooks:
        yield {**common, "kind": "client", "hooks": hooks}


def totals(windows: Iterable[ClientWindow]) -> dict[str, Any]:
    """Return what was new in these windows, of all clients together, but for the number and what was dropped."""
    windows = list(windows)
    topics: dict[tuple[Any, ...], TopicCounts] = {}
    latencies: dict[tuple[Any, ...], Sketch] = defaultdict(Sketch)
    sizes: dict[tuple[Any, ...], Sketch] = defaultdict(Sketch)
    hooks: dict[tuple[str, str], HookSum] = {}
    for client, window, client_id, group_id in windows:
        for name, counts in window.topics.items():
            _add(topics.setdefault((name, client_id, group_id), TopicCounts()), counts)
            group = group_id if client.side == CONSUMER else None
            if counts.acknowledgement_time.buckets:
                latencies["acknowledgement", name, group].merge(counts.acknowledgement_time)
            if counts.end_to_end.buckets:
                latencies["end_to_end", name, group].merge(counts.end_to_end)
            if counts.sizes.buckets:
                sizes[client.side, name].merge(counts.sizes)
        for key, value in window.hooks.items():
            before = hooks.get(key, HookSum(0, 0, 0))
            hooks[key] = HookSum(*(one + other for one, other in zip(before, value)))
    return _present(
        {
            "topics": [
                _present(
                    {
                        "topic": name,
                        "client_id": client_id,
                        "group_id": group_id,
                        "sent": counts.sent,
                        "acknowledged": counts.acknowledged,
                        "failures": _reasons(counts.failures),
                        "consumed": counts.consumed,
                        "commits": counts.commits,
                        "commit_failures": _reasons(counts.commit_failures),
                        "anomalies": _reasons(counts.anomalies),
                    }
                )
                for (name, client_id, group_id), counts in topics.items()
            ][:_MOST_TOTALS],
            "latencies": [
                {
                    **_present({"measure": measure, "topic": name, "group_id": group}),
                    "counts": sketch.by_bounds(LATENCY_BOUNDS_US),
                    "sum_us": sketch.bounded_sum,
                }
                for (measure, name, group), sketch in latencies.items()
            ][:_MOST_TOTALS],
            "sizes": [
                {
                    **_present({"side": side, "topic": name}),
                    "counts": sketch.by_bounds(SIZE_BOUNDS_BYTES),
                    "sum_bytes": sketch.bounded_sum,
                }
                for (side, name), sketch in sizes.items()
            ][:_MOST_TOTALS],
            "hooks": _hooks(hooks),
            "headers": header_totals(windows)[:_MOST_TOTALS],
        }
    )


def _topic(counts: TopicCounts) -> dict[str, Any]:
    return _present(
        {
            "sent": counts.sent,
            "acknowledged": counts.acknowledged,
            "failures": _reasons(counts.failures),
            "consumed": counts.consumed,
            "commits": counts.commits,
            "commit_failures": _reasons(counts.commit_failures),
            "key_bytes": counts.key_bytes,
            "value_bytes": counts.value_bytes,
            "record_sizes": _sketch(counts.sizes, "sum_bytes"),
            "acknowledgement_time": _sketch(counts.acknowledgement_time, "sum_us"),
            "end_to_end_latency": _sketch(counts.end_to_end, "sum_us"),
            "anomalies": _reasons(counts.anomalies),
            "partitions": [_partition(number, one) for number, one in sorted(counts.partitions.items())],
            "partitions_left_out": len(counts.left_out),
        }
    )


def _partition(number: int, counts: PartitionCounts) -> dict[str, Any]:
    return {
        "partition": number,
        **_present(
            {
                "acknowledged": counts.acknowledged,
                "consumed": counts.consumed,
                "offset_ranges": [{"first": first, "last": last} for first, last in counts.offsets.ranges],
                "offset_ranges_merged": counts.offsets.merged,
            }
        ),
        **({} if counts.committed_offset is None else {"committed_offset": counts.committed_offset}),
    }


def _hooks(hooks: Mapping[tuple[str, str], HookSum]) -> list[dict[str, Any]]:
    return [
        _present(
            {"interceptor": name, "hook": hook, "calls": sums.calls, "errors": sums.errors, "time_ns": sums.time_ns}
        )
        for (name, hook), sums in sorted(hooks.items())
        if sums.calls
    ][:_MOST_HOOKS]


def _add(sums: TopicCounts, counts: TopicCounts) -> None:
    sums.sent += counts.sent
    sums.acknowledged += counts.acknowledged
    sums.consumed += counts.consumed
    sums.commits += counts.commits
    for name in ("failures", "commit_failures", "anomalies"):
        reasons = getattr(sums, name)
        for reason, count in getattr(counts, name).items():
            reasons[reason] += count


def _reasons(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts by reason; those of rare ones together where they are too many."""
    most = sorted(counts.items(), key=lambda one: -one[1])
    kept = dict(most[: _MOST_REASONS - 1])
    rest = sum(count for _, count in most[_MOST_REASONS - 1 :])
    if rest:
        kept["other"] = kept.get("other", 0) + rest
    return kept


def _sketch(sketch: Sketch, name: str) -> Optional[dict[str, Any]]:
    if not sketch.buckets:
        return None
    return {
        "buckets": {str(bucket): count for bucket, count in sorted(sketch.buckets.items())},
        name: sketch.bounded_sum,
    }


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is unknown, empty or zero: absent means the same."""
    return {name: value for name, value in fields.items() if value not in (None, 0, "", [], {})}
