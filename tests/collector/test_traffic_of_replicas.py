"""Checks that windows at two replicas make one answer, and that it says what it may miss."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.collector.sharding import owner_of

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import CLUSTER
from tests.collector.event_samples import request
from tests.collector.window_samples import behind, end_before_now, rates, requested, window
from tests.eventually import eventually


def pod_of(ordinal: int) -> str:
    """Return a gateway's pod that the replica owns."""
    return next(pod for number in range(100) if owner_of(pod := f"shop/gateway-{number}", 2) == ordinal)


def send(pair: list[CollectorProcess], *of_replica: dict[str, Any]) -> None:
    """Send one window to each replica, of an observer that it owns."""
    for ordinal, (replica, lists) in enumerate(zip(pair, of_replica, strict=True)):
        with replica.tokens.open("a") as file:
            file.write(f"observer-{ordinal} observer {CLUSTER} gateway {pod_of(ordinal)}\n")
        body = request(totals=[window(1, end_before_now(), **lists)], source=pod_of(ordinal))
        answer = eventually(
            lambda replica=replica, body=body, ordinal=ordinal: replica.observe(body, token=f"observer-{ordinal}"),  # type: ignore[misc]
            lambda answer: answer.status != 401,
        )
        assert answer.body["accepted"] == "1"


def answered(
    replica: CollectorProcess, path: str = "/v1/traffic", missing: tuple[int, ...] = (), **parameters: str
) -> Any:
    """Ask until the other replica answered in time."""
    return eventually(lambda: replica.get(path, params=parameters).body, lambda page: page["missing"] == list(missing))


def clients(*named: tuple[str, int]) -> dict[str, Any]:
    return {"apis": [requested(requests, client_id=name) for name, requests in named]}


def test_a_client_that_is_second_at_both_replicas_is_first_by_its_sum(pair: list[CollectorProcess]) -> None:
    send(pair, clients(("left", 100), ("both", 80), ("small", 1)), clients(("right", 90), ("both", 70)))

    for replica in pair:
        first = answered(replica, order="-requests_per_s", limit="2")
        assert rates(first) == {"both": 15, "left": 10}
        assert first["missed_at_most"] == pytest.approx(9 + 8)  # right has 9, and may have 8 at the other replica
        assert "continue" not in first
        whole = answered(replica, order="-requests_per_s")
        assert list(rates(whole)) == ["both", "left", "right", "small"]
        assert (whole["matched"], "missed_at_most" in whole) == (4, False)


def test_what_no_replica_has_among_its_first_has_no_more_than_the_answer_allows(
    pair: list[CollectorProcess],
) -> None:
    send(pair, clients(("left", 100), ("both", 80)), clients(("right", 90), ("both", 70)))

    first = answered(pair[0], order="-requests_per_s", limit="1")

    assert rates(first) == {"left": 10}
    assert first["missed_at_most"] == pytest.approx(10 + 9)  # it has 15
    assert first["matched"] == 4


def test_pages_by_key_add_up_what_replicas_have(pair: list[CollectorProcess]) -> None:
    names = [f"client-{number:02}" for number in range(20)]
    send(pair, clients(*((name, 10) for name in names[:15])), clients(*((name, 30) for name in names[10:])))

    seen: dict[str, float] = {}
    after: dict[str, str] = {}
    while True:
        page = answered(pair[1], limit="3", **after)
        assert len(page["items"]) <= 3
        seen |= rates(page)
        if "continue" not in page:
            break
        after = {"continue": page["continue"]}

    assert list(seen) == names
    assert list(seen.values()) == [1] * 10 + [4] * 5 + [3] * 5


def test_of_a_groups_lags_the_largest_counts_and_a_replica_that_is_away_is_named(pair: list[CollectorProcess]) -> None:
    send(
        pair,
        {"groups": [behind("readers", 5, committed_lag_ms=50), behind("only", 1)]},
        {"groups": [behind("readers", 9, committed_lag_ms=20)]},
    )

    page = answered(pair[0], "/v1/groups", order="-committed_lag")
    local = pair[0].get("/v1/groups", params={"local": "true"}).body
    pair[1].kill()
    alone = answered(pair[0], "/v1/groups", missing=(1,), order="-committed_lag")

    lags = [(item["group_id"], item["committed_lag"], item.get("committed_lag_ms")) for item in page["items"]]
    assert lags == [("readers", 9, 50), ("only", 1, None)]
    assert page["matched"] == 2
    for of_one in (local, alone):
        assert {(item["group_id"], item["committed_lag"]) for item in of_one["items"]} == {("readers", 5), ("only", 1)}
