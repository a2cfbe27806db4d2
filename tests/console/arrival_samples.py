"""Rows of Completeness, MirrorAudit and LedgerAudit: losses, what is not known, and names of strangers."""

from __future__ import annotations

from typing import Any

from tests.console.table_samples import HOSTILE

__all__ = ["ARRIVED", "COMPUTED_MS", "MIRRORED", "REPORTED", "arrived", "epoch"]

COMPUTED_MS = 1_790_000_000_000
_MINUTE = 60_000
_REPORT = {
    "end_ms": COMPUTED_MS,
    "teller": 1,
    "seq": 1,
    "ranges": [],
    "again": 0,
    "exact": True,
    "plain": False,
    "markers": 0,
    "unconfirmed": 0,
    "sent": 0,
    "acknowledged": 0,
    "given_up": 0,
}


def arrived(topic: str, group_id: str, evidence: str, result: str | None, **fields: Any) -> dict[str, Any]:
    """Return a row of Completeness, of partition 0 unless another one is named."""
    open_since = fields.pop("open_since_ms", None)
    voice = {"reports": [{**_REPORT, "start_ms": open_since}]} if open_since else {"reports": []}
    return {
        "topic": topic,
        "partition": 0,
        "group_id": group_id,
        "evidence": evidence,
        "verdict": result,
        "coverage": "full",
        "approximate": False,
        "first_ms": COMPUTED_MS - 60 * _MINUTE,
        "last_ms": COMPUTED_MS,
        "voice": voice,
        **fields,
    }


_NONE = {"written": 100, "lost": 0, "skipped": 0, "not_seen": 0, "duplicated": 0, "late": 0}
_UNOBSERVED = {"coverage": "none", "first_ms": None, "last_ms": None, "voice": None}
ARRIVED = [
    arrived("orders", "billing", "interceptors", "Lost", **{**_NONE, "lost": 7, "duplicated": 2}),
    arrived("orders", "billing", "interceptors", "Complete", **_NONE, partition=1),
    arrived("orders", "billing", "wire", "Lost", **{**_NONE, "lost": 5}),
    arrived("orders", "mail", "interceptors", "Complete", **_NONE),
    arrived("orders", "search", "wire", "Complete", **_NONE, open_since_ms=COMPUTED_MS - 5 * _MINUTE),
    arrived("orders", "young", "wire", "Open", written=0, lost=0, skipped=0, not_seen=0, duplicated=0, late=0),
    arrived("orders", "crowded", "wire", "Complete", **{**_NONE, "approximate": True}),
    arrived("orders", "holes", "wire", "NotSeen", **{**_NONE, "not_seen": 3, "coverage": "partial"}),
    arrived("orders", "seeker", "wire", "Skipped", **{**_NONE, "skipped": 4}),
    arrived("orders", "unobserved", "offsets", "NotSeen", committed=9, surveyed_ms=COMPUTED_MS, **_UNOBSERVED),
    arrived("orders", "gone", "offsets", "Complete", surveyed_ms=COMPUTED_MS, coverage=None, voice=None),
    arrived("orders", "", "interceptors", "Complete", duplicated=0, late=1),
    arrived("orders", "", "offsets", "Unexplained", lost=0, unexplained=11, coverage="partial", voice=None),
    arrived("stock", "", "offsets", "Complete", lost=0, unexplained=0, voice=None),
    arrived("stock", "", "interceptors", "NotAcknowledged", partition=-1, not_acknowledged=6, meant=50, late=0),
    arrived("stock", "", "offsets", None, partition=-1, coverage=None),
    arrived(HOSTILE, HOSTILE, "wire", "Complete", **_NONE),
]
"""Of 13 topics and groups, one lost records by both evidences, and one of each other state."""


def _mirrored(topic: str, result: str, **fields: Any) -> dict[str, Any]:
    place = {"topic": topic, "partition": 0, "time_ms": 0, "target_topic": f"main.{topic}"}
    return {"kind": "partition", **place, "verdict": result, "surveyed_ms": COMPUTED_MS, **fields}


_EXACT = {"evidence": "offset-syncs", "missing": 0, "extra": 0, "not_seen": 0, "lag_records": 0, "lag_ms": 0}
MIRRORED = [
    _mirrored("orders", "Missing", **{**_EXACT, "missing": 8, "lag_records": 2, "lag_ms": 90_000}),
    _mirrored("orders", "NotSeen", partition=1, not_seen=3, evidence=None, unanswered="mirror.endOffsets"),
    _mirrored("orders", "Missing", **{**_EXACT, "missing": 99}, partition=2)
    | {"surveyed_ms": COMPUTED_MS - 600 * _MINUTE},
    _mirrored("orders", "", missing=8) | {"kind": "span", "time_ms": COMPUTED_MS - 30 * _MINUTE},
    _mirrored("stock", "InStep", **_EXACT),
    _mirrored("stock", "Changed", changed=2) | {"kind": "topic", "partition": -1, "surveyed_ms": None},
    _mirrored("same", "InStep", **_EXACT),
    _mirrored(HOSTILE, "NotMirrored"),
]


def epoch(kind: str, source: str, **fields: Any) -> dict[str, Any]:
    """Return a row of LedgerAudit, all of whose hundred numbers were found."""
    counts = dict.fromkeys(("duplicates", "missing", "dropped", "unsealed", "untold", "late"), 0)
    return {
        "kind": kind,
        "event_source": source,
        "event_epoch": 1,
        "state": "Closed",
        "records": 100,
        "numbers": 100,
        **counts,
        "dropped_by_reason": [],
        "first_ms": COMPUTED_MS - 60 * _MINUTE,
        "last_ms": COMPUTED_MS,
        **fields,
    }


REPORTED = [
    epoch("Observer", "kafka/gateway-1", missing=4, missing_since_ms=COMPUTED_MS - 30 * _MINUTE),
    epoch("Observer", "kafka/gateway-1", event_epoch=2, missing=3, missing_since_ms=COMPUTED_MS - _MINUTE),
    epoch("Observer", "kafka/gateway-2", dropped=5, dropped_by_reason=[("queue_full", 3), (HOSTILE, 2)]),
    epoch("Interceptors", "shop/till/1", unsealed=2, unsealed_since_ms=COMPUTED_MS - 30 * _MINUTE),
    epoch("Plugin", "cluster/1", duplicates=1, records=101),
    epoch("Otlp", "otlp/0"),
]
"""Of the observers' seven missing numbers, three may still come."""
