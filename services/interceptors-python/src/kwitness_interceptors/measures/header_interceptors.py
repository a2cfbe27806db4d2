"""The interceptor Headers: it looks at every header, counts it, and removes what the policy Deny forbids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Optional

from kwitness_interceptors.interface import ConsumerInterceptor, ProducerInterceptor
from kwitness_interceptors.records import ConsumerRecord, ProducerRecord

from .client_counts import ClientCounts, now_ms
from .header_judge import HeaderJudge
from .interceptors import Counted
from .record_headers import evaluate_headers

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
            changes = evaluate_headers(judge, topic, record.headers, None, removes=True)
        else:
            with counts.lock:
                window = counts.headers(now_ms())
                changes = evaluate_headers(judge, topic, record.headers, window, removes=True)
        if not changes:
            return record
        sent = (changes.get(at, one) for at, one in enumerate(record.headers))
        return record._replace(headers=tuple(one for one in sent if one is not None))

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
                    evaluate_headers(judge, record.topic, record.headers, window, removes=False)
        return records
