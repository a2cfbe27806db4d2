"""What becomes of pushes when the collector is slow, gone, full or picky: order, retries, and every loss counted."""

from __future__ import annotations

import time
from typing import Any

import pytest

from kwitness.e2e.recording_collector import Behaviour, RecordingCollector
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.subscription import subscribe

from tests.eventually import eventually

pytestmark = pytest.mark.broker

_STOPPED_S = 30


@pytest.fixture(scope="module")
def setting(plugin_broker):
    with RecordingCollector() as collector, plugin_broker(collector) as broker:
        subscribe(broker.bootstrap, "kwitness.test", interval_ms=100)
        yield broker, collector


@pytest.fixture
def quiet(setting):
    """The same broker and collector for each test, the collector behaving and everything earlier delivered."""
    broker, collector = setting
    collector.behaviour = Behaviour()
    collector.wait_for(lambda: _ledger(collector)["queued"] == 0, what="an empty queue")
    collector.clear()
    return broker, collector


def test_pushes_arrive_in_order_and_once_through_refusals_of_the_moment(quiet, librdkafka_producer):
    broker, collector = quiet
    collector.behaviour = Behaviour(status=503)
    with librdkafka_producer(broker.bootstrap, "patient"):
        collector.wait_for(lambda: len(_refused(collector)) >= 3, what="three attempts")
        collector.behaviour = Behaviour()
        collector.wait_for(lambda: len(collector.pushes()) >= 5, what="five pushes")
    numbers = [push["seq"] for push in collector.pushes()]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    # A retry is the same batch again, so that the collector can tell what it has already.
    first, second = (r.body for r in _refused(collector)[:2])
    assert first == second


def test_the_collector_s_retry_after_is_honoured(quiet, librdkafka_producer):
    broker, collector = quiet
    collector.behaviour = Behaviour(status=503, headers={"Retry-After": "60"})
    with librdkafka_producer(broker.bootstrap, "told"):
        collector.wait_for(lambda: len(_refused(collector)) >= 2, what="two attempts")
        first, second = _refused(collector)[:2]
        # The test's longest wait is 500 ms, which bounds the minute asked for; without it the next try is after 50 ms.
        assert second.at - first.at > 0.4
        collector.behaviour = Behaviour()
        collector.wait_for(collector.pushes, what="the push")


def test_a_push_that_is_refused_for_good_is_dropped_and_counted_and_the_next_goes_on(quiet, librdkafka_producer):
    broker, collector = quiet
    before = _dropped(collector, "refused")
    collector.behaviour = Behaviour(status=400)
    with librdkafka_producer(broker.bootstrap, "refused"):
        # Until it is counted: a refusal that comes too late for the plugin is no answer, and the push comes again.
        collector.wait_for(lambda: _dropped(collector, "refused") > before, what="the count of the refusal")
        collector.behaviour = Behaviour()
        collector.wait_for(collector.pushes, what="a later push")


def test_rejected_pushes_of_a_batch_are_counted(quiet, librdkafka_producer):
    broker, collector = quiet
    collector.behaviour = Behaviour(reject='MalformedPayload: the key "seq": is not the point')
    with librdkafka_producer(broker.bootstrap, "rejected"):
        collector.wait_for(lambda: _dropped(collector, "rejected"), what="the count")
    assert "MalformedPayload" in broker.logs()


def test_an_answer_that_does_not_account_for_the_pushes_acknowledges_none(quiet, librdkafka_producer):
    broker, collector = quiet
    before = collector.wait_for(collector.heartbeats, what="a heartbeat")[-1]["ledger"]
    collector.behaviour = Behaviour(body={"title": "Please sign in"})
    with librdkafka_producer(broker.bootstrap, "strange"):
        collector.wait_for(lambda: collector.requests("/v1/pushes"), what="a batch")
        collector.wait_for(lambda: _ledger(collector)["queued"] > 0, what="a heartbeat that counts it as queued")
        assert _ledger(collector)["delivered"] == before["delivered"]
        collector.behaviour = Behaviour()
        collector.wait_for(lambda: _ledger(collector)["delivered"] > before["delivered"], what="its delivery")
    assert "so it is no collector's" in broker.logs()


def test_a_limit_on_the_way_makes_batches_smaller(plugin_broker, librdkafka_producer):
    with (
        RecordingCollector() as collector,
        plugin_broker(collector, overrides={"kwitness.batch.linger.ms": "3000"}) as broker,
    ):
        subscribe(broker.bootstrap, "kwitness.test", interval_ms=100)
        with librdkafka_producer(broker.bootstrap, "big"):
            collector.wait_for(collector.pushes, what="a batch")
            collector.behaviour = Behaviour(max_bytes=2_000)
            collector.wait_for(lambda: 413 in {r.status for r in collector.requests("/v1/pushes")}, what="a limit")
            collector.wait_for(
                lambda: [r for r in _accepted(collector) if r.size <= 2_000][:3], what="batches below the limit"
            )
        numbers = [push["seq"] for push in collector.pushes()]
        assert numbers == list(range(1, len(numbers) + 1))
        assert _ledger(collector)["dropped"] == {}


