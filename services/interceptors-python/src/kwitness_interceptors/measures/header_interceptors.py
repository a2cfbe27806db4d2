"""The interceptor Headers: it looks at every header, counts it, and removes what the policy Deny forbids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Optional

from kwitness_interceptors.interface import ConsumerInterceptor, ProducerInterceptor
from kwitness_interceptors.records import ConsumerRecord, Header, ProducerRecord

from .client_counts import ClientCounts, now_ms
from .header_counts import HeaderTally, HeaderWindow
from .header_judge import WARN, HeaderJudge, Known
from .header_warnings import WARNINGS
from .interceptors import Counted

__all__ = ["ConsumerHeaders", "ProducerHeaders"]

Judging = Callable[[], HeaderJudge]
"""Who judges now: settings may be renewed."""


class ProducerHeaders(ProducerInterceptor):
    """Judges the headers of records that are sent.

    Parameters
    ----------
    judging
        By what it judges.
    counts
        Where it counts; None where nobody would be told, and headers are judged and removed all the same.
    counted
        Which topics it looks at.
    """

    def __init__(self, judging: Judging, counts: Optional[ClientCounts], counted: Counted) -> None:
        self._judging = judging
        self._counts = counts
        self._counted = counted

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        topic = record.topic
        if not self._counted(topic):
            return record
        judge, counts = self._judging(), self._counts
        if counts is None:
            removed = _looked_at(judge, topic, record.headers, None, removes=True)
        else:
            with counts.lock:
                window = counts.headers(now_ms())
                removed = _looked_at(judge, topic, record.headers, window, removes=True)
        if not removed:
            return record
        return record._replace(headers=tuple(one for at, one in enumerate(record.headers) if at not in removed))

    def on_send_batch(self, topic: str, partition: Optional[int], count: int) -> None:
        # They are serialized already.
        if self._counts is not None and self._counted(topic):
            with self._counts.lock:
                self._counts.headers(now_ms()).add_records(topic, count, looked_at=False)


class ConsumerHeaders(ConsumerInterceptor):
    """Judges the headers of records that a consumer got, and leaves them; its parameters are `ProducerHeaders`'."""

    def __init__(self, judging: Judging, counts: Optional[ClientCounts], counted: Counted) -> None:
        self._judging = judging
        self._counts = counts
        self._counted = counted

    def on_consume(self, records: Sequence[ConsumerRecord]) -> Sequence[ConsumerRecord]:
        counts, counted = self._counts, self._counted
        if counts is None:
            return records
        judge = self._judging()
        with counts.lock:
            window = counts.headers(now_ms())
            for record in records:
                if counted(record.topic):
                    _looked_at(judge, record.topic, record.headers, window, removes=False)
        return records


def _looked_at(
    judge: HeaderJudge, topic: str, headers: Sequence[Header], window: Optional[HeaderWindow], *, removes: bool
) -> set[int]:
    """Judge the headers of one record; return the places of those that are to be removed."""
    removed: set[int] = set()
    if window is not None:
        window.add_records(topic, 1, looked_at=True)
    for at, (key, value) in enumerate(headers):
        known = judge.of(key)
        problems = known.problems_of(value)
        is_removed = removes and bool(problems) and known.is_removed(problems)
        if is_removed:
            removed.add(at)
        if problems and known.policy == WARN:
            for problem in problems:
                WARNINGS.add(topic, key, problem)
        if window is not None:
            tally = _counted(window, topic, key, value, known)
            tally.removed += is_removed
            for problem in problems:
                tally.problems[problem] += 1
    if judge.required:
        _look_for_required(judge, topic, headers, window)
    return removed


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


def _look_for_required(
    judge: HeaderJudge, topic: str, headers: Sequence[Header], window: Optional[HeaderWindow]
) -> None:
    present = {one[0] for one in headers}
    for key, policy in judge.required.items():
        if key in present:
            continue
        if policy == WARN:
            WARNINGS.add(topic, key, "missing")
        if window is not None:
            tally = window.tally(topic, key)
            tally.problems["missing"] += 1
            tally.registered |= not window.is_overflow(tally)
