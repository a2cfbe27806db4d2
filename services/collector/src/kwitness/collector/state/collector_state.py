"""Everything this replica remembers, changed by one event at a time; and how it survives a restart."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import logging
import operator
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from kwitness.collector.contents import Contents
from kwitness.collector.core import Applied, Arrival, TelemetryCore, ZeroPeriod
from kwitness.collector.deduplication import Deduplication
from kwitness.collector.events import Event
from kwitness.collector.inventory.brokers import Brokers
from kwitness.collector.inventory.client_record import ClientRecord
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.state import journal, snapshot

_LOG = logging.getLogger(__name__)
SNAPSHOT_EVERY_S: Final = 10.0
_LARGEST_SHARE: Final = 20
"""A snapshot that took one second is next due after twenty, so that a large state does not eat the processor."""
_EXPIRE_EVERY_MS: Final = 1_000
_ZERO_INTERVALS: Final = 2
"""Scrape intervals for which a new counter is exposed as 0, so that a scrape that fails takes no zero with it."""
_REMEMBER_LEFT_MS: Final = 120_000
"""A client may come back with values that are young, and were counted here before it was taken for gone."""
_MAX_LEFT: Final = 10_000


class CollectorState:
    """Accumulators, clients, brokers and sequence numbers; not safe for threads."""

    def __init__(self, state_dir: Path, make_core: Callable[[], TelemetryCore], missed_pushes: int) -> None:
        self._dir = state_dir
        self._make_core = make_core
        self.missed_pushes = missed_pushes
        self.asked_interval_ms: Callable[[ClientRecord], int | None] = lambda _: None
        """At which interval brokers ask a client now."""
        self.clock_step_ms: Callable[[], int] = int
        """By how much the clock was set since it was asked last."""
        self.follow_clock: Callable[[int], None] = lambda _: None
        """Called with each such step: what keeps times elsewhere shifts them."""
        self.scrape_interval_ms = 0
        self.parser_errors: dict[str, int] = {}
        self.mark = ""
        """By which settings clients and series were treated; empty: by none."""
        self._made: Callable[[str], bool] = operator.not_
        self._usable = self._current = True
        self._alone_since_ms = 0
        self._number = 0
        self._expired_ms = 0
        self._empty()
        self._journal: journal.Journal | None = None
        self._due = 0.0

    def _empty(self) -> None:
        self.core = self._make_core()
        self.clients = Clients()
        self.brokers = Brokers()
        self.seen = Deduplication()
        self.contents = Contents()

    def count_error(self, reason: str, count: int = 1) -> None:
        """Count something that could not be read."""
        if count:
            self.parser_errors[reason] = self.parser_errors.get(reason, 0) + count

    def journal_and_apply(
        self, events: Iterable[Event], now_ms: int, then: Callable[[Event, int], None] = lambda *_: None
    ) -> list[Applied]:
        """Apply new events, in the journal first; ``then`` is called after each, before the next one is applied."""
        self._follow_clock()
        taken = list(events)
        if self._journal is not None:
            self._journal.append(journal.Entry(now_ms, event) for event in taken)
            if self._journal.trouble is not None:
                self.count_error("journal", len(taken))
        applied: list[Applied] = []
        for event in taken:
            applied.append(self.apply(event, now_ms))
            then(event, now_ms)
        return applied

    def cumulative(self, event: Event, now_ms: int) -> Event:
        """Return the event that was applied last with the sums of its client in place of increments."""
        if event.malformed is not None:
            return event
        written = self.core.cumulative(event.client, event.payload, now_ms)
        self.count_error("forward_without_sum", written.left_out)
        return dataclasses.replace(event, payload=written.payload)

    def apply(self, event: Event, now_ms: int) -> Applied:
        """Apply one event to accumulators, inventory and sequence numbers.

        One that raises counts as a defect and as known: sent again, or read from the journal, it would raise again.
        """
        try:
            return self._applied(event, now_ms)
        except Exception:  # noqa: BLE001 - one event must not hold up its sender or a start
            _LOG.exception("an event cannot be applied and is left out", extra={"source": event.source})
            self.count_error("defect")
            return Applied(0, (), {}, None, defect=True)

    def _applied(self, event: Event, now_ms: int) -> Applied:
        self.seen.window(event.source, event.epoch).add(event.seq)
        if event.content is not None:
            self.contents.add(event.content, now_ms)
        admitted = self.clients.admits(event)
        applied = self._counted(event, now_ms, admitted=admitted)
        if applied.malformed is not None:
            self.count_error("malformed_payload")
        for reason, count in applied.left_out.items():
            self.count_error(f"points_{reason}", count)
        if admitted:
            self.clients.record(event, applied, now_ms)
        cluster, name = event.identity.get("cluster_id"), event.identity.get("client_software_name")
        version = event.identity.get("client_software_version")
        if cluster and name and version and not (event.is_plain_otlp or event.is_of_pod):
            self.brokers.software.record((cluster, name, version), now_ms, by_broker=False)
        return applied

    def _counted(self, event: Event, now_ms: int, *, admitted: bool) -> Applied:
        key, identity = event.client, event.identity
        if admitted:
            identity, is_news = self.clients.learn(key, identity)
            if is_news:
                self.core.relabel(key, identity, now_ms)
        if event.malformed is not None:
            return Applied(0, (), {}, event.malformed)
        if not admitted:
            return self.core.add(event.payload, event.holder, now_ms)
        return self.core.apply(key, identity, event.payload, event.holder, self._arrival(key, now_ms))

    def _arrival(self, key: str, now_ms: int) -> Arrival:
        record = self.clients.get(key)
        if record is None:
            return Arrival(now_ms, None, max(self._alone_since_ms, self.clients.left_ms.pop(key, 0)))
        # The longest gap: an export in several requests has short ones, too.
        interval_ms = record.told_interval_ms or max(record.gaps_ms, default=None)
        return Arrival(now_ms, interval_ms, self._alone_since_ms)

    def _forget_left(self, now_ms: int) -> None:
        left = self.clients.left_ms
        for key in [key for key, at_ms in left.items() if now_ms - at_ms >= _REMEMBER_LEFT_MS]:
            del left[key]
        while len(left) > _MAX_LEFT:
            self.count_from(left.pop(next(iter(left))))

    def count_from(self, now_ms: int) -> None:
        """Note that others may have counted until now what clients count that are not known here."""
        self._follow_clock()
        self._alone_since_ms = max(self._alone_since_ms, now_ms)

    def expire(self, now_ms: int) -> None:
        """Let clients and brokers go that were not heard from for too long."""
        self._follow_clock()
        self._expire(now_ms)

    def _follow_clock(self) -> None:
        step_ms = self.clock_step_ms()
        if step_ms:
            _LOG.warning("the clock was set; times of clients and brokers follow", extra={"milliseconds": step_ms})
            self.core.clock_was_set(step_ms)
            self.clients.clock_was_set(step_ms)
            self.brokers.clock_was_set(step_ms)
            self.contents.clock_was_set(step_ms)
            self.follow_clock(step_ms)
            if self._alone_since_ms:
                self._alone_since_ms += step_ms
            self._due = 0.0  # the journal has the old times

    def _expire(self, now_ms: int) -> None:
        if 0 <= now_ms - self._expired_ms < _EXPIRE_EVERY_MS:  # a clock may be set back
            return
        self._expired_ms = now_ms
        least_ms = (_ZERO_INTERVALS + 1) * self.scrape_interval_ms  # so that a scrape sees what it counted
        for key in self.clients.expire(now_ms, self.missed_pushes, self.asked_interval_ms, least_ms):
            self.core.depart(key)
        self._forget_left(now_ms)
        self.contents.expire(now_ms)
        self.brokers.expire(now_ms)

    def release(self, owned: Callable[[str], bool]) -> None:
        """Drop the clients that another replica owns now, at once, so that nothing is exposed twice."""
        # By the key: what an identity was treated by may not be in it.
        gone = [
            key
            for key, record in self.clients.items()
            if not owned(key.removeprefix(f"{record.identity.get('cluster_id', '')}/"))
        ]
        self.clients.forget(gone)
        for key in gone:
            self.core.depart(key)

    def renew_core(self) -> None:
        """Begin new accumulators, because labels or budget changed; series restart under their new labels.

        Saved at once: what the old ones had would otherwise come back after a kill, and be counted again.
        """
        self.core = self._make_core()
        self.count_from(int(time.time() * 1000))
        self.save()

    def begin_again(self, mark: str) -> None:
        """Forget every client and series, because they were treated by other settings than those marked ``mark``.

        Saved at once, so that nothing of them is left on the disk. Software and sequence numbers stay.
        """
        self.mark = mark
        self.core = self._make_core()
        self.clients = Clients()
        self.count_from(int(time.time() * 1000))
        self.save()

    def zeros(self, now_ms: int) -> ZeroPeriod:
        """Return for how long counters are exposed as 0."""
        return ZeroPeriod(now_ms, _ZERO_INTERVALS * self.scrape_interval_ms)

    def load(self, made: Callable[[str], bool] = operator.not_, mark: str = "") -> None:
        """Read the snapshot and the journals after it; what is damaged is counted and left out.

        ``made`` says of a mark whether what was treated so may be used. Where it may not, clients and series are not
        taken back, and the next snapshot, which has none, is marked with ``mark``.
        """
        self._made, self._usable = made, made("")
        try:
            self._dir.mkdir(parents=True, exist_ok=True)
            self._current = snapshot.is_current(self._path)
            if not self._current:
                _LOG.info("the state is of an earlier version; clients and series are begun again")
                self.count_error("state_format")
            for section, rows in itertools.groupby(snapshot.read(self._path), operator.itemgetter(0)):
                self._load_section(section, map(operator.itemgetter(1), rows))
            if not self._number:
                self.count_from(int(time.time() * 1000))
        except snapshot.UnknownFormatError as error:
            _LOG.warning("the state is of another version; starting without it", extra={"detail": str(error)})
            self.count_error("state_format")
            self._keep_aside(error.format)
            self._empty()
            self.count_from(int(time.time() * 1000))
        except (snapshot.DamagedStateError, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            _LOG.warning("the state file is damaged; starting without it", extra={"detail": str(error)})
            self.count_error("state")
            self._keep_aside("damaged")
            self._empty()
            self.count_from(int(time.time() * 1000))
        except OSError as error:
            _LOG.warning("the state folder cannot be used", extra={"detail": str(error)})
            self.count_error("state")
            self.count_from(int(time.time() * 1000))
        self._replay()
        now_ms = int(time.time() * 1000)
        self.clients.bring_back(now_ms)
        self.clients.silent.begin(now_ms)
        if not self._usable:
            self.mark = mark

    def _keep_aside(self, found: str) -> None:
        try:
            snapshot.keep_aside(self._path, found)
        except OSError as error:
            _LOG.error("the state that was not read cannot be kept", extra={"detail": str(error)})

    def _load_section(self, section: str, rows: Iterable[list[object]]) -> None:
        match section:
            case "meta":
                meta = {str(name): str(value) for name, value in rows}
                self._number, self.mark = int(meta["journal"]), meta.get("mark", "")
                self.count_from(int(meta.get("alone_since", time.time() * 1000)))
                self._usable = self._made(self.mark)
                if not self._usable:
                    _LOG.info("clients and series were treated by other settings; they are begun again")
            case "core" | "clients" if not (self._usable and self._current):
                pass
            case "core":
                self.core.load(rows, int(time.time() * 1000))
            case "clients":
                self.clients.load(rows)
            case "software":
                self.brokers.software.load(rows)
            case "seen":
                self.seen.load(rows)
            case "contents":
                self.contents.load(rows)
            case _:
                raise ValueError(f"unknown section {section}")

    @property
    def _path(self) -> Path:
        return self._dir / "state.jsonl.gz"

    def _journal_path(self, number: int) -> Path:
        return self._dir / f"journal-{number}"

    def _journals(self) -> list[int]:
        """Return the numbers of the journals since the snapshot, in order; those that are missing are counted."""
        names = [path.name.removeprefix("journal-") for path in self._dir.glob("journal-*")]
        found = sorted(number for name in names if name.isdecimal() and (number := int(name)) >= self._number)
        if found:
            first = self._number or found[0]  # without a snapshot nobody knows which was the first
            missing = found[-1] + 1 - first - len(found)
            if missing:
                _LOG.warning("journals are missing; going on with those there are", extra={"missing": missing})
                self.count_error("journal_missing", missing)
        return found

    def _replay(self) -> None:
        count = 0
        for number in self._journals():
            self._number = number
            for entry in self._entries(number):
                self._expire(entry.at_ms)  # who had left before it came does not go on where it was
                if not self._usable:
                    self.seen.window(entry.event.source, entry.event.epoch).add(entry.event.seq)
                    if entry.event.content is not None:
                        self.contents.add(entry.event.content, entry.at_ms)
                elif entry.event.seq not in self.seen.window(entry.event.source, entry.event.epoch):
                    self.apply(entry.event, entry.at_ms)
                    count += 1
        if count:
            _LOG.info("pushes since the last snapshot taken from the journal", extra={"pushes": count})

    def _entries(self, number: int) -> Iterator[journal.Entry]:
        try:
            yield from journal.read(self._journal_path(number))
        except journal.UnknownFormatError as error:
            _LOG.warning("a journal is of another version and left out", extra={"detail": str(error)})
            self.count_error("state_format")

    async def save_when_due(self) -> None:
        """Write a snapshot when it is time or when the journal has grown large."""
        large = self._journal is not None and self._journal.size > journal.MAX_BYTES
        if large or time.monotonic() >= self._due:
            self.save()
        await asyncio.sleep(0)

    def save(self) -> None:
        """Write a snapshot and begin a new journal; the old one goes only once the snapshot is safe."""
        began = time.monotonic()
        old, self._number = self._number, self._number + 1
        if self._journal is not None:
            self._journal.close()
        self._journal = journal.Journal(self._journal_path(self._number))
        mark: list[list[object]] = [["mark", self.mark]] if self.mark else []
        try:
            snapshot.write(
                self._path,
                [
                    ("meta", [["journal", self._number], ["alone_since", self._alone_since_ms], *mark]),
                    ("core", self.core.dump()),
                    ("clients", self.clients.dump()),
                    ("software", self.brokers.software.dump()),
                    ("seen", self.seen.dump()),
                    ("contents", self.contents.dump()),
                ],
            )
            for path in self._dir.glob("journal-*"):
                if path != self._journal.path:
                    path.unlink(missing_ok=True)
        except OSError as error:
            _LOG.error("the state cannot be saved", extra={"detail": str(error), "journal": old})
            self.count_error("state_write")
        took = time.monotonic() - began
        self._due = time.monotonic() + max(SNAPSHOT_EVERY_S, took * _LARGEST_SHARE)

    def close(self) -> None:
        """Save for the last time."""
        self.save()
        if self._journal is not None:
            self._journal.close()
