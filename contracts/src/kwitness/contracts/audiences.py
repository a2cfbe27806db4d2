"""Audiences of bearer tokens: each names one target, so that a token is worth nothing anywhere else."""

from __future__ import annotations

__all__ = ["collector_audience", "driver_audience", "inventory_audience"]


def collector_audience(namespace: str, name: str) -> str:
    """Return the audience of whoever sends to the TelemetryCollector `name`."""
    return f"kwitness-collector.{namespace}.{name}"


def inventory_audience(namespace: str, name: str) -> str:
    """Return the audience of whoever reads the inventory of the TelemetryCollector `name`."""
    return f"kwitness-inventory.{namespace}.{name}"


def driver_audience(namespace: str, name: str) -> str:
    """Return the audience of whoever asks the driver of the AnalyticsJob `name` for its status."""
    return f"kwitness-driver.{namespace}.{name}"
