"""The observers that report: the newest heartbeat of each, and what they have open between them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from kwitness.collector.inventory.software import SoftwareKey
from kwitness.collector.origin import believed
from kwitness.contracts.envelopes import EventsHead
from kwitness.contracts.software import OTHER

SILENT_AFTER_MS: Final = 30_000
"""An observer reports every 5 s; after this much silence its connections are not known any more."""
FORGET_AFTER_MS: Final = 5 * 60_000
MAX_OBSERVERS: Final = 4_096
MAX_LISTENERS: Final = 64
"""Listeners of a cluster that are told apart: their names are what observers say."""
_RESTARTED_AFTER_MS: Final = 15_000
"""An earlier epoch after this much silence is a restart with the clock set back, not a late heartbeat."""

_LOG = logging.getLogger(__name__)

ConnectionKey = tuple[str, str, str, str]
"""Cluster id, listener, software name, software version."""


@dataclass(slots=True)
class Observer:
    """An observer's newest heartbeat, without rows and totals, and when it came, in milliseconds since 1970."""

    head: EventsHead
    heard_ms: int

    @property
    def pod(self) -> str:
        """The pod's name."""
        return self.head.source.rpartition("/")[2]

    @property
    def pod_namespace(self) -> str:
        """The pod's namespace."""
        return self.head.source.partition("/")[0]


@dataclass(slots=True)
class Uncertain:
    """Of an ObserverDeployment: how many observers ended without a last word, and what may be missing of them."""

    ends: int = 0
    milliseconds: int = 0


class Observers:
    """All observers by source.

    ``uncertain`` is by cluster id, namespace and name of the ObserverDeployment. ``workloads_refused`` counts observers
    whose pod does not bear out the workload that they name.
    """

    def __init__(self, max_observers: int = MAX_OBSERVERS) -> None:
        self._max = max_observers
        self._by_source: dict[str, Observer] = {}
        self.uncertain: dict[tuple[str, str, str], Uncertain] = {}
        self.workloads_refused = 0

    def record(self, head: EventsHead, now_ms: int) -> bool:
        """Take a heartbeat; says whether it is the newest one. A late one changes the time alone."""
        known = self._by_source.get(head.source)
        if known is not None and head.epoch < known.head.epoch and now_ms - known.heard_ms < _RESTARTED_AFTER_MS:
            return False
        if known is not None and head.epoch == known.head.epoch and head.sent_at_ms < known.head.sent_at_ms:
            known.heard_ms = now_ms
            return False
        if known is None and len(self._by_source) >= self._max:
            del self._by_source[min(self._by_source, key=lambda one: self._by_source[one].heard_ms)]
        if known is not None and head.epoch != known.head.epoch:
            self._ended(known, head.epoch)
        if known is None or head.epoch != known.head.epoch:
            self._begun(head)
        self._by_source[head.source] = Observer(
            head.model_copy(update={"rows": (), "totals": (), "open_connections": None}), now_ms
        )
        return True

    def expire(self, now_ms: int) -> None:
        """Forget observers that were silent for long."""
        for source in [one for one, held in self._by_source.items() if now_ms - held.heard_ms > FORGET_AFTER_MS]:
            self._ended(self._by_source.pop(source), now_ms)

    def _begun(self, head: EventsHead) -> None:
        """An observer is heard of for the first time."""
        pod = head.source.rpartition("/")[2]
        if head.workload is not None and believed(head.workload, pod) is None:
            self.workloads_refused += 1
            _LOG.warning(
                "An observer names a workload that its pod's name does not begin with; what it reports carries none",
                extra={"source": head.source, "workload": head.workload.name},
            )

    def _ended(self, observer: Observer, until_ms: int) -> None:
        """An observer is no more; the next one of its pod began at ``until_ms``, or it is given up then."""
        head, state = observer.head, observer.head.state
        if state.ended:
            return
        from_ms = min(until_ms, head.epoch if state.sealed_until_ms is None else state.sealed_until_ms)
        key = (head.cluster_id, head.observer.namespace, head.observer.name)
        if len(self.uncertain) < self._max or key in self.uncertain:
            entry = self.uncertain.setdefault(key, Uncertain())
            entry.ends += 1
            entry.milliseconds += until_ms - from_ms
        _LOG.warning(
            "An observer ended without a last word; what it saw in this time may not be delivered",
            extra={
                "source": head.source,
                "epoch": head.epoch,
                "from_ms": from_ms,
                "until_ms": until_ms,
                "queued": state.ledger.queued,
            },
        )

    def known(self) -> list[Observer]:
        """Return all that are not forgotten, silent ones included."""
        return list(self._by_source.values())

    def heard(self, now_ms: int) -> list[Observer]:
        """Return those that are not silent."""
        return [one for one in self._by_source.values() if now_ms - one.heard_ms <= SILENT_AFTER_MS]

    def connections(self, now_ms: int, shown: Callable[[SoftwareKey], SoftwareKey]) -> Counter[ConnectionKey]:
        """Add up those that are not silent; zeros are left out.

        ``shown`` says under which name and version a software is counted. Of a cluster's listeners the first ones are
        told apart.
        """
        totals: Counter[ConnectionKey] = Counter()
        listeners: dict[str, set[str]] = {}
        for observer in self.heard(now_ms):
            cluster = observer.head.cluster_id
            told_apart = listeners.setdefault(cluster, set())
            for one in observer.head.connections:
                if not one.connections:
                    continue
                if len(told_apart) < MAX_LISTENERS:
                    told_apart.add(one.listener)
                listener = one.listener if one.listener in told_apart else OTHER
                _, name, version = shown((cluster, one.client_software_name, one.client_software_version))
                totals[cluster, listener, name, version] += one.connections
        return totals
