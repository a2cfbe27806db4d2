"""One CLIENT_METRICS config of a broker as frozen data, and its two translations.

Source: ``org.apache.kafka.server.metrics.ClientMetricsConfigs`` of Kafka 4.3.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kwitness.contracts.broker_configs import BrokerSubscriptionConfig

METRICS: Final = "metrics"
INTERVAL: Final = "interval.ms"
MATCH: Final = "match"
CONFIG_KEYS: Final = (METRICS, INTERVAL, MATCH)
"""The three keys of the resource type; nothing else exists in 3.7 to 4.3."""

DEFAULT_INTERVAL_MS: Final = 300_000
"""Kafka's default of ``interval.ms``."""

ALL_METRICS: Final = "*"

MATCH_KEYS: Final = (
    "client_id",
    "client_instance_id",
    "client_software_name",
    "client_software_version",
    "client_source_address",
    "client_source_port",
)
"""Selectors as Kafka spells them."""


class UnreadableSubscriptionError(ValueError):
    """A broker config that does not have Kafka's form; names the resource and the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerSubscription:
    """A subscription as the broker holds it.

    ``metrics`` holds prefixes, or exactly ``("*",)``; empty means that nothing is subscribed to. ``interval_ms`` is in
    milliseconds. ``match`` holds pairs of a selector of `MATCH_KEYS` and a pattern as written in the broker, sorted by
    selector; all must match, and an empty tuple matches every client.
    """

    id: str
    metrics: tuple[str, ...] = ()
    interval_ms: int = DEFAULT_INTERVAL_MS
    match: tuple[tuple[str, str], ...] = ()


def parse(resource: str, configs: Mapping[str, str]) -> BrokerSubscription:
    """Read the config values of CLIENT_METRICS resource ``resource``.

    Raises
    ------
    UnreadableSubscriptionError
        If the interval is not a number or an entry of ``match`` is not ``selector=pattern``.
    """
    interval = configs.get(INTERVAL) or str(DEFAULT_INTERVAL_MS)
    if not interval.strip().isdecimal():
        raise UnreadableSubscriptionError(f"{resource}: {INTERVAL} is {interval!r}, not milliseconds")
    prefixes = tuple(sorted({prefix for entry in configs.get(METRICS, "").split(",") if (prefix := entry.strip())}))
    return BrokerSubscription(
        id=resource,
        metrics=(ALL_METRICS,) if ALL_METRICS in prefixes else prefixes,
        interval_ms=int(interval),
        match=_parse_match(resource, configs.get(MATCH, "")),
    )


def _parse_match(resource: str, text: str) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for entry in text.split(","):
        if not entry.strip():
            continue
        key, separator, pattern = entry.partition("=")
        if not separator or "=" in pattern:
            raise UnreadableSubscriptionError(f"{resource}: {MATCH} entry {entry!r} is not selector=pattern")
        found[key.strip()] = pattern.strip()
    return tuple(sorted(found.items()))


def to_message(subscription: BrokerSubscription) -> BrokerSubscriptionConfig:
    """Return it as operator, collectors and observers pass it on."""
    return BrokerSubscriptionConfig(
        id=subscription.id,
        metrics=subscription.metrics,
        interval_ms=subscription.interval_ms,
        match=dict(subscription.match),
    )


def to_configs(subscription: BrokerSubscription) -> dict[str, str]:
    """Write the config values; patterns must already be in the broker's form (`patterns.to_broker`).

    All three keys are always present, so that a key edited by hand is put back.
    """
    return {
        METRICS: ",".join(subscription.metrics),
        INTERVAL: str(subscription.interval_ms),
        MATCH: ",".join(f"{key}={pattern}" for key, pattern in subscription.match),
    }