def test_a_collector_that_never_answers_costs_the_oldest_pushes_and_each_is_counted(plugin_broker, librdkafka_producer):
    limits = {
        "kwitness.queue.max.pushes": "5",
        "kwitness.batch.max.pushes": "2",
        "kwitness.collector.read.timeout.ms": "500",
    }
    with RecordingCollector() as collector, plugin_broker(collector, overrides=limits) as broker:
        subscribe(broker.bootstrap, "kwitness.test", interval_ms=100)
        collector.behaviour = Behaviour(black_hole=True)
        with librdkafka_producer(broker.bootstrap, "lost"):
            ledger = collector.wait_for(
                lambda: (seen := _ledger(collector))["dropped"].get("queue_full", 0) >= 5 and seen, what="drops"
            )
            assert ledger["queued"] == 5
            assert ledger["accepted"] == ledger["delivered"] + ledger["queued"] + ledger["dropped"]["queue_full"]
            collector.behaviour = Behaviour()
            collector.wait_for(lambda: len(collector.pushes()) >= 6, what="the rest")
        ledger = collector.wait_for(
            lambda: (
                (seen := _ledger(collector))["queued"] == 0 and seen["delivered"] == len(_numbers(collector)) and seen
            ),
            what="that nothing is queued any more",
        )
        # The batch in flight, then a gap where the oldest gave way, then everything.
        numbers = _numbers(collector)
        assert numbers == sorted(numbers)
        assert numbers[0] == 1
        assert ledger["dropped"] == {"queue_full": numbers[-1] - len(numbers)}


def test_an_absent_collector_is_found_when_it_comes(plugin_broker, librdkafka_producer):
    port = free_port()
    with plugin_broker(None, overrides={"kwitness.collector.url": f"http://127.0.0.1:{port}"}) as broker:
        subscribe(broker.bootstrap, "kwitness.test", interval_ms=100)
        with librdkafka_producer(broker.bootstrap, "early"):
            eventually(broker.logs, lambda log: "did not accept a batch" in log)
            with RecordingCollector(port=port) as collector:
                first = collector.wait_for(collector.pushes, what="the waiting pushes")[0]
        assert first["seq"] == 1


def test_a_stopping_broker_sends_what_is_queued(plugin_broker, librdkafka_producer):
    with (
        RecordingCollector() as collector,
        plugin_broker(collector, overrides={"kwitness.batch.linger.ms": "60000"}) as broker,
    ):
        subscribe(broker.bootstrap, "kwitness.test", interval_ms=100)
        with librdkafka_producer(broker.bootstrap, "late"):
            collector.wait_for(lambda: _ledger(collector)["queued"] >= 2, what="queued pushes")
        assert not collector.pushes()
        broker.shutdown()
        assert len(collector.pushes()) >= 2


def test_a_stopping_broker_does_not_wait_for_a_collector_that_never_answers(plugin_broker, librdkafka_producer):
    patient = {"kwitness.collector.read.timeout.ms": "600000"}
    with RecordingCollector() as collector, plugin_broker(collector, overrides=patient) as broker:
        subscribe(broker.bootstrap, "kwitness.test", interval_ms=100)
        with librdkafka_producer(broker.bootstrap, "hurried"):
            collector.wait_for(collector.pushes, what="a push")
            collector.behaviour = Behaviour(black_hole=True)
            time.sleep(1)
        began = time.monotonic()
        broker.shutdown()
        # The read's time-out is ten minutes, closing's two seconds; a busy machine takes some for the broker itself.
        assert time.monotonic() - began < _STOPPED_S
        assert "kwitness broker plugin closed" in broker.logs()


def _ledger(collector: RecordingCollector) -> dict[str, Any]:
    return next((beat["ledger"] for beat in reversed(collector.heartbeats())), {"queued": -1, "dropped": {}})


def _numbers(collector: RecordingCollector) -> list[int]:
    """Numbers of what was delivered; one counts once whose answer came too late."""
    return list(dict.fromkeys(push["seq"] for push in collector.pushes()))


def _dropped(collector: RecordingCollector, reason: str) -> int:
    return int(_ledger(collector)["dropped"].get(reason, 0))


def _refused(collector: RecordingCollector) -> list[Any]:
    return [r for r in collector.requests("/v1/pushes") if r.status not in {0, 200}]


def _accepted(collector: RecordingCollector) -> list[Any]:
    return [r for r in collector.requests("/v1/pushes") if r.status == 200]
