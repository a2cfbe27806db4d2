"""The client instances this replica owns, bounded, and when each is taken for gone."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from kwitness.collector.core import Applied
from kwitness.collector.events import Event
from kwitness.collector.fairness import NOBODY, Shares
from kwitness.collector.inventory.silent import SilentClients
from kwitness.subscriptions.matcher import Matcher

MAX_CLIENTS: Final = 50_000
"""Instances remembered per replica; a broker keeps at most 16,384."""
DEFAULT_INTERVAL_MS: Final = 300_000
"""Kafka's default push interval, assumed until an interval was told or seen."""
LEAST_LIFE_MS: Final = 30_000
"""A live client stays at least this long, so that a short interval does not make series flicker between scrapes."""
ENDED_LIFE_MS: Final = 300_000
"""A client that sent its terminating push stays at least this long, so that its last push is scraped."""
_SLACK: Final = 0.5
"""In intervals: after a change of subscription the next push comes after 0.5 to 1.5 intervals."""
_GAPS: Final = 5
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


_NOT_KNOWN: Final[list[Any]] = [0, 0, None, 0, None]
"""Of a record in the state file of an earlier version: last_received_ms, malformed, malformed_reason, last_read_ms, and
which keys are treated."""


class Matched(NamedTuple):
    """Which subscriptions match a client: a bit for each, in the order of those that it was found out ``by``.

    ``unknown`` are those of which that hangs on what its identity was before it was treated.
    """

    by: Matcher
    mask: int
    unknown: int = 0


class ClientRecord:
    """One client instance: identity as text, times in milliseconds since 1970.

    ``last_push_ms`` is when its last push came here, ``last_received_ms`` when the source had it: pushes that waited in
    a queue come at once, and say nothing about the interval by that. ``last_read_ms`` is when the last push came that
    could be read; ``malformed`` counts the others, ``malformed_reason`` is what was wrong with the last of them.
    ``matched`` remembers which subscriptions were found to match the identity; None: look again. ``revision`` changes
    with the identity. ``raw`` is the identity before it was treated, known from a push until the process ends;
    ``treated`` are the keys whose values in ``identity`` are not what they were. ``holder`` is whose share it is of.
    """

    __slots__ = (
        "filtered",
        "first_seen_ms",
        "gaps_ms",
        "holder",
        "identity",
        "last_push_ms",
        "last_read_ms",
        "last_received_ms",
        "malformed",
        "malformed_reason",
        "matched",
        "metrics",
        "raw",
        "revision",
        "terminated",
        "told_interval_ms",
        "treated",
    )

    def __init__(self, identity: Mapping[str, str], now_ms: int, holder: str = NOBODY) -> None:
        self.identity = dict(identity)
        self.holder = holder
        self.first_seen_ms = now_ms
        self.last_push_ms = now_ms
        self.last_read_ms = 0
        self.last_received_ms = 0
        self.malformed = 0
        self.malformed_reason: str | None = None
        self.matched: Matched | None = None
        self.revision = 0
        self.told_interval_ms: int | None = None
        self.gaps_ms: tuple[int, ...] = ()
        self.metrics: frozenset[str] = frozenset()
        self.terminated = False
        self.filtered = False
        self.raw: dict[str, str] | None = None
        self.treated: frozenset[str] = frozenset()

    @property
    def interval_ms(self) -> int | None:
        """The push interval as the broker said it, or the median of the last five gaps."""
        if self.told_interval_ms:
            return self.told_interval_ms
        return int(statistics.median(self.gaps_ms)) if self.gaps_ms else None

    @property
    def who(self) -> Mapping[str, str]:
        """Who it is, as the broker matches it: before it was treated, where that is known."""
        return self.identity if self.raw is None else self.raw

    def characters(self) -> int:
        """Return how long the identity is."""
        return _characters(self.identity, self.raw)

    def deadline_ms(self, missed: int, asked_ms: int | None = None, least_ms: int = 0) -> int:
        """Return when the client is taken for gone if nothing more comes; ``missed`` is the number of missed pushes.

        ``asked_ms`` is the interval that brokers ask it for now, of which it may not have heard yet; ``least_ms`` is
        how long it stays at least.
        """
        interval = self.interval_ms or DEFAULT_INTERVAL_MS
        if self.terminated:
            return self.last_push_ms + max(3 * interval, ENDED_LIFE_MS, least_ms)
        pushes_ms = int((missed + _SLACK) * max(interval, asked_ms or 0))
        return self.last_push_ms + max(pushes_ms, LEAST_LIFE_MS, least_ms)


