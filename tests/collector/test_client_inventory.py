"""Checks answers about clients: which exist, what each sends and is asked for, and which replicas did not answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from kwitness.collector.sharding import owner_of
from kwitness.contracts.envelopes import (
    ClientMetrics,
    ClientPage,
    ClusterState,
    ReplicasAnswer,
    SubscriptionAnswer,
    SubscriptionList,
)

from tests.collector.collector_process import READER, REPLICA, CollectorProcess
from tests.collector.collector_samples import (
    CLUSTER,
    CREATION_TOTAL,
    LATENCY_AVG,
    batch,
    counter_push,
    histogram_push,
    java_push,
    labelled,
    librdkafka_push,
    push,
)
from tests.collector.replica_pair import port_pair
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
PREFIX = "org.apache.kafka."


def ids(answer: Any) -> list[str]:
    return [one["client_instance_id"] for one in answer.body["items"]]


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A collector that has heard of three clients."""
    process = CollectorProcess(tmp_path_factory.mktemp("known"))
    process.own([{"team": "shop", "match": {"clientId": "orders*"}}])
    process.subscribe(
        [
            {"id": "latency", "metrics": [LATENCY_AVG], "interval_ms": 10_000, "match": {"client_id": "orders.*"}},
            {"id": "all", "metrics": ["org.apache.kafka."], "interval_ms": 60_000},
            {"id": "hourly", "metrics": ["*"], "interval_ms": 3_600_000, "match": {"client_id": "billing"}},
        ]
    )
    process.start()
    other = {"client_id": "billing", "principal": "User:bob", "client_software_name": "librdkafka"}
    process.push(
        batch(
            [
                push(1, labelled(java_push(3, 12.0), group_id="g", client_rack="r"), client="a", client_id="orders-1"),
                push(2, java_push(4, 20.0), client="b", client_id="orders-2"),
                push(3, librdkafka_push(5), client="c", **other),
            ]
        )
    )
    yield process
    process.kill()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["a", "b", "c"]),
        ("client_id=orders-1", ["a"]),
        ("client_id=orders", []),
        ("client_id=", []),
        ("client_instance_id=b", ["b"]),
        ("principal=User:alice", ["a", "b"]),
        ("principal=User:alice&client_id=orders-2", ["b"]),
        ("principal=User:bob&client_id=orders-2", []),
        ("group_id=g", ["a"]),
        ("client_software_name=librdkafka", ["c"]),
        ("k8s_namespace=shop", []),
        ("principal=User:alice&limit=1", ["a"]),
        ("principal=User:alice&limit=1&continue=cluster-one/a", ["b"]),
    ],
)
def test_clients_are_found_by_who_they_are(known: CollectorProcess, query: str, found: list[str]) -> None:
    assert ids(known.get(f"/v1/clients?{query}")) == found


def test_a_misspelled_filter_is_refused_instead_of_listing_everybody(known: CollectorProcess) -> None:
    refused = known.get("/v1/clients?clientid=orders-1")

    assert (refused.status, refused.body["error"]["reason"]) == (400, "BadParameter")
    assert "client_id" in refused.body["error"]["message"]


def test_a_client_is_shown_with_what_it_is_asked_for_and_whose_it_is(known: CollectorProcess) -> None:
    page = ClientPage.model_validate(known.get("/v1/clients").body)

    first, second, third = page.items
    assert (first.group_id, first.client_rack, second.group_id) == ("g", "r", None)
    assert first.effective is not None
    assert first.effective.model_dump() == {
        "interval_ms": 10_000,
        "metrics": (PREFIX, LATENCY_AVG),
        "subscriptions": ("latency", "all"),
    }
    assert first.subscriptions == ("latency", "all")
    assert third.effective is not None
    assert (third.effective.interval_ms, third.effective.metrics) == (60_000, ("*",))
    assert [one.owner and one.owner.team for one in page.items] == ["shop", "shop", None]
    assert page.missing == ()


