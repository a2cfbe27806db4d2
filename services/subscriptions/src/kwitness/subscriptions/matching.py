"""Which clients a subscription reaches, evaluated as the broker does: full match, every selector, absent never matches.

Source: ``ClientMetricsInstanceMetadata.isMatch`` and ``ClientMetricsManager.createClientInstance`` of Kafka 4.3.1.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from kwitness.subscriptions.broker_subscription import ALL_METRICS, DEFAULT_INTERVAL_MS, BrokerSubscription
from kwitness.subscriptions.patterns import InvalidPatternError, compile_pattern

_CACHED_PATTERNS: Final = 4096
"""Compiled patterns kept; a cluster has a handful of subscriptions with at most six patterns each."""


@lru_cache(maxsize=_CACHED_PATTERNS)
def _full_match(pattern: str, value: str) -> bool | None:
    try:
        return compile_pattern(pattern).fullmatch(value) is not None
    except InvalidPatternError:
        return None


def pattern_matches(pattern: str, value: str) -> bool | None:
    """Whether the whole of ``value`` matches; None if the pattern is one that only Java can read (a foreign one)."""
    return _full_match(pattern, value)


def matches(subscription: BrokerSubscription, client: Mapping[str, str]) -> bool | None:
    """Whether the subscription reaches a client whose selectors are all in ``client``.

    Keys are those of `MATCH_KEYS`; an absent key never matches. None when it hangs on an unreadable foreign pattern.
    """
    verdict: bool | None = True
    for key, pattern in subscription.match:
        value = client.get(key)
        if value is None:
            return False
        result = pattern_matches(pattern, value)
        if result is False:
            return False
        if result is None:
            verdict = None
    return verdict


def requests_metric(prefixes: Iterable[str], metric: str) -> bool:
    """Whether a metric, by its full ``org.apache.kafka.`` name, is asked for by any of the prefixes."""
    return any(prefix == ALL_METRICS or metric.startswith(prefix) for prefix in prefixes)


class Effective(NamedTuple):
    """What a broker asks one client for: prefixes of metrics, or ``*`` alone, and the interval in milliseconds."""

    interval_ms: int
    metrics: tuple[str, ...]


def effective(matching: Iterable[BrokerSubscription]) -> Effective | None:
    """Take the subscriptions together that reach a client; None where none does.

    Metrics are their union. The interval is the shortest of theirs and never longer than Kafka's default: a broker
    begins with that.
    """
    reaching = tuple(matching)
    if not reaching:
        return None
    metrics = {prefix for one in reaching for prefix in one.metrics}
    return Effective(
        min(DEFAULT_INTERVAL_MS, *(one.interval_ms for one in reaching)),
        (ALL_METRICS,) if ALL_METRICS in metrics else tuple(sorted(metrics)),
    )
