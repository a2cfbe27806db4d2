"""Ends of connections that observers report are counted once, by who or what ended them and the last error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.collector.collector_process import CollectorProcess
from tests.collector.event_samples import CLIENT, request, row

Start = Callable[..., CollectorProcess]
ENDS = "kafka_client_connection_ends_total"


def closed(seq: int, end: str = "client", **more: Any) -> tuple[dict[str, Any], bytes]:
    return row(seq, "connections", kind="closed", end=end, **{**CLIENT, **more})


def test_ends_are_counted_by_client_end_and_error(start: Start) -> None:
    collector = start()

    collector.observe(request([closed(1), closed(2), closed(3, "broker", last_error=58)]))

    assert collector.value(ENDS, client_id=CLIENT["client_id"], end="client") == 2
    assert collector.value(ENDS, principal=CLIENT["principal"], end="broker", error="58") == 1


def test_a_row_that_comes_again_is_counted_once(start: Start) -> None:
    collector = start()

    for _ in range(2):
        collector.observe(request([closed(1)]))

    assert collector.value(ENDS, end="client") == 1


def test_other_rows_and_rows_that_break_the_contract_are_no_ends(start: Start) -> None:
    collector = start()
    opened = row(1, "connections", kind="opened", **CLIENT)
    of_a_topic = row(2, "traffic", kind="closed", end="client")
    unknown = [closed(3, "magic"), closed(4, client_id=7), closed(5, last_error=2**15)]

    answer = collector.observe(request([opened, of_a_topic, *unknown, *(closed(number) for number in range(6, 300))]))

    assert answer.body["accepted"] == "1-299"
    assert collector.value(ENDS) == 294
