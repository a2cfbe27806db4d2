"""A record of the connections topic: what one broker counted (KIP-511), by listener, software name and version."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.record_headers import REPORTED_BY
from kwitness.contracts.topics import CONNECTIONS_SCHEMA
from kwitness.jobs.analyses.client_inventory.row import SOFTWARE, InventoryRow, bounded, row_id
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.rejection import RejectedRecordError

#: Entries of one snapshot. A broker's own gauge holds 100 for each of its network threads.
MAX_ENTRIES = 10_000
_LARGEST_TIME_MS = 2**53
_LARGEST_COUNT = 2**31 - 1

_Counted = tuple[str | None, str | None, str | None]
"""What a broker counts by: listener, software name and version."""


def snapshot_rows(record: KafkaRecord) -> Iterator[InventoryRow]:
    """What one snapshot says; nothing for events of single connections, which observers write to the same topic.

    The collector writes an observer's record unread, so its header tells it from a snapshot, not what the value says.

    Raises
    ------
    RejectedRecordError
        `MalformedPayload`, `UnknownSchema` or `InvalidField`.
    """
    if any(name == REPORTED_BY for name, _ in record.headers):
        return
    snapshot = _object(record.value)
    if snapshot.get("schema") != CONNECTIONS_SCHEMA:
        raise RejectedRecordError("UnknownSchema", f"field schema is not {CONNECTIONS_SCHEMA}")
    if snapshot.get("kind") != "snapshot":
        return
    cluster_id = _text(snapshot, "cluster_id")
    if not cluster_id:
        raise RejectedRecordError("InvalidField", "field cluster_id is absent or empty")
    sent_at_ms = _integer(snapshot, "sent_at_ms", _LARGEST_TIME_MS)
    for key, connections in _counts(snapshot).items():
        if connections > 0:
            yield _row(cluster_id, key, sent_at_ms, connections)


def _counts(snapshot: dict[str, Any]) -> dict[_Counted, int]:
    entries = snapshot.get("connections")
    if not isinstance(entries, list) or len(entries) > MAX_ENTRIES:
        raise RejectedRecordError("InvalidField", f"field connections is not a list of at most {MAX_ENTRIES}")
    counts: dict[_Counted, int] = {}
    for entry in entries:
        if not isinstance(entry, dict):
            raise RejectedRecordError("InvalidField", "an entry of connections is not an object")
        key = (
            _text(entry, "listener"),
            _text(entry, "client_software_name"),
            _text(entry, "client_software_version"),
        )
        counts[key] = counts.get(key, 0) + _integer(entry, "connections", _LARGEST_COUNT)
    return counts


def _row(cluster_id: str, key: _Counted, sent_at_ms: int, connections: int) -> InventoryRow:
    listener, name, version = key
    known: dict[str, str | None] = {
        "cluster_id": cluster_id,
        "listener": listener,
        "client_software_name": name,
        "client_software_version": version,
    }
    return InventoryRow(
        kind=SOFTWARE,
        row_id=row_id(SOFTWARE, cluster_id, listener, name, version),
        identity=tuple(known.get(key) for key in IDENTITY_KEYS),
        first_seen_ms=sent_at_ms,
        last_seen_ms=sent_at_ms,
        versions=frozenset({((name, version), sent_at_ms, sent_at_ms)}),
        max_connections=min(connections, _LARGEST_COUNT),
    )


def _object(value: bytes | None) -> dict[str, Any]:
    try:
        parsed = json.loads((value or b"").decode("utf-8"))
    except (ValueError, RecursionError):
        raise RejectedRecordError("MalformedPayload", f"{len(value or b'')} bytes that are not JSON") from None
    if not isinstance(parsed, dict):
        raise RejectedRecordError("MalformedPayload", "the JSON is not an object")
    return parsed


def _text(holder: dict[str, Any], key: str) -> str | None:
    value = holder.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise RejectedRecordError("InvalidField", f"field {key} is not text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        # JSON can escape half of a surrogate pair, which no column can hold.
        raise RejectedRecordError("InvalidField", f"field {key} is not valid Unicode") from None
    return bounded(value)


def _integer(holder: dict[str, Any], key: str, limit: int) -> int:
    value = holder.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= limit:
        raise RejectedRecordError("InvalidField", f"field {key} is not an integer from 0 to {limit}")
    return value
