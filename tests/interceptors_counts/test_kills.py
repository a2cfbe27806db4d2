"""A process that is killed tells no last word: what it counted last is uncertain, and what it had sealed is not."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from kwitness.collector.inventory.reporters import FORGET_AFTER_MS, Reporters
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.eventually import eventually
from tests.interceptors_counts.broker_topics import ends, make_topics
from tests.interceptors_counts.counted_program import RUNTIMES, WINDOW_MS, CountedProgram
from tests.interceptors_counts.journal import reported, said
from tests.interceptors_librdkafka.interceptors_server import InterceptorsServer
from tests.soak import seeds

pytestmark = [pytest.mark.broker, pytest.mark.soak, pytest.mark.timeout(3_600)]

REPORTED: Final = 50
"""Records before a process is killed."""


@pytest.mark.parametrize("seed", seeds(10))
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_what_a_killed_process_had_sealed_is_there_and_what_came_later_is_said_to_be_uncertain(
    kafka: LocalBroker, runtime: str, seed: int, tmp_path: Path
) -> None:
    program, prefix = CountedProgram(runtime, tmp_path), make_topics(kafka)
    with InterceptorsServer() as collector:
        running = program.start(kafka, collector, prefix, 0)
        eventually(lambda: collector.total("acknowledged"), REPORTED.__le__, every=0.1)
        time.sleep(random.Random(seed).uniform(0, 1.5))  # noqa: S311 - at another point each time
        running.kill()

    place = "killed", f"{prefix}-killed"
    told, found = said(program.journal)[place], reported(collector.rows)[place]
    sealed_ms = collector.heads[-1].state.sealed_until_ms
    assert collector.broken == []
    assert sealed_ms is not None
    # In the order of their offsets, each once, from the first on.
    assert found.offsets == Counter((0, offset) for offset in range(found.acknowledged))
    assert REPORTED <= found.acknowledged <= ends(kafka, place[1])[0]
    lost = set(told.offsets) - set(found.offsets)
    assert [offset for _, offset in lost if told.told_ms[offset] <= sealed_ms - WINDOW_MS] == []
    reporters = Reporters()
    for head in collector.heads:
        ledger = head.state.ledger
        assert ledger.accepted == ledger.delivered + ledger.queued + sum(ledger.dropped.values())
        assert (head.state.ended, ledger.dropped) == (False, {})
        reporters.record(head, head.sent_at_ms)
    reporters.expire(collector.heads[-1].sent_at_ms + FORGET_AFTER_MS + 1)
    assert sum(reporters.uncertain.values()) == 1
