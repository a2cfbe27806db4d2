"""From the words of `kwitness subscriptions add` to a ClientMetricsSubscription; pure."""

from __future__ import annotations

import difflib
import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from kwitness.answers.failure import WrongUseError
from kwitness.contracts.client_metrics import CLIENT_METRICS
from kwitness.contracts.resources.durations import parse_duration
from kwitness.contracts.resources.meta import API_VERSION

__all__ = ["Request", "expiry", "metric_warnings", "pattern_of", "subscription"]

_SHORTEST_LIFE: Final = timedelta(minutes=1)
_LAST_PORT: Final = 65_535
_SPECIAL: Final = re.compile(r"([\\.+*?()|\[\]{}^$&])")
"""What means something else than itself in a pattern."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for; ``selectors`` has the values by the names that spec.match uses."""

    name: str
    namespace: str
    cluster: str
    cluster_namespace: str
    metrics: Sequence[str]
    interval: str | None = None
    expire_after: str | None = None
    selectors: Mapping[str, Sequence[str]] | None = None
    patterns: bool = False
    accept_risk: bool = False


def subscription(request: Request) -> dict[str, Any]:
    """Return the resource, as the API server takes it.

    Raises
    ------
    WrongUseError
        No metrics are named, an expiry is no time or too short, an address or port is none, or a value has characters
        that no pattern can have.
    """
    if not request.metrics:
        raise WrongUseError(
            "name by --metric what clients shall push: a prefix such as org.apache.kafka.producer., several by several "
            "--metric, or '*' for all"
        )
    cluster = {"name": request.cluster}
    if request.cluster_namespace != request.namespace:
        cluster["namespace"] = request.cluster_namespace
    spec: dict[str, Any] = {"clusterRef": cluster, "metrics": list(dict.fromkeys(request.metrics))}
    if request.interval is not None:
        spec["interval"] = request.interval
    if request.expire_after is not None:
        spec["expireAfter"] = expiry(request.expire_after)
    if request.accept_risk:
        spec["riskPolicy"] = "Apply"
    if not request.patterns:
        _check_addresses(request.selectors or {})
    match = [
        {"selector": selector, "pattern": pattern_of(values, patterns=request.patterns)}
        for selector, values in (request.selectors or {}).items()
        if values
    ]
    if match:
        spec["match"] = match
    return {
        "apiVersion": API_VERSION,
        "kind": "ClientMetricsSubscription",
        "metadata": {"name": request.name, "namespace": request.namespace},
        "spec": spec,
    }


def _check_addresses(selectors: Mapping[str, Sequence[str]]) -> None:
    for address in selectors.get("clientSourceAddress", ()):
        try:
            ipaddress.ip_address(address)
        except ValueError as error:
            raise WrongUseError(
                f"--address {address} is no address such as 10.0.0.7, and brokers see no names; a range is a --pattern"
            ) from error
    for port in selectors.get("clientSourcePort", ()):
        if not port.isdecimal() or not 0 < int(port[:6]) <= _LAST_PORT:
            raise WrongUseError(f"--port {port} is no number from 1 to {_LAST_PORT}")


def expiry(text: str) -> str:
    """Return ``text`` when a subscription may live that long.

    Raises
    ------
    WrongUseError
        It is no duration, or shorter than a minute, which is what the operator can keep to.
    """
    try:
        life = parse_duration(text)
    except ValueError as error:
        raise WrongUseError(f"--for: {error}; it counts from now, so it cannot lie in the past") from error
    if life < _SHORTEST_LIFE:
        raise WrongUseError(f"--for {text} is too short: a subscription lives a minute at least, such as --for 10m")
    return text


def pattern_of(values: Sequence[str], *, patterns: bool) -> str:
    """Return the pattern that matches any of ``values``, literally unless they are patterns themselves.

    Raises
    ------
    WrongUseError
        A value is empty, or has other characters than printable ASCII.
    """
    for value in values:
        if not value or not (value.isascii() and value.isprintable()):
            raise WrongUseError(
                f"{value!r} cannot be matched: patterns are printable ASCII, and not empty. Write .* for other "
                "characters, with --pattern"
            )
    if patterns:
        return values[0] if len(values) == 1 else "|".join(f"(?:{value})" for value in values)
    return "|".join(_SPECIAL.sub(r"\\\1", value) for value in values)


def metric_warnings(prefixes: Sequence[str]) -> list[str]:
    """Return a sentence for each prefix with which no metric of the registry begins."""
    hints = {
        prefix: f"; the nearest that is known is {nearest}" if nearest else ""
        for prefix, nearest in _unknown_metrics(prefixes).items()
    }
    return [f"no client is known to send a metric that begins with {prefix}{hint}" for prefix, hint in hints.items()]


def _unknown_metrics(prefixes: Sequence[str]) -> dict[str, str | None]:
    """Return the prefixes with which no metric of the registry begins, each with the nearest that there is."""
    names = [metric.name for metric in CLIENT_METRICS]
    unknown = [one for one in prefixes if one != "*" and not any(name.startswith(one) for name in names)]
    if not unknown:
        return {}
    known = sorted({name[: end.end()] for name in names for end in re.finditer(r"\.|$", name)})
    return {one: next(iter(difflib.get_close_matches(one, known, n=1)), None) for one in unknown}
