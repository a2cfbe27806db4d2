"""Which metrics KIP-714 requires of a client, by the role in which it pushes.

A client can only be judged by what it was asked for: under a subscription that leaves required metrics out, they are
missing here although the client could send them.
"""

from __future__ import annotations

from kwitness.contracts.client_metrics import required_names

ROLE_PREFIXES = {
    "admin": "org.apache.kafka.admin.",
    "consumer": "org.apache.kafka.consumer.",
    "producer": "org.apache.kafka.producer.",
    "streams": "org.apache.kafka.stream.",
}
"""The roles of a client program, by the beginning of the names of their metrics."""

REQUIRED_BY_ROLE: dict[str, tuple[str, ...]] = {
    "consumer": tuple(sorted(required_names("consumer"))),
    "producer": tuple(sorted(required_names("producer"))),
}
"""The standard metrics, from the registry; admin and streams clients have none."""

REQUIRED = frozenset(name for names in REQUIRED_BY_ROLE.values() for name in names)


def roles_of(metrics: frozenset[str]) -> frozenset[str]:
    """The roles that a set of metric names gives away."""
    return frozenset(role for role, prefix in ROLE_PREFIXES.items() if any(name.startswith(prefix) for name in metrics))


def metric_order(name: str) -> tuple[bool, str]:
    """Required metrics first, so that cutting a long list never makes a client look worse."""
    return (name not in REQUIRED, name)
