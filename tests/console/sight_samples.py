"""Rows of ClientInventory around the hour of the samples of Traffic."""

from __future__ import annotations

from typing import Any

from kwitness.console.rows.hours import HOUR_MS

from tests.console.table_samples import DAY_MS
from tests.console.traffic_samples import HOUR

__all__ = ["SIGHTS"]


def pushed(client_id: str, first_ms: int, last_ms: int, **more: Any) -> dict[str, Any]:
    """Return a row of an instance, of times after the beginning of the hour."""
    times = {"first_seen_ms": HOUR + first_ms, "last_seen_ms": HOUR + last_ms}
    named = {"principal": f"User:{client_id}", "ours": False, "ended": False, "k8s_namespace": "shop"}
    return {"kind": "instance", "client_id": client_id, **times, **named, **more}


SIGHTS = [
    pushed("desk", -9 * DAY_MS, 60_000, ended=True, owner="before"),
    pushed("desk", -1_000, 3 * DAY_MS, owner="orders", owner_contact="#orders"),
    pushed("left", -DAY_MS, DAY_MS, ended=True),
    pushed("came", HOUR_MS, 2 * DAY_MS, owner="orders"),
    pushed("earlier", -9 * DAY_MS, -1, ended=True),
    pushed("observer", 0, DAY_MS, ours=True),
    {"kind": "software", "client_software_name": "x", "first_seen_ms": HOUR, "last_seen_ms": HOUR},
]
"""Since the hour, one client is still there by one of its two instances, one is gone and one is new."""
