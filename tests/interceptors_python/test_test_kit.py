"""The test kit calls interceptors as clients do, and raises what clients contain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from kwitness_interceptors import ConsumerRecord, ProducerInterceptor, ProducerRecord, TopicPartition
from kwitness_interceptors.containment import FAILURES
from kwitness_interceptors.testing import InterceptorFailedError, consumed, produced, stored

from .confluent_samples import Appending, Consumed, Raising, Told

RECORD = ProducerRecord("orders", b"v", b"k")


def test_records_go_through_the_chain_and_are_acknowledged_and_interceptors_are_closed() -> None:
    log: list[object] = []
    first, last = Appending("a", log), Told("b", log)

    sent = produced([first, last], [RECORD, RECORD._replace(partition=3)], config={"acks": "all"})

    assert [(one.value, one.partition) for one in sent] == [(b"va", None), (b"va", 3)]
    assert [(one.partition, one.offset, error) for one, error in last.acknowledged] == [(0, 0, None), (3, 1, None)]
    assert log[-2:] == [("a", "close"), ("b", "close")]
    assert dict(first.config) == {"client.id": "test", "acks": "all"}


def test_records_that_no_broker_takes_are_acknowledged_with_the_error() -> None:
    told, error = Told(), TimeoutError("no broker")

    produced([told], [RECORD], error=error)

    ((metadata, exception),) = told.acknowledged
    assert exception is error
    assert metadata[:3] == ("orders", -1, -1)


def test_stored_records_are_handed_over_in_one_go_and_committed() -> None:
    told = Consumed(lambda records: [one for one in records if one.offset])

    got = consumed([told], stored([RECORD, RECORD]))

    assert got == [ConsumerRecord("orders", 0, 1, 0, 0, b"k", b"v", ())]
    assert [one.offset for one in told.records] == [0, 1]
    assert [dict(one) for one in told.commits] == [{TopicPartition("orders", 0): (2, "", None)}]
    assert told.closed == 1


class Elsewhere(ProducerInterceptor):
    """Returns a record for another topic."""

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        return record._replace(topic="another")


def none_of(_: Sequence[ConsumerRecord]) -> Any:
    return None


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (lambda: produced("no.such.Class", []), "no.such.Class failed in load"),
        (lambda: produced([Raising()], [RECORD]), "failed in on_send .topic orders, partition None.: RuntimeError"),
        (lambda: produced([Elsewhere()], [RECORD]), "Elsewhere failed in on_send .* another topic"),
        (lambda: consumed([Consumed(none_of)], stored([RECORD])), "failed in on_consume .* NoneType instead of a list"),
        (lambda: consumed([Told()], []), "failed in load .* no kwitness_interceptors.ConsumerInterceptor"),
    ],
)
def test_what_a_client_would_contain_is_raised_and_counts_for_no_client(run: Callable[[], object], reason: str) -> None:
    before = FAILURES.counts()

    with pytest.raises(InterceptorFailedError, match=reason):
        run()

    assert FAILURES.counts() == before
