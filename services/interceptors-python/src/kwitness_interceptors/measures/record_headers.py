"""Evaluates the headers of one record, those in its compact sets among them, and counts what it finds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Optional

from kwitness_interceptors.headers.compact_set import SET_HEADER
from kwitness_interceptors.records import Header

from .header_counts import HeaderTally, HeaderWindow
from .header_judge import WARN, HeaderJudge, Known
from .header_warnings import WARNINGS
from .set_keys import SetKeys, read_sets

__all__ = ["evaluate_headers"]

Changes = Mapping[int, Optional[Header]]


def evaluate_headers(
    judge: HeaderJudge, topic: str, headers: Sequence[Header], window: Optional[HeaderWindow], *, removes: bool
) -> Changes:
    """Evaluate the headers of one record; return by place what a producer is to send there, None of nothing.

    Of a record's sets the keys come after its other headers: one that has a header of its own counts no value in a set.
    """
    changes: dict[int, Optional[Header]] = {}
    if window is not None:
        window.add_records(topic, 1, looked_at=True)
    of_record = _Headers(topic, window)
    sets: list[int] = []
    for at, (key, value) in enumerate(headers):
        if key == SET_HEADER and judge.names:
            sets.append(at)
            continue
        known = judge.of(key)
        problems = known.problems_of(value)
        is_removed = removes and bool(problems) and known.is_removed(problems)
        if is_removed:
            changes[at] = None
        of_record.add(key, value, known, problems, is_removed=is_removed)
    if not sets:
        if judge.required:
            of_record.miss(judge, {header.key for header in headers})
        return changes
    present = {header.key for header in headers}
    read = read_sets([headers[at] for at in sets])
    for at, keys in zip(sets, read):
        changes.update(_evaluate_set(judge, of_record, (at, headers[at]), keys, present, removes=removes))
    if judge.required and all(keys.problem != "too_large" for keys in read):
        numbers = (number for keys in read for number, _ in keys.entries)
        of_record.miss(judge, present.union(judge.names[number] for number in numbers if number in judge.names))
    return changes


def _evaluate_set(
    judge: HeaderJudge,
    of_record: _Headers,
    place: tuple[int, Header],
    keys: SetKeys,
    own: Collection[str],
    *,
    removes: bool,
) -> Changes:
    """Evaluate one set and its keys; `own` are the keys that have a header.

    A set that cannot be read to its end is sent as it is, or not at all.
    """
    at, header = place
    known = judge.of(header.key)
    problems = known.problems_of(header.value)
    if keys.problem is not None and keys.problem not in problems:
        problems = (keys.problem, *problems)
    is_removed = removes and bool(problems) and known.is_removed(problems)
    of_record.add(header.key, header.value, known, problems, is_removed=is_removed)
    denied: set[int] = set()
    for number, value in keys.entries:
        key, known = judge.of_number(number)
        problems = known.problems_of(value)
        is_denied = removes and keys.problem is None and bool(problems) and known.is_removed(problems)
        if is_denied:
            denied.add(number)
        counted = known._replace(counts_values=False) if key in own else known
        of_record.add(key, value, counted, problems, is_removed=is_denied)
    if is_removed:
        return {at: None}
    return {at: keys.without(denied, header)} if denied else {}


class _Headers:
    """Counts those of one record; nowhere without a window."""

    __slots__ = ("_topic", "_window")

    def __init__(self, topic: str, window: Optional[HeaderWindow]) -> None:
        self._topic = topic
        self._window = window

    def add(self, key: str, value: Optional[bytes], known: Known, problems: Sequence[str], *, is_removed: bool) -> None:
        """Count a header, and log what is wrong with it where its policy is Warn."""
        if problems and known.policy == WARN:
            for problem in problems:
                WARNINGS.add(self._topic, key, problem)
        if self._window is None:
            return
        tally = _counted(self._window, self._topic, key, value, known)
        tally.removed += is_removed
        for problem in problems:
            tally.problems[problem] += 1

    def miss(self, judge: HeaderJudge, present: Iterable[str]) -> None:
        """Count the required keys that are not among these."""
        for key, policy in judge.required.items():
            if key in present:
                continue
            if policy == WARN:
                WARNINGS.add(self._topic, key, "missing")
            if self._window is not None:
                tally = self._window.tally(self._topic, key)
                tally.problems["missing"] += 1
                tally.registered |= not self._window.is_overflow(tally)


def _counted(window: HeaderWindow, topic: str, key: str, value: Optional[bytes], known: Known) -> HeaderTally:
    """Count a header, and return where."""
    tally = window.tally(topic, key)
    tally.headers += 1
    if value is not None:
        tally.bytes += len(value)
    if known.registered and not window.is_overflow(tally):
        tally.registered = True
        if known.counts_values and value is not None:
            tally.add_value(value)
    return tally