def _characters(
    identity: Mapping[str, str], raw: Mapping[str, str] | None = None, *, keys: Container[str] | None = None
) -> int:
    """Return how long values are, of an identity and of what it was before, or of those of some keys."""
    texts = [text for key, text in identity.items() if keys is None or key in keys]
    return sum(map(len, texts)) + (sum(map(len, raw.values())) if raw else 0)


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
        self._metric_sets: dict[frozenset[str], frozenset[str]] = {}
        self._room = Shares(MAX_CLIENTS)
        self._characters = Shares(MAX_IDENTITY_CHARACTERS)
        self._sets = Shares(MAX_METRIC_SETS)
        self._sets_refused = False
        self._refused: dict[str, None] = {}
        self.left_out: dict[str, int] = {}
        self.left_ms: dict[str, int] = {}
        """When the last push came of those that are not known any more; whoever reads it forgets them."""
        self.silent = SilentClients()

    def __len__(self) -> int:
        return len(self._records)

    def items(self) -> Iterable[tuple[str, ClientRecord]]:
        """Return keys and records."""
        return self._records.items()

    def records(self) -> Iterable[ClientRecord]:
        """Return the records."""
        return self._records.values()

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
            holder, len(key) + _characters(event.identity, event.raw)
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
        if not self._lengthen(record, _characters(identity) - _characters(record.identity, keys=identity)):
            return Learnt(record.identity, is_news=False)
        record.identity.update(identity)
        record.matched = None
        record.revision += 1
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
        if record is None:
            record = ClientRecord(event.identity, now_ms, event.holder)
            self._room.take(record.holder)
            self._characters.take(record.holder, len(key) + record.characters())
        else:
            gap = event.received_at_ms - record.last_received_ms
            if gap > 0 and record.last_received_ms:  # a clock may be set back, and brokers' clocks differ
                record.gaps_ms = (*record.gaps_ms, gap)[-_GAPS:]
        self._records[key] = record
        if applied.malformed is None:
            record.last_read_ms = now_ms
        else:
            record.malformed += 1
            record.malformed_reason = applied.malformed[:_MAX_REASON]
        self.silent.heard(key)
        record.last_push_ms = now_ms
        record.last_received_ms = event.received_at_ms
        record.told_interval_ms = event.push_interval_ms or record.told_interval_ms
        record.terminated = event.terminating
        if event.filtered:
            record.filtered, record.treated = True, event.treated
            self._learn_raw(record, event.raw)
        if not record.metrics.issuperset(applied.metrics):
            self._add_metrics(record, applied.metrics)

    def _learn_raw(self, record: ClientRecord, raw: Mapping[str, str] | None) -> None:
        known = record.raw
        if raw is None or (known is not None and raw.items() <= known.items()):
            return
        learnt = {**(known or {}), **raw}
        if not self._lengthen(record, _characters(learnt) - _characters(known or {})):
            return
        record.raw = learnt
        record.matched = None
        record.revision += 1

    def _put(self, key: str, record: ClientRecord) -> None:
        self._records[key] = record
        self._room.take(record.holder)
        self._characters.take(record.holder, len(key) + record.characters())

    def _take(self, key: str) -> ClientRecord | None:
        record = self._records.pop(key, None)
        if record is not None:
            self._room.take(record.holder, -1)
            self._characters.take(record.holder, -len(key) - record.characters())
            self.left_ms[key] = record.last_push_ms
        return record

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
        self.forget(gone)
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

    def forget(self, keys: Iterable[str]) -> None:
        """Forget clients that are gone or that another replica owns now."""
        for key in keys:
            self._take(key)

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
            received, malformed, reason, read, treated = [*later, *_NOT_KNOWN[len(later) :]]
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
            self._put(str(key), record)
