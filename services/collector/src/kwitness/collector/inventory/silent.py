"""Clients that stopped pushing without a last word, remembered for an hour, so that an alert can say who they were."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kwitness.collector.inventory.client_record import ClientRecord

MAX_SILENT: Final = 1_000
"""Clients remembered per replica, the latest of them: a broker that stops takes more with it."""
REMEMBERED_MS: Final = 3_600_000


class SilentClients:
    """Records of clients that expired, by their keys.

    Only of those that brokers tell of: plain OTLP has no last push, so its senders end without a word as a rule. And
    only as far as this process listened: what fell silent while it was away may have pushed meanwhile.
    """

    def __init__(self) -> None:
        self._records: dict[str, tuple[ClientRecord, int]] = {}
        self._since_ms = 0

    def __len__(self) -> int:
        return len(self._records)

    def items(self) -> Iterable[tuple[str, ClientRecord]]:
        """Return keys and records, the first to fall silent first."""
        return ((key, record) for key, (record, _) in self._records.items())

    def begin(self, now_ms: int) -> None:
        """Listen from now on."""
        self._records.clear()
        self._since_ms = now_ms

    def clock_was_set(self, step_ms: int) -> None:
        """Shift all times with the clock that they were read from."""
        self._since_ms += step_ms
        self._records = {key: (record, at_ms + step_ms) for key, (record, at_ms) in self._records.items()}
        for record, _ in self._records.values():
            record.last_push_ms += step_ms

    def note(self, key: str, record: ClientRecord, deadline_ms: int, now_ms: int) -> None:
        """Remember a client whose deadline is over, if it should have been heard from meanwhile."""
        told_by_broker = "broker_id" in record.identity or record.told_interval_ms is not None
        listened = now_ms - self._since_ms >= deadline_ms - record.last_push_ms
        if record.terminated or not told_by_broker or not listened:
            return
        self._records.pop(key, None)
        self._records[key] = record, now_ms
        while len(self._records) > MAX_SILENT:
            del self._records[next(iter(self._records))]

    def heard(self, key: str) -> None:
        """Forget a client that pushes again."""
        self._records.pop(key, None)

    def expire(self, now_ms: int) -> None:
        """Forget those of more than an hour ago."""
        for key in [key for key, (_, at_ms) in self._records.items() if now_ms - at_ms >= REMEMBERED_MS]:
            del self._records[key]
