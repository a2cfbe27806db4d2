"""`topics`, `groups`, `connections` and `clients` of a collector that observers report to."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.cli.clients.answers import connection, parameters_of
from tests.cli.clients.conftest import lines
from tests.cli.reviewed_collector import ReviewedCollector
from tests.collector.collector_process import SIDECAR, CollectorProcess
from tests.collector.event_samples import of_sidecar, request
from tests.collector.window_samples import behind, end_before_now, produced, requested, window

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CollectorProcess]:
    """A collector with one window of a gateway and one of a sidecar, and with owners."""
    process = CollectorProcess(tmp_path_factory.mktemp("observed")).start()
    process.own(
        [
            {"team": "Orders", "match": {"topic": "orders"}},
            {"team": "Mail", "match": {"clientId": "mail"}},
        ]
    )
    end_ms = end_before_now()
    fetched = {"api": "Fetch", "topic": "orders", "client_id": "mail", "requests": 10, "records": 50}
    fetch = {**fetched, "record_bytes": 500, "fetch_lag": 70, "fetch_lag_ms": 12_000}
    process.get("/v1/connections")
    of_observer = {"observer", "observer_pod", "observer_mode", "listed_at_ms"}
    listed = [
        connection(name).model_dump(mode="json", exclude_none=True, exclude=of_observer) for name in ("mail", "shop")
    ]
    groups = [behind("mails", 7, committed_lag_ms=75_000), behind("audit", 9)]
    of_gateway = window(1, end_ms, traffic=[produced(client_id="shop"), fetch], groups=groups)
    assert process.observe(request(totals=[of_gateway], open_connections={"connections": listed})).status == 200
    throttled = requested(client_id="beside", throttled_responses=1, throttle_ms=4_500)
    beside = window(1, end_ms, traffic=[produced("paid", client_id="beside")], apis=[throttled])
    assert process.observe(request(totals=[beside], **of_sidecar()), token=SIDECAR).status == 200
    yield process
    process.kill()


@pytest.fixture
def door(api, namespace, observed) -> Iterator[ReviewedCollector]:
    with ReviewedCollector(api, observed, namespace) as opened:
        yield opened


def test_topics_are_added_up_from_the_windows_of_observers(types) -> None:
    done = types("topics", "--sort", "topic")

    assert (done.returncode, done.stderr) == (0, "")
    assert lines(done)[1:] == [
        ["orders", "1", "1", "1k", "50", "10", "5", "12s", "Orders"],
        ["paid", "1", "0", "1k", "0", "10", "0", "-", "-"],
    ]


def test_clients_of_a_topic_have_owner_lag_and_throttle_time(types) -> None:
    orders = json.loads(types("topics", "orders", "-o", "json").stdout)
    (beside,) = json.loads(types("topics", "pai*", "-o", "json").stdout)["items"]

    assert [(item["client_id"], item["api"]) for item in orders["items"]] == [("shop", "Produce"), ("mail", "Fetch")]
    assert orders["matched"] == 2
    assert (orders["items"][1]["owner"]["team"], orders["items"][1]["fetch_lag_ms"]) == ("Mail", 12_000)
    assert (beside["k8s_namespace"], beside["throttle_ms"]) == ("stranger", 4_500)


def test_groups_come_with_the_longest_lag_first(types) -> None:
    done, rest = types("groups"), types("groups", "--limit", "1", "--topic-owner", "Orders")

    assert [line[:6] for line in lines(done)[1:]] == [
        ["mails", "orders", "1m15s", "7", "-", "Orders"],
        ["audit", "orders", "-", "9", "-", "Orders"],
    ]
    assert "1 of 2 are not shown" in rest.stderr


def test_connections_are_selected_by_owner_and_by_a_prefix(types, door) -> None:
    owned, begun = types("connections", "--owner", "Mail"), types("connections", "--client-id", "sh*", "-o", "name")

    assert [line[0] for line in lines(owned)[1:]] == ["mail"]
    assert "Mail" in lines(owned)[1]
    assert begun.stdout == "shop\n"
    assert parameters_of(door, "/v1/connections")[0] == {"owner": "Mail", "limit": "100"}


@pytest.mark.parametrize(
    "line", ["clients x", "clients --owner Mail --sort -last_push_ms", "topics nothing", "groups x"]
)
def test_every_question_is_one_that_the_collector_answers(types, line) -> None:
    assert types(*line.split()).returncode == 0
