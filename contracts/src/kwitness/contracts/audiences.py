"""Audiences of bearer tokens: each names one target, so that a token is worth nothing anywhere else."""

from __future__ import annotations

import base64
import binascii
import json

__all__ = ["collector_audience", "driver_audience", "inventory_audience", "rows_audience", "says_audience"]


def collector_audience(namespace: str, name: str) -> str:
    """Return the audience of callers that send to the TelemetryCollector `name`."""
    return f"kwitness-collector.{namespace}.{name}"


def inventory_audience(namespace: str, name: str) -> str:
    """Return the audience of callers that read the inventory of the TelemetryCollector `name`."""
    return f"kwitness-inventory.{namespace}.{name}"


def driver_audience(namespace: str, name: str) -> str:
    """Return the audience of callers that ask the driver of the AnalyticsJob `name` for its status."""
    return f"kwitness-driver.{namespace}.{name}"


def rows_audience(namespace: str, name: str) -> str:
    """Return the audience of callers that read the table of the AnalyticsJob `name` through its driver."""
    return f"kwitness-rows.{namespace}.{name}"


def says_audience(token: str, audience: str) -> bool:
    """Whether a token itself says that it is for an audience, as every projected token does.

    Nobody vouches for that: who says otherwise may be refused by it, and nobody may be let in.
    """
    parts = token.split(".")
    if len(parts) != 3:  # noqa: PLR2004 - header, claims and signature of a JSON Web Token
        return False
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return False
    said = claims.get("aud") if isinstance(claims, dict) else None
    return said == audience or (isinstance(said, list) and audience in said)
