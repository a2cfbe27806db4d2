"""The reporters of interceptors: the newest heartbeat of each, and what InterceptorProfiles come to by them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kwitness.contracts.envelopes import InterceptorsHead

SILENT_AFTER_MS: Final = 30_000
"""A reporter is heard of every 5 s; after this much silence it does not count as reporting."""
FORGET_AFTER_MS: Final = 5 * 60_000
MAX_REPORTERS: Final = 4_096

_LOG = logging.getLogger(__name__)

ProfileKey = tuple[str, str, str, str]
"""Cluster id, namespace and name of the profile, runtime."""


@dataclass(slots=True)
class ReporterState:
    """A reporter's newest heartbeat, without rows and totals, and when it came, in milliseconds since 1970."""

    head: InterceptorsHead
    heard_ms: int


class Reporters:
    """All reporters by source; one that says its last word is forgotten at once.

    ``uncertain`` counts those that ended without one, by cluster id, namespace and name of the profile.
    """

    def __init__(self, max_reporters: int = MAX_REPORTERS) -> None:
        self._max = max_reporters
        self._by_source: dict[str, ReporterState] = {}
        self.uncertain: Counter[tuple[str, str, str]] = Counter()

    def record(self, head: InterceptorsHead, now_ms: int) -> None:
        """Take a heartbeat; a late one changes the time alone."""
        known = self._by_source.get(head.source)
        if known is not None and head.sent_at_ms < known.head.sent_at_ms:
            known.heard_ms = now_ms
            return
        if head.state.ended:
            self._by_source.pop(head.source, None)
            return
        if known is None and len(self._by_source) >= self._max:
            del self._by_source[min(self._by_source, key=lambda one: self._by_source[one].heard_ms)]
        self._by_source[head.source] = ReporterState(head.model_copy(update={"rows": (), "totals": ()}), now_ms)

    def expire(self, now_ms: int) -> None:
        """Forget reporters that were silent for long: they were killed."""
        for source in [one for one, held in self._by_source.items() if now_ms - held.heard_ms > FORGET_AFTER_MS]:
            self._ended(self._by_source.pop(source))

    def _ended(self, reporter: ReporterState) -> None:
        head = reporter.head
        key = (head.cluster_id, head.profile.namespace, head.profile.name)
        if len(self.uncertain) < self._max or key in self.uncertain:
            self.uncertain[key] += 1
        _LOG.warning(
            "A process with interceptors ended without a last word; what it saw last may not be delivered",
            extra={
                "source": head.source,
                "from_ms": head.state.sealed_until_ms,
                "heard_ms": reporter.heard_ms,
                "queued": head.state.ledger.queued,
            },
        )

    def known(self) -> list[ReporterState]:
        """Return all that are not forgotten, silent ones too."""
        return list(self._by_source.values())

    def heard(self, now_ms: int) -> list[InterceptorsHead]:
        """Return the newest heartbeats of those that are not silent."""
        return [one.head for one in self._by_source.values() if now_ms - one.heard_ms <= SILENT_AFTER_MS]

    def reporting(self, now_ms: int) -> Counter[ProfileKey]:
        """Count them by profile and runtime."""
        return Counter(_key(head) for head in self.heard(now_ms))

    def clients(self, now_ms: int) -> Counter[tuple[ProfileKey, str]]:
        """Count their clients that have interceptors, also by side."""
        counted: Counter[tuple[ProfileKey, str]] = Counter()
        for head in self.heard(now_ms):
            for one in head.state.clients:
                counted[_key(head), one.side] += one.clients
        return counted

    def clients_without(self, now_ms: int) -> Iterator[tuple[ProfileKey, Counter[str]]]:
        """Count their clients that got none, by profile and runtime and then by reason."""
        counted: dict[ProfileKey, Counter[str]] = {}
        for head in self.heard(now_ms):
            counted.setdefault(_key(head), Counter()).update(head.state.not_intercepted)
        yield from counted.items()


def _key(head: InterceptorsHead) -> ProfileKey:
    return head.cluster_id, head.profile.namespace, head.profile.name, head.runtime
