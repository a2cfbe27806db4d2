"""A process that is killed tells no last word: what it had sealed is there, and what is uncertain is a window."""

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
from tests.interceptors_counts.counted_program import RUNTIMES, CountedProgram
from tests.interceptors_counts.journal import reported, said
from tests.interceptors_librdkafka.interceptors_server import InterceptorsServer
from tests.soak import seeds

pytestmark = [pytest.mark.broker, pytest.mark.soak, pytest.mark.timeout(3_600)]

REPORTED: Final = 50
"""Records before a process is killed."""
WINDOW_MS: Final = 6_000
LOOKED_EVERY_MS: Final = 1_000
"""How often senders look which windows have ended, at least."""
UNDER_WAY_MS: Final = 4_500
"""For the requests that take a window to the collector, on a busy machine; with it all are less than two windows."""


@pytest.mark.parametrize("seed", seeds(10))
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_killed_process_loses_one_window_at_most_which_is_said_to_be_uncertain(
    kafka: LocalBroker, runtime: str, seed: int, tmp_path: Path
) -> None:
    program, prefix = CountedProgram(runtime, tmp_path), make_topics(kafka)
    with InterceptorsServer() as collector:
        running = program.start(kafka, collector, prefix, 0, window_ms=WINDOW_MS)
        eventually(lambda: collector.total("acknowledged"), REPORTED.__le__, every=0.1)
        # At another point of a window each time.
        time.sleep(random.Random(seed).uniform(0, 1.5 * WINDOW_MS / 1_000))  # noqa: S311
        killed_ms = int(time.time() * 1_000)
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
    assert [offset for _, offset in lost if told.told_ms[offset] < sealed_ms] == []
    assert killed_ms - sealed_ms <= WINDOW_MS + LOOKED_EVERY_MS + UNDER_WAY_MS
    reporters = Reporters()
    for head in collector.heads:
        ledger = head.state.ledger
        assert ledger.accepted == ledger.delivered + ledger.queued + sum(ledger.dropped.values())
        assert (head.state.ended, ledger.dropped) == (False, {})
        reporters.record(head, head.sent_at_ms)
    reporters.expire(collector.heads[-1].sent_at_ms + FORGET_AFTER_MS + 1)
    assert sum(reporters.uncertain.values()) == 1
