"""The brokers whose plugin reports, the connections they count (KIP-511), and the software ever seen on them."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

from kwitness.collector.inventory.software import SoftwareTable
from kwitness.contracts.envelopes import MOST_INSTANCES, ConnectionCount, GaugeSnapshot

HEARTBEAT_MS: Final = 10_000
FORGET_AFTER_MS: Final = 3 * HEARTBEAT_MS + HEARTBEAT_MS // 2
"""Three missed heartbeats, and half a one for the way."""
_SILENT_MS: Final = HEARTBEAT_MS + HEARTBEAT_MS // 2
"""One missed heartbeat, and half a one for the way."""
MAX_BROKERS: Final = 4_096
REWRITE_AFTER_MS: Final = 60_000
"""A snapshot that did not change is written to the topic this often."""
REFUSALS_MS: Final = 900_000
"""For how long it is remembered how many pushes named a subscription that the broker does not have."""
_ASKING_UNAVAILABLE: Final = "AskingUnavailable"


@dataclass(slots=True)
class Broker:
    """A broker's newest heartbeat, when it came, and what of it the topic has. Times in milliseconds since 1970."""

    snapshot: GaugeSnapshot
    heard_ms: int
    written_ms: int = 0
    written: tuple[ConnectionCount, ...] | None = None
    refused: deque[tuple[int, int]] = field(default_factory=deque)
    """Times, and how many pushes until then named a subscription that the broker does not have."""

    @property
    def refused_of_late(self) -> int:
        """How many pushes named such a subscription within `REFUSALS_MS`, as far as heartbeats tell."""
        return self.refused[-1][1] - self.refused[0][1] if self.refused else 0

    @property
    def is_full(self) -> bool:
        """Whether it remembers as many client instances as it can."""
        sensors = self.snapshot.sensors
        return sensors is not None and (sensors.instances or 0) >= MOST_INSTANCES

    @property
    def shows_asking(self) -> bool:
        """Whether it shows which instances asked; Kafka 3.7 does not."""
        return _ASKING_UNAVAILABLE not in self.snapshot.warnings

    def note_refusals(self, now_ms: int) -> None:
        """Remember what the newest heartbeat counts; a plugin that was restarted counts from nothing."""
        sensors = self.snapshot.sensors
        count = 0 if sensors is None else sensors.unknown_subscription
        if self.refused and (count < self.refused[-1][1] or now_ms < self.refused[-1][0]):
            self.refused.clear()
        self.refused.append((now_ms, count))
        while now_ms - self.refused[0][0] > REFUSALS_MS:
            self.refused.popleft()

    def to_write(self, now_ms: int) -> bool:
        """Whether the connections topic should get the snapshot now."""
        return self.written != self.snapshot.connections or now_ms - self.written_ms >= REWRITE_AFTER_MS


class Brokers:
    """All brokers by cluster and broker id, and the software that they or observers see."""

    def __init__(self) -> None:
        self.brokers: dict[tuple[str, str], Broker] = {}
        self.software = SoftwareTable()

    def record_heartbeat(self, snapshot: GaugeSnapshot, now_ms: int) -> Broker:
        """Take a heartbeat; a late one of the same plugin changes only the time.

        One of an earlier epoch changes nothing while the known plugin is still heard: it is late, too. Once that one
        is silent, the broker was restarted with its clock set back.
        """
        key = (snapshot.cluster_id, snapshot.broker_id)
        broker = self.brokers.get(key)
        if broker is None:
            if len(self.brokers) >= MAX_BROKERS:
                del self.brokers[min(self.brokers, key=lambda one: self.brokers[one].heard_ms)]
            broker = self.brokers[key] = Broker(snapshot, now_ms)
        elif snapshot.epoch < broker.snapshot.epoch and now_ms - broker.heard_ms < _SILENT_MS:
            return broker
        elif snapshot.epoch != broker.snapshot.epoch or snapshot.seq > broker.snapshot.seq:
            broker.snapshot = snapshot
        broker.heard_ms = now_ms
        broker.note_refusals(now_ms)
        for one in broker.snapshot.connections:
            if one.connections:
                software = (snapshot.cluster_id, one.client_software_name, one.client_software_version)
                self.software.record(software, now_ms, by_broker=True)
        return broker

    def clock_was_set(self, step_ms: int) -> None:
        """Shift the times of brokers with the clock that they were read from."""
        for broker in self.brokers.values():
            broker.heard_ms += step_ms
            broker.written_ms += step_ms
            broker.refused = deque((at_ms + step_ms, count) for at_ms, count in broker.refused)

    def expire(self, now_ms: int) -> None:
        """Forget brokers that missed three heartbeats, and software that was away for long."""
        for key in [key for key, one in self.brokers.items() if now_ms - one.heard_ms > FORGET_AFTER_MS]:
            del self.brokers[key]
        self.software.expire(now_ms)

    def of_cluster(self, cluster_id: str) -> list[Broker]:
        """Return the brokers of one cluster."""
        return [broker for (cluster, _), broker in self.brokers.items() if cluster == cluster_id]

    def connections(self) -> Counter[tuple[str, str, str, str]]:
        """Add up all brokers by cluster, listener, software name and version; zeros are left out."""
        totals: Counter[tuple[str, str, str, str]] = Counter()
        for (cluster, _), broker in self.brokers.items():
            for one in broker.snapshot.connections:
                if one.connections:
                    _, name, version = self.software.shown(
                        (cluster, one.client_software_name, one.client_software_version)
                    )
                    totals[cluster, one.listener, name, version] += one.connections
        return totals

    def connected_software(self, cluster_id: str) -> Counter[tuple[str, str]]:
        """Add up one cluster's brokers and listeners by software name and version."""
        totals: Counter[tuple[str, str]] = Counter()
        for (cluster, _, name, version), count in self.connections().items():
            if cluster == cluster_id:
                totals[name, version] += count
        return totals

    def asking(self, cluster_id: str) -> int | None:
        """Count the instances that asked any broker for subscriptions; None when no broker reports."""
        brokers = self.of_cluster(cluster_id)
        return len({one for broker in brokers for one in broker.snapshot.asking}) if brokers else None
