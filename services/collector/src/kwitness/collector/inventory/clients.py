"""The client instances this replica owns, bounded, and when each is taken for gone."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from kwitness.collector.core import Applied
from kwitness.collector.events import Event
from kwitness.collector.fairness import NOBODY, Shares
from kwitness.collector.inventory.client_changes import ClientChanges
from kwitness.collector.inventory.client_record import ClientRecord, characters_of
from kwitness.collector.inventory.silent import SilentClients

MAX_CLIENTS: Final = 50_000
"""Instances remembered per replica; a broker keeps at most 16,384."""
_GAPS: Final = 5
_FEW_KEYS: Final = 1_000
"""Sorted keys of clients that are gone are left where they are up to here, and up to as many as there are clients."""
_MAX_REFUSED: Final = 10_000
"""Newcomers without room remembered, so that each is counted once."""
_MAX_REASON: Final = 200
"""Characters of what was wrong with a push."""
MAX_IDENTITY_CHARACTERS: Final = 32 * 1024 * 1024
"""Characters of all identities together: some three hundred each as a rule, but clients choose most of them."""
MAX_METRIC_SETS: Final = 500
_MAX_SET_CHARACTERS: Final = 64 * 1024
"""Different sets of metrics remembered, and how long the names of one may be: clients choose those, too. Beyond that a
client keeps the set it had."""


_NOT_KNOWN: Final[list[Any]] = [0, 0, None, 0, None, False]
"""Of a record in the state file of an earlier version: last_received_ms, malformed, malformed_reason, last_read_ms,
which keys are treated, and whether the namespace is proven."""


class Learnt(NamedTuple):
    """All that is known of who a client is, and whether the push before said otherwise."""

    identity: Mapping[str, str]
    is_news: bool


class Clients:
    """All records, least recently heard from first.

    None gives way to a newcomer: one for which there is no room, or none in its holder's share, is not remembered.
    ``left_out`` counts such newcomers, and how often it was not learnt what a client told of itself later.
    """

    def __init__(self) -> None:
        self._records: dict[str, ClientRecord] = {}
        self._keys: list[str] = []
        self._metric_sets: dict[frozenset[str], frozenset[str]] = {}
        self._room = Shares(MAX_CLIENTS)
        self._characters = Shares(MAX_IDENTITY_CHARACTERS)
        self._sets = Shares(MAX_METRIC_SETS)
        self._sets_refused = False
        self._refused: dict[str, None] = {}
        self.left_out: dict[str, int] = {}
        self.left_ms: dict[str, int] = {}
        """When the last push came of those that are not known any more; its reader forgets them."""
        self.silent = SilentClients()
        self.changes = ClientChanges()

    def __len__(self) -> int:
        return len(self._records)

    def items(self) -> Iterable[tuple[str, ClientRecord]]:
        """Return keys and records."""
        return self._records.items()

    def records(self) -> Iterable[ClientRecord]:
        """Return the records."""
        return self._records.values()

    def behind(self, key: str, most: int) -> list[tuple[str, ClientRecord]]:
        """Return the first keys behind one, ascending, and their records."""
        found: list[tuple[str, ClientRecord]] = []
        for place in range(bisect_right(self._keys, key), len(self._keys)):
            record = self._records.get(self._keys[place])
            if record is not None:
                found.append((self._keys[place], record))
                if len(found) == most:
                    break
        return found

    def get(self, key: str) -> ClientRecord | None:
        """Return a client's record."""
        return self._records.get(key)

    def admits(self, event: Event) -> bool:
        """Whether a push is of a client that is known, or for which there is room."""
        key = event.client
        known = self._records.get(key)
        holder = event.holder
        if known is not None:
            if known.holder != holder:
                self._hand_over(key, known, holder)
            return True
        if self._room.has_room(holder) and self._characters.has_room(
            holder, len(key) + characters_of(event.identity, event.raw)
        ):
            self._refused.pop(key, None)
            return True
        if key not in self._refused:
            self._leave_out("clients")
            self._refused[key] = None
            if len(self._refused) > _MAX_REFUSED:
                del self._refused[next(iter(self._refused))]
        return False

    def _hand_over(self, key: str, record: ClientRecord, holder: str) -> None:
        """Count a client for whose it is now: after a restart that is not known until it pushes."""
        self._room.move(record.holder, holder)
        self._characters.move(record.holder, holder, len(key) + record.characters())
        record.holder = holder

    def _leave_out(self, reason: str) -> None:
        self.left_out[reason] = self.left_out.get(reason, 0) + 1

    def learn(self, key: str, identity: Mapping[str, str]) -> Learnt:
        """Take in who a client says it is; what it told before and does not tell now stays known."""
        record = self._records.get(key)
        if record is None:
            return Learnt(identity, is_news=False)
        if identity.items() <= record.identity.items():  # nearly always
            return Learnt(record.identity, is_news=False)
        if not self._lengthen(record, characters_of(identity) - characters_of(record.identity, keys=identity)):
            return Learnt(record.identity, is_news=False)
        before = record.seen_by
        record.identity.update(identity)
        record.identity_changed()
        self.changes.note(key, moved=record.seen_by != before)
        return Learnt(record.identity, is_news=True)

    def _lengthen(self, record: ClientRecord, more: int) -> bool:
        """Take room for so many characters more of what is known of a client, if there is any."""
        if more > 0 and not self._characters.has_room(record.holder, more):
            self._leave_out("identities")
            return False
        self._characters.take(record.holder, more)
        return True

    def record(self, event: Event, applied: Applied, now_ms: int) -> None:
        """Note a push of a client that was admitted and whose identity was learnt."""
        key = event.client
        record = self._records.pop(key, None)
        shown, seen_by = None, self.changes.gone(key)
        if record is None:
            record = ClientRecord(event.identity, now_ms, event.holder)
            self._put(key, record)
            self._sort_in(key)
        else:
            shown, seen_by = record.shown, record.seen_by
            self._records[key] = record
            gap = event.received_at_ms - record.last_received_ms
            if gap > 0 and record.last_received_ms:  # a clock may be set back, and brokers' clocks differ
                record.gaps_ms = (*record.gaps_ms, gap)[-_GAPS:]
        if applied.malformed is None:
            record.last_read_ms = now_ms
        else:
            record.malformed += 1
            record.malformed_reason = applied.malformed[:_MAX_REASON]
        self.silent.heard(key)
        record.last_push_ms = now_ms
        record.receive(event.received_at_ms)
        record.told_interval_ms = event.push_interval_ms or record.told_interval_ms
        record.terminated = event.terminating
        if event.filtered:
            record.filtered, record.treated = True, event.treated
            self._learn_raw(record, event.raw)
        # A pod stays proven while no list of pods is known yet, as after a restart.
        record.is_namespace_proven |= event.is_of_pod or event.is_placed
        if not record.metrics.issuperset(applied.metrics):
            self._add_metrics(record, applied.metrics)
        moved = bool(seen_by) and record.seen_by != seen_by
        if moved or record.shown != shown:
            self.changes.note(key, moved=moved)

    def _learn_raw(self, record: ClientRecord, raw: Mapping[str, str] | None) -> None:
        known = record.raw
        if raw is None or (known is not None and raw.items() <= known.items()):
            return
        learnt = {**(known or {}), **raw}
        if not self._lengthen(record, characters_of(learnt) - characters_of(known or {})):
            return
        record.raw = learnt
        record.identity_changed()

    def _put(self, key: str, record: ClientRecord) -> None:
        self._records[key] = record
        self._room.take(record.holder)
        self._characters.take(record.holder, len(key) + record.characters())

    def _sort_in(self, key: str) -> None:
        place = bisect_left(self._keys, key)
        if self._keys[place : place + 1] != [key]:  # a client may be back
            self._keys.insert(place, key)

    def _add_metrics(self, record: ClientRecord, names: tuple[str, ...]) -> None:
        union = record.metrics.union(names)
        known = self._metric_sets.get(union)
        if known is None and self._sets.has_room(record.holder) and sum(map(len, union)) <= _MAX_SET_CHARACTERS:
            known = self._metric_sets[union] = union
            self._sets.take(record.holder)
        self._sets_refused |= known is None
        # Most clients send the same metrics: one set for all of them.
        record.metrics = known if known is not None else record.metrics

    def expire(
        self,
        now_ms: int,
        missed: int,
        asked: Callable[[ClientRecord], int | None] = lambda _: None,
        least_ms: int = 0,
    ) -> list[str]:
        """Forget those past their deadline and return their keys; ``asked`` says at which interval brokers ask now."""
        gone: list[str] = []
        for key, record in self._records.items():
            if record.deadline_ms(missed, least_ms=least_ms) > now_ms:
                continue
            deadline_ms = record.deadline_ms(missed, asked(record), least_ms)
            if deadline_ms <= now_ms:
                gone.append(key)
                self.silent.note(key, record, deadline_ms, now_ms)
        self.silent.expire(now_ms)
        self._drop(gone)
        if self._sets_refused:
            self._forget_metric_sets()
        return gone

    def _forget_metric_sets(self) -> None:
        """Forget the sets of clients that are gone; those that are left are their first client's."""
        holders = {record.metrics: record.holder for record in reversed(self._records.values())}
        self._metric_sets = {metrics: metrics for metrics in holders}
        self._sets = Shares(MAX_METRIC_SETS)
        self._sets_refused = False
        for holder in holders.values():
            self._sets.take(holder)

    def clock_was_set(self, step_ms: int) -> None:
        """Shift all times with the clock that they were read from, so that nobody seems heard from long ago."""
        for record in self._records.values():
            record.first_seen_ms += step_ms
            record.last_push_ms += step_ms
            if record.last_read_ms:
                record.last_read_ms += step_ms
        self.left_ms = {key: at_ms + step_ms for key, at_ms in self.left_ms.items()}
        self.silent.clock_was_set(step_ms)

    def bring_back(self, now_ms: int) -> None:
        """Let nobody be heard from in the future: the clock was set back while this process was not there."""
        for record in self._records.values():
            record.last_push_ms = min(record.last_push_ms, now_ms)

    def forget(self, keys: Collection[str]) -> None:
        """Forget clients that another replica owns now: readers that have them from there must not drop them."""
        if keys:
            self._drop(keys)
            self.changes.renew()

    def _drop(self, keys: Collection[str]) -> None:
        seen_by: dict[str, dict[str, str]] = {}
        for key in keys:
            record = self._records.pop(key)
            self._room.take(record.holder, -1)
            self._characters.take(record.holder, -len(key) - record.characters())
            self.left_ms[key] = record.last_push_ms
            seen_by[key] = record.seen_by
        self.changes.leave(seen_by)
        if len(self._keys) > 2 * len(self._records) + _FEW_KEYS:
            self._keys = [key for key in self._keys if key in self._records]

    def dump(self) -> Iterator[list[object]]:
        """Yield rows for the state file."""
        sets: dict[frozenset[str], int] = {}
        for key, record in self._records.items():
            if record.metrics not in sets:
                sets[record.metrics] = len(sets)
                yield ["metrics", sorted(record.metrics)]
            yield [
                "record",
                key,
                record.identity,
                record.first_seen_ms,
                record.last_push_ms,
                record.told_interval_ms,
                list(record.gaps_ms),
                sets[record.metrics],
                record.terminated,
                record.last_received_ms,
                record.malformed,
                record.malformed_reason,
                record.last_read_ms,
                sorted(record.treated) if record.filtered else None,
                record.is_namespace_proven,
            ]

    def load(self, rows: Iterable[list[Any]]) -> None:
        """Take rows back; raises ValueError, TypeError or IndexError if they are something else."""
        sets: list[frozenset[str]] = []
        for row in rows:
            if row[0] == "metrics":
                sets.append(frozenset(str(name) for name in row[1]))
                continue
            # The last entries came later than state files of earlier versions.
            _, key, identity, first, last, told, gaps, metrics, terminated, *later = row
            received, malformed, reason, read, treated, is_namespace_proven = [*later, *_NOT_KNOWN[len(later) :]]
            record = ClientRecord({str(name): str(value) for name, value in dict(identity).items()}, int(first))
            record.last_push_ms = int(last)
            record.told_interval_ms = None if told is None else int(told)
            record.gaps_ms = tuple(int(gap) for gap in gaps)[-_GAPS:]
            record.metrics = sets[metrics]
            if record.metrics not in self._metric_sets:
                self._metric_sets[record.metrics] = record.metrics
                self._sets.take(NOBODY)
            record.terminated = bool(terminated)
            record.last_received_ms = int(received)
            record.malformed = int(malformed)
            record.malformed_reason = None if reason is None else str(reason)
            record.last_read_ms = int(read)
            if treated is not None:
                record.filtered, record.treated = True, frozenset(str(name) for name in treated)
            record.is_namespace_proven = bool(is_namespace_proven)
            self._put(str(key), record)
            self.changes.note(str(key))
        self._keys = sorted(self._records)
