"""Records with everything that goes wrong: what interceptors report is what the broker has and the program says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pytest

from kwitness.contracts.envelopes import InterceptorsHead
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.interceptors_counts.broker_topics import COMPACTED, committed, ends, make_gaps, make_topics, offsets
from tests.interceptors_counts.counted_program import RUNTIMES, CountedProgram
from tests.interceptors_counts.journal import Done, Place, reported, said
from tests.interceptors_librdkafka.interceptors_server import InterceptorsServer
from tests.soak import share

pytestmark = [pytest.mark.broker, pytest.mark.soak, pytest.mark.timeout(3_600)]

RECORDS: Final = 1_000_000
"""Of all runtimes together."""
EACH: Final = share(RECORDS) // len(RUNTIMES)
"""Of one runtime in this run; four tenths of them in transactions."""
CONSUMERS: Final = ("first", "second", "auditor", "compacted")


@dataclass(frozen=True)
class Run:
    """A program that has ended, and what was reported of it."""

    runtime: str
    broker: LocalBroker
    prefix: str
    said: Mapping[Place, Done]
    reported: Mapping[Place, Done]
    heads: list[InterceptorsHead]
    rows: list[dict[str, Any]]

    def of(self, client_id: str, topic: str) -> tuple[Done, Done]:
        """What it said, and what was reported, of a client and the topic that ends so."""
        place = client_id, f"{self.prefix}-{topic}"
        return self.said[place], self.reported[place]


@pytest.fixture(scope="module")
def broker(kafka: LocalBroker) -> LocalBroker:
    """The broker of the run, with a topic that has gaps."""
    make_gaps(kafka)
    return kafka


@pytest.fixture(scope="module", params=RUNTIMES)
def run(request: pytest.FixtureRequest, broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory) -> Run:
    program = CountedProgram(request.param, tmp_path_factory.mktemp(request.param))
    prefix = make_topics(broker)
    with InterceptorsServer() as collector:
        program.start(broker, collector, prefix, EACH).serve()
    assert collector.broken == []
    return Run(
        program.runtime,
        broker,
        prefix,
        said(program.journal),
        reported(collector.rows),
        collector.heads,
        collector.rows,
    )


def test_sent_acknowledged_and_given_up_are_what_the_program_was_told(run: Run) -> None:
    producing = {place: done for place, done in run.said.items() if done.sent}
    # No hook of librdkafka is called for what its own method refuses.
    hooked = run.runtime != "librdkafka"
    expected = {
        place: (
            done.sent - (0 if hooked else done.refused.total()),
            done.acknowledged,
            done.failures + (done.refused if hooked else Counter()),
        )
        for place, done in producing.items()
    }

    found = {place: run.reported.get(place, Done()) for place in producing}
    assert {place: (one.sent, one.acknowledged, one.failures) for place, one in found.items()} == expected
    assert all(one.sent == one.acknowledged + one.failures.total() for one in found.values())


def test_every_way_to_fail_was_tried(run: Run) -> None:
    _, small = run.of("refused", "small")
    _, keyed = run.of("refused", "keyed")
    _, forbidden = run.of("forbidden", "forbidden")
    _, hurried = run.of("hurried", "hurried")
    _, audited = run.of("transactional", "audited")

    assert set(small.failures) == {"MESSAGE_TOO_LARGE"}
    assert set(keyed.failures) == {"INVALID_RECORD"}
    assert forbidden.failures == {"TOPIC_AUTHORIZATION_FAILED": 3}
    assert hurried.failures["timed_out"] == 200
    # Of a transaction that is aborted, and where an application can do so without one.
    assert hurried.failures["purged"] + audited.failures["purged"] >= 50
    assert set(hurried.failures) | set(audited.failures) == {"timed_out", "purged"}


def test_an_idempotent_producer_whose_broker_stopped_has_each_record_once_and_every_offset_is_reported(
    run: Run,
) -> None:
    program, steady = run.of("steady", "orders")
    end = ends(run.broker, f"{run.prefix}-orders")

    assert sum(end.values()) == steady.acknowledged == program.acknowledged
    assert steady.offsets == Counter((partition, offset) for partition in end for offset in range(end[partition]))


def test_records_that_were_given_up_may_be_there_and_their_offsets_are_not_reported(run: Run) -> None:
    program, hurried = run.of("hurried", "hurried")

    assert hurried.offsets == program.offsets
    assert hurried.acknowledged <= ends(run.broker, f"{run.prefix}-hurried")[0] <= hurried.sent


def test_records_of_transactions_are_reported_whatever_becomes_of_them(run: Run) -> None:
    program, transactional = run.of("transactional", "audited")
    topic = f"{run.prefix}-audited"
    there = offsets(run.broker, topic)

    assert transactional.offsets == program.offsets
    assert there < set(transactional.offsets)
    # Beside records there are marks of what became of transactions.
    assert transactional.acknowledged < sum(ends(run.broker, topic).values())
    assert len(there) == EACH * 4 // 10 // 6 * 3  # every second one of six is committed


def test_what_consumers_got_is_reported_with_its_offsets_also_where_there_are_gaps(run: Run) -> None:
    consuming = {place: done for place, done in run.said.items() if done.consumed}

    assert {client_id for client_id, _ in consuming} == set(CONSUMERS)
    for place, done in consuming.items():
        found = run.reported[place]
        assert found.consumed == done.consumed, place
        assert set(found.offsets) == set(done.offsets), place
    assert set(run.of("auditor", "audited")[1].offsets) == offsets(run.broker, f"{run.prefix}-audited")
    gaps = set(run.reported["compacted", COMPACTED].offsets)
    assert gaps == offsets(run.broker, COMPACTED)
    assert len(gaps) < ends(run.broker, COMPACTED)[0]


def test_consumers_of_a_group_that_was_rebalanced_have_reported_every_offset(run: Run) -> None:
    _, first = run.of("first", "orders")
    _, second = run.of("second", "orders")
    end = ends(run.broker, f"{run.prefix}-orders")

    assert set(first.offsets) | set(second.offsets) == {(one, offset) for one in end for offset in range(end[one])}
    assert first.offsets
    assert second.offsets


def test_commits_are_what_the_program_was_told_and_the_last_is_what_the_group_has(run: Run) -> None:
    committing = {place: done for place, done in run.said.items() if done.commits or done.commit_failures}
    found = {place: run.reported.get(place, Done()) for place in committing}

    assert {place: one.commits for place, one in found.items()} == {
        place: done.commits for place, done in committing.items()
    }
    assert {place: one.committed for place, one in found.items()} == {
        place: done.committed for place, done in committing.items()
    }
    # Interceptors of Java are not told of what failed.
    assert {place: one.commit_failures for place, one in found.items()} == {
        place: Counter() if run.runtime == "java" else done.commit_failures for place, done in committing.items()
    }
    group, topic = f"{run.prefix}-billing", f"{run.prefix}-orders"
    assert run.said["outsider", topic].commit_failures.total() == 2
    first, second = (run.of(one, "orders")[1].committed for one in ("first", "second"))
    assert {one: max(first.get(one, 0), second.get(one, 0)) for one in {*first, *second}} == committed(
        run.broker, group, topic
    )


def test_the_ledger_closes_in_every_request_and_nothing_is_lost(run: Run) -> None:
    for head in run.heads:
        ledger = head.state.ledger
        assert ledger.accepted == ledger.delivered + ledger.queued + sum(ledger.dropped.values())
    last = run.heads[-1].state
    assert (last.ended, last.ledger.delivered, last.ledger.dropped) == (True, len(run.rows), {})


def test_every_row_is_in_one_seal_and_the_totals_are_their_sums(run: Run) -> None:
    rows = {row["event_seq"] for row in run.rows if "kind" in row}
    seals = [row for row in run.rows if row["schema"] == "kwitness.seals/1"]
    sealed = [number for seal in seals for number in range(seal["first_seq"], seal["last_seq"] + 1) if number in rows]
    totals: dict[Place, Counter[str]] = {}
    for one in (topic for head in run.heads for part in head.totals for topic in part.topics):
        counts = {"sent": one.sent, "acknowledged": one.acknowledged, "consumed": one.consumed, "commits": one.commits}
        totals.setdefault((one.client_id or "", one.topic or ""), Counter()).update(counts)

    assert Counter(sealed) == Counter(rows)
    assert sum(seal["count"] for seal in seals) == len(rows)
    assert totals == {
        place: Counter(sent=one.sent, acknowledged=one.acknowledged, consumed=one.consumed, commits=one.commits)
        for place, one in run.reported.items()
    }
