"""Ends of connections that observers report are counted once, by who or what ended them and the last error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kwitness.collector.inventory.counted_values import merge_counted
from kwitness.contracts.envelopes import MAX_COUNTED_VALUES, CountedValue

from tests.collector.collector_process import SIDECAR, CollectorProcess
from tests.collector.event_samples import CLIENT, of_sidecar, request, row

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


def test_an_answer_about_a_client_has_its_ends_of_all_replicas(pair: list[CollectorProcess]) -> None:
    pair[0].observe(request([closed(1), closed(2), closed(3, "broker", last_error=58)]))
    pair[1].observe(request([closed(1)], **of_sidecar()), token=SIDECAR)

    for replica in pair:
        question = f"/v1/connections?client_id={CLIENT['client_id']}"
        counted = [CountedValue.model_validate(value) for value in replica.get(question).body["counted"]]
        ends = {(value.labels.get("k8s_namespace"), value.labels["end"]): value.value for value in counted}
        assert ends == {(None, "client"): 2, (None, "broker"): 1, ("stranger", "client"): 1}
        assert {value.labels.get("error") for value in counted} == {None, "58"}
        assert replica.get("/v1/connections?client_id=another").body["counted"] == []


def test_counters_of_replicas_add_up_and_of_gauges_the_largest_counts() -> None:
    def part(number: float) -> tuple[CountedValue, ...]:
        names = (ENDS, "kafka_client_interceptor_queued_records")
        return tuple(CountedValue(name=name, labels={"client_id": "a"}, value=number) for name in names)

    merged = merge_counted([part(2), None, part(5)])

    assert merged is not None
    assert [value.value for value in merged] == [7, 5]
    assert merge_counted([None]) is None


def test_an_answer_has_as_many_values_as_it_may_have(start: Start) -> None:
    collector = start()
    names = [f"client-{number:04}" for number in range(MAX_COUNTED_VALUES + 1)]
    collector.observe(request([closed(number, client_id=name) for number, name in enumerate(names, 1)]))

    counted = collector.get("/v1/connections?client_id=client-*").body["counted"]

    assert [value["labels"]["client_id"] for value in counted] == names[:-1]


@pytest.mark.parametrize("pattern", ["é" * 200, f"{'é' * 100}*"])
def test_a_client_whose_name_is_longer_than_a_label_is_found_by_it(start: Start, pattern: str) -> None:
    collector = start()
    collector.observe(request([closed(1, client_id="é" * 200), closed(2, client_id="é" * 60)]))

    counted = collector.get("/v1/connections", params={"client_id": pattern}).body["counted"]

    assert [value["value"] for value in counted] == [1]
