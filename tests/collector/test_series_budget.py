"""Checks the budget of series: sums beyond it are kept, gauges beyond it are counted, and freed room is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.collector.collector_process import CollectorProcess, value
from tests.collector.collector_samples import (
    CREATION_SERIES,
    LATENCY_AVG,
    LATENCY_SERIES,
    batch,
    counter_push,
    gauge_push,
    push,
)
from tests.collector.core_exposition import WHO, core, samples, scrape

Start = Callable[..., CollectorProcess]


def test_beyond_the_budget_counters_go_to_other_and_sums_are_kept() -> None:
    one = core(max_series=10)
    for index in range(500):
        one.apply(f"i{index}", {"cluster_id": "c", "client_id": f"client-{index}"}, counter_push(2))
        one.apply(f"i{index}", {"cluster_id": "c", "client_id": f"client-{index}"}, counter_push(1))

    found = samples(one)
    assert value(found, CREATION_SERIES) == 1500
    assert value(found, CREATION_SERIES, client_id="other") == 1500 - 3 * 10
    assert len(found[CREATION_SERIES]) == 11
    assert sum(one.counts().overflowed.values()) >= 490


def test_beyond_the_budget_gauges_are_left_out_and_counted() -> None:
    one = core(max_series=3)
    for index in range(10):
        one.apply(f"i{index}", {"client_id": f"client-{index}"}, gauge_push(LATENCY_AVG, 1.0))

    assert len(samples(one)[LATENCY_SERIES]) == 3
    assert one.counts().overflowed == {"gauge": 7}


@pytest.mark.parametrize("push_of", [gauge_push, counter_push])
def test_what_the_budget_had_no_room_for_gets_its_own_series_once_there_is(push_of: Any) -> None:
    one = core(max_series=3)
    for hostile in range(3):
        one.apply(f"hostile-{hostile}", WHO, gauge_push("noise", 1.0, unit="", who=str(hostile)))
    name = "app.things"
    sound = {"cluster_id": "c", "client_id": "sound"}
    for _ in range(4):
        one.apply("sound", sound, push_of(name=name, value=2.0))
    left = value(samples(one), "app_things_total", client_id="other") if push_of is counter_push else None
    assert value(samples(one), "app_things", client_id="sound") is None
    assert value(samples(one), "app_things_total", client_id="sound") is None

    for hostile in range(3):
        one.depart(f"hostile-{hostile}")
    one.apply("sound", sound, push_of(name=name, value=2.0))

    scrape(one)
    found = samples(one)
    if push_of is gauge_push:
        assert value(found, "app_things", client_id="sound") == 2
    else:
        assert (left, value(found, "app_things_total", client_id="other")) == (8, 8)
        assert value(found, "app_things_total", client_id="sound") == 2
    one.depart("sound")
    assert one.counts().series == 0


def test_a_client_called_other_is_not_what_did_not_fit(start: Start) -> None:
    collector = start(config={"prometheus": {"labels": ["client_id"], "max_series": 1}})
    for seq, name in enumerate(("other", "second", "third")):
        collector.push(batch([push(seq, counter_push(5), client=name, client_id=name)]))

    found = {dict(labels)["client_id"]: value for labels, value in collector.scrape()[CREATION_SERIES].items()}

    assert found.pop("other") == 10
    [(name, value)] = found.items()
    assert (name.partition("~")[0], value) == ("other", 5)