def test_one_clients_metrics_are_its_own_although_its_series_is_shared(known: CollectorProcess) -> None:
    body = known.get("/v1/clients/a/metrics").body

    found = ClientMetrics.model_validate(body)
    assert (found.client.client_id, found.missing) == ("orders-1", ())
    counter, latency = sorted(found.metrics, key=lambda one: one.type)
    assert counter.at_ms == latency.at_ms == found.client.last_push_ms
    assert counter.model_dump(exclude={"at_ms"}, exclude_none=True) == {
        "name": CREATION_TOTAL,
        "prometheus_name": "kafka_client_producer_connection_creation_total",
        "type": "counter",
        "unit": "1",
        "attributes": {},
        "value": 3,
    }
    assert latency.model_dump(exclude={"at_ms"}, exclude_none=True) == {
        "name": LATENCY_AVG,
        "prometheus_name": "kafka_client_producer_node_request_latency_avg_seconds",
        "type": "gauge",
        "unit": "s",
        "attributes": {"node_id": "1"},
        "value": pytest.approx(0.012),
    }


@pytest.mark.parametrize("token", [None, "plugin-token", "otlp-token"])
def test_who_may_not_read_the_inventory_may_not_read_one_clients_metrics(
    known: CollectorProcess, token: str | None
) -> None:
    assert known.get("/v1/clients/a/metrics", token=token).status in {401, 403}


def test_a_client_that_is_not_known_is_not_found_with_where_to_look(known: CollectorProcess) -> None:
    answer = known.get("/v1/clients/nobody/metrics")

    assert (answer.status, answer.body["error"]["reason"]) == (404, "UnknownClient")
    assert "/v1/clients" in answer.body["error"]["message"]


def test_all_subscriptions_are_answered_at_once_as_one_by_one(known: CollectorProcess) -> None:
    listed = SubscriptionList.model_validate(known.get("/v1/subscriptions").body)

    assert [one.id for one in listed.items] == ["all", "hourly", "latency"]
    assert [one.clients.matching for one in listed.items] == [3, 1, 2]
    for one in listed.items:
        alone = SubscriptionAnswer.model_validate(known.get(f"/v1/subscriptions/{one.id}").body)
        assert alone.model_dump(exclude=set(ReplicasAnswer.model_fields)) == one.model_dump()
        assert alone.missing == listed.missing == ()


def test_of_a_client_whose_pushes_cannot_be_read_it_is_said_how_many_and_why(start: Start) -> None:
    collector = start()
    sound, broken = push(1, java_push(), client="m"), push(2, b"garbage", client="m")
    collector.push(batch([sound, broken, push(3, b"\xff", client="m"), push(4, b"\x0a\x05", client="only")]))

    def malformed() -> dict[str, tuple[int, str]]:
        items = collector.get("/v1/clients").body["items"]
        return {one["client_instance_id"]: (one["malformed"], one.get("malformed_reason", "")) for one in items}

    before = malformed()
    read_ms = collector.get("/v1/clients/m/metrics").body["metrics"][0]["at_ms"]
    collector.kill()
    collector.start()

    assert (before["m"][0], before["only"][0]) == (2, 1)
    assert before["m"][1].startswith("1 bytes that are no OTLP")
    assert malformed() == before
    assert collector.get("/v1/clients/m/metrics").body["metrics"][0]["at_ms"] == read_ms
    assert collector.get("/v1/clients/only/metrics").body["metrics"] == []
    # Prometheus counts them without naming anybody.
    assert collector.value("kwitness_parser_errors_total", reason="malformed_payload") == 3


def test_values_of_one_client_outlive_a_restart(start: Start) -> None:
    collector = start()
    collector.push(batch([push(1, java_push(3), client="m"), push(2, histogram_push([1, 2, 3], 20.0), client="h")]))
    eventually(lambda: list((collector.folder / "state-0").glob("journal-*")))
    collector.stop()
    collector.start()
    collector.push(batch([push(3, java_push(4), client="m"), push(4, histogram_push([1, 0, 0], 0.5), client="h")]))

    [counter] = [one for one in collector.get("/v1/clients/m/metrics").body["metrics"] if one["type"] == "counter"]
    [histogram] = collector.get("/v1/clients/h/metrics").body["metrics"]
    assert counter["value"] == 7
    assert (histogram["count"], histogram["sum"], histogram["unit"]) == (7, 20.5, "s")
    assert histogram["prometheus_name"] == "app_request_duration_seconds"


