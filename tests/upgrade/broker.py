"""Runs the broker of upgrades: its address and its cluster's id are the same each time, as children name them."""

from __future__ import annotations

from kwitness.e2e.kafka.local_broker import LocalBroker

__all__ = ["upgraded_broker"]

_PORT = 29192
"""Below the ports that the system gives to clients and tests."""
_CLUSTER_ID = "kwitness-of-upgrades-Q"


def upgraded_broker() -> LocalBroker:
    """Return the broker, which is not started yet."""
    broker = LocalBroker(port=_PORT)
    broker.cluster_id = _CLUSTER_ID
    return broker