def test_an_instance_id_with_a_slash_is_found(start: Start) -> None:
    collector = start()
    collector.push(batch([push(1, java_push(), client="otlp/shop/0")]))

    answer = collector.get(f"/v1/clients/{quote('otlp/shop/0', safe='')}/metrics")

    assert answer.status == 200


def test_what_replicas_that_are_away_know_is_said_to_be_missing(start: Start) -> None:
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    pair = [start(ordinal=number, port=tens * 10 + number, config={"replicas": 2}, peers=peers) for number in range(2)]
    for replica in pair:
        replica.subscribe([{"id": "all", "metrics": [PREFIX]}])
    clients = [f"client-{number}" for number in range(8)]
    mine, theirs = ([one for one in clients if owner_of(one, 2) == ordinal] for ordinal in range(2))
    pair[0].push(batch([push(seq, counter_push(2), client=client) for seq, client in enumerate(clients)]))
    eventually(lambda: pair[0].get("/v1/subscriptions").body, lambda body: body["items"] and not body["missing"])

    whole = {
        "clients": ids(pair[0].get("/v1/clients")),
        "metrics": pair[0].get(f"/v1/clients/{theirs[0]}/metrics").body["missing"],
        "cluster": ClusterState.model_validate(pair[0].get(f"/v1/clusters/{CLUSTER}").body).missing,
    }
    pair[1].kill()

    assert whole == {"clients": sorted(clients), "metrics": [], "cluster": ()}
    page = pair[0].get("/v1/clients")
    assert (ids(page), page.body["missing"]) == (sorted(mine), [1])
    assert pair[0].get(f"/v1/clusters/{CLUSTER}").body["missing"] == [1]
    listed = pair[0].get("/v1/subscriptions").body
    assert (listed["missing"], listed["items"][0]["clients"]["matching"]) == ([1], len(mine))
    assert pair[0].get("/v1/subscriptions/all").body["missing"] == [1]
    found = pair[0].get(f"/v1/clients/{mine[0]}/metrics")
    assert (found.status, found.body["missing"]) == (200, [1])
    away = pair[0].get(f"/v1/clients/{theirs[0]}/metrics")
    assert (away.status, away.body["error"]["reason"]) == (503, "Partial")
    assert int(away.headers["Retry-After"]) > 0
    # Who asks for one replica's own part is not told of others.
    assert pair[0].get("/v1/clients?local=true").body["missing"] == []
    assert pair[0].get(f"/v1/clients/{theirs[0]}/metrics?local=true").status == 404


def test_a_replica_that_has_not_been_told_of_a_subscription_is_missing_in_its_numbers(start: Start) -> None:
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    pair = [start(ordinal=number, port=tens * 10 + number, config={"replicas": 2}, peers=peers) for number in range(2)]
    for replica in pair:
        replica.subscribe([{"id": "old", "metrics": ["*"]}])
    eventually(lambda: pair[0].get("/v1/subscriptions").body, lambda body: body["items"] and not body["missing"])

    pair[0].subscribe([{"id": "old", "metrics": ["*"]}, {"id": "new", "metrics": ["*"]}])

    listed = eventually(lambda: pair[0].get("/v1/subscriptions").body, lambda body: len(body["items"]) == 2)
    assert listed["missing"] == [1]


def test_an_answer_that_is_none_counts_as_missing(start: Start) -> None:
    # The other replica is a collector of another cluster's tokens: it refuses the question.
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    pair = [start(ordinal=number, port=tens * 10 + number, config={"replicas": 2}, peers=peers) for number in range(2)]
    pair[1].tokens.write_text(f"{READER} reader {CLUSTER}\n")
    eventually(lambda: pair[1].get("/v1/clients?local=true", token=REPLICA).status, lambda status: status == 401)

    assert pair[0].get("/v1/clients").body["missing"] == [1]
