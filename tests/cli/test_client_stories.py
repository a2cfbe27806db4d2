"""`kwitness why` in sentences."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from kwitness.answers.views.advice import missing_text, subscribe_line
from kwitness.answers.views.client_story import (
    Section,
    Sighting,
    story_of,
    story_of_connections,
    story_of_counts,
    story_of_silent,
)
from kwitness.answers.views.counted_values import ends_of, statistics_of
from kwitness.contracts.envelopes import ClientItem, ClientMetricValue, ConnectionItem, CountedValue

from tests.cli.test_client_views import EFFECTIVE, NOW, client, silent

CONNECTION = ConnectionItem(
    client_id="orders-7",
    client_address="10.0.0.7",
    broker_id="2",
    k8s_namespace="shop",
    k8s_pod="orders-0",
    connection_id="1",
    opened_at_ms=NOW - 60_000,
    state="observed",
    observer_mode="gateway",
    observer="shop/front",
    observer_pod="shop/front-0",
    listed_at_ms=NOW,
)


def sentences(story: list[Section], heading: str) -> list[str]:
    return [one for section in story if section.heading == heading for one in section.sentences]


def next_of(**changes: Any) -> list[str]:
    return sentences(story_of(client(**changes), Sighting(), NOW), "What to do next")


def test_the_page_of_a_client_that_pushes_says_all_that_is_known() -> None:
    known = client(
        k8s_namespace="shop",
        k8s_pod="orders-0",
        k8s_workload="orders",
        group_id="payments",
        owner={"team": "Orders", "contact": "#orders"},
        effective={**EFFECTIVE, "subscriptions": ["all", "slow-orders"]},
    )
    latency = ClientMetricValue(
        name="org.apache.kafka.producer.request.latency.avg",
        prometheus_name="latency",
        type="gauge",
        unit="ms",
        value=7,
    )
    story = story_of(known, Sighting(metrics=[latency], connections=[CONNECTION]), NOW)

    assert [one.heading for one in story] == [
        "Who it is",
        "What it is asked for",
        "Whether it pushes",
        "What it says of itself",
        "Connections that observers see",
        "What to do next",
    ]
    assert sentences(story, "Who it is") == [
        "Its client id is orders-7.",
        "Its instance id is b69cc35a-7a54-4790-aa69-cc2bd4ee4538.",
        "It is apache-kafka-java 4.3.1.",
        "Brokers know it as User:orders.",
        "It connects from 10.0.0.7.",
        "Its pod is shop/orders-0.",
        "It was made by orders.",
        "It belongs to Orders (#orders).",
        "Its consumer group is payments.",
        "It was heard from first 1h ago.",
    ]
    assert sentences(story, "What it is asked for") == [
        "It is asked for metrics that begin with org.apache.kafka.producer., every 10s.",
        (
            "The broker's subscriptions all and slow-orders ask for it together: all their metrics, at the shortest "
            "of their intervals."
        ),
    ]
    assert sentences(story, "Whether it pushes") == ["It pushes; its last push came 3s ago, with 2 metrics known."]
    assert sentences(story, "Connections that observers see") == [
        "From 10.0.0.7 of pod shop/orders-0 to broker 2, open since 1m, through observer shop/front."
    ]
    assert sentences(story, "What to do next") == ["Watch its values: kwitness metrics orders-7 --watch"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"terminated": True}, "Nothing: it left in good order."),
        ({"effective": None}, "kwitness subscriptions add look-at-orders-7 --client-id orders-7 "),
        ({"last_push_ms": NOW - 99_000}, "See whether its process still runs"),
        ({"last_push_ms": NOW - 99_000, "owner": {"team": "Orders"}}, "Ask Orders whether it still runs"),
        ({"last_push_ms": None}, "Wait for one and a half intervals"),
        ({"malformed": 2, "metrics": []}, "report the client's version"),
    ],
)
def test_each_state_says_what_to_do_next(changes: dict[str, Any], says: str) -> None:
    assert says in next_of(**changes)[0]


def test_why_a_known_client_is_silent_comes_from_those_who_know() -> None:
    known = silent("Throttled", detail="brokers throttle User:orders: raise its request quota")
    story = story_of(client(last_push_ms=None), Sighting(silent=known), NOW)

    assert sentences(story, "Whether it pushes")[-1] == (
        "It is silent because brokers throttle its telemetry requests (Throttled)."
    )
    assert sentences(story, "What to do next") == ["Brokers throttle User:orders: raise its request quota."]


def test_pushes_that_cannot_be_read_are_told_with_the_reason() -> None:
    story = story_of(client(malformed=3, malformed_reason="truncated"), Sighting(), NOW)

    assert "3 of its pushes could not be read: truncated." in sentences(story, "Whether it pushes")


def test_a_client_that_never_pushed_has_a_page_as_well() -> None:
    old = silent("TooOld", client_id="old-app", principal="User:old")
    story = story_of_silent(old, Sighting(), NOW)

    assert sentences(story, "Who it is")[-1] == "It was seen by the brokers' plugin."
    assert sentences(story, "Whether it pushes") == [
        "It does not push, because this version of its library cannot push (TooOld)."
    ]
    assert sentences(story, "What to do next") == ["Upgrade it: kafka-clients from 3.7, librdkafka from 2.5.3."]


def test_a_library_that_is_not_announced_is_not_named() -> None:
    old = silent("TooOld", client_software_name="unknown", client_software_version="unknown")

    assert "Its library is not known." in sentences(story_of_silent(old, Sighting(), NOW), "Who it is")


def test_a_client_that_nothing_matches_is_told_with_the_line_to_type() -> None:
    story = story_of_silent(silent("NoSubscriptionMatches", client_id="orders 7"), Sighting(), NOW)

    line = sentences(story, "What to do next")[-1].removeprefix("Ask it: ")
    assert shlex.split(line)[:6] == ["kwitness", "subscriptions", "add", "look-at-orders-7", "--client-id", "orders 7"]


def test_connections_alone_make_a_page() -> None:
    story = story_of_connections("orders-7", Sighting(connections=[CONNECTION]), NOW)
    of_software = story_of_connections("orders-7", Sighting((), silent("TooOld"), [CONNECTION]), NOW)

    assert sentences(story, "Who it is")[0] == "Its client id is orders-7."
    assert sentences(story, "What to do next") == ["See which brokers have the plugin: kwitness doctor"]
    assert sentences(of_software, "Whether it pushes") == [
        "It does not push; of its software that is because this version of its library cannot push (TooOld)."
    ]


def test_a_line_for_a_client_without_an_id_names_its_instance() -> None:
    assert "--client-instance-id abc" in subscribe_line(None, "abc")
    assert subscribe_line("A.B--C_7").startswith("kwitness subscriptions add look-at-a-b-c-7 --client-id A.B--C_7 ")


def test_missing_replicas_are_named() -> None:
    assert "replica 2 of the collector did not answer" in missing_text([2])
    assert "replicas 0, 2 of the collector did not answer" in missing_text([2, 0])


def test_a_client_of_whom_nothing_is_known_breaks_nothing() -> None:
    story = story_of(ClientItem(first_seen_ms=NOW), Sighting(), NOW)

    assert sentences(story, "Who it is") == ["It was heard from first now."]


def test_what_is_known_to_be_wrong_with_its_software_has_effect_remedy_and_source() -> None:
    wrong = {"client_software_name": "kgo", "client_software_version": "v1.20.7"}
    stories = (
        story_of(client(**wrong), Sighting(), NOW),
        story_of_silent(silent("NotAsking", **wrong), Sighting(), NOW),
        story_of_connections("x", Sighting(connections=[CONNECTION.model_copy(update=wrong)]), NOW),
    )

    for story in stories:
        found = sentences(story, "What is known to be wrong with its software")
        assert len(found) == 4
        assert any(
            "no terminating push" in sentence
            and "(LostLastPush): upgrade it to kgo 1.21.4. Source: franz-go CHANGELOG, 1.21.4." in sentence
            for sentence in found
        )


def test_software_without_a_known_defect_has_no_such_section() -> None:
    assert sentences(story_of(client(), Sighting(), NOW), "What is known to be wrong with its software") == []


def counted(name: str, value: float, **labels: str) -> CountedValue:
    return CountedValue(name=f"kafka_client_{name}", labels={"client_id": "orders-7", **labels}, value=value)


def test_the_fullest_queue_and_the_partition_that_is_furthest_behind_are_named() -> None:
    limits = [counted("interceptor_queue_limit_records", 1_000, k8s_pod=f"orders-{number}") for number in range(2)]
    queues = [counted("interceptor_queued_records", 950 * number, k8s_pod=f"orders-{number}") for number in range(2)]
    lags = [
        counted("interceptor_consumer_lag_records", lag, topic=topic) for topic, lag in (("orders", 7), ("stock", 9))
    ]
    times = [counted("interceptor_round_trip_seconds_total", 6), counted("interceptor_round_trips_total", 12)]

    found = statistics_of([*limits, *queues, *lags, *times, counted("interceptor_fetched_records", 30)])

    assert found == [
        "950 of 1k records wait in the queue of its producer of pod orders-1: it is full, and sending fails or waits.",
        "Its requests take 500 ms from sending to answer, on average of all.",
        "30 records are fetched and not handed to its application yet.",
        "It is 9 records behind in a partition of stock.",
    ]


def test_ends_are_named_by_how_often_they_came_and_statistics_without_counts_are_not() -> None:
    ends = [
        counted("connection_ends_total", 1, end="idle"),
        *(counted("connection_ends_total", 2, end="broker", error="58", k8s_pod=pod) for pod in ("a", "b")),
        counted("connection_ends_total", 1, end="of a later release", error="0"),
    ]
    quiet = [counted("interceptor_request_retries_total", 0), counted("interceptor_queued_records", 5)]

    assert ends_of(ends) == [
        "Closed by the broker, after Kafka's error 58 SASL_AUTHENTICATION_FAILED: 4.",
        "Closed by the observer, since nothing passed for long: 1.",
        "of a later release: 1.",
    ]
    assert statistics_of([*ends, *quiet]) == []


def test_a_client_that_is_gone_has_a_page_of_what_was_counted() -> None:
    seen = Sighting(counted=[counted("connection_ends_total", 3, end="client")])

    story = story_of_counts("orders-7", seen, NOW)

    heading = "How its connections ended, since the collector counts"
    assert sentences(story, "Who it is") == ["Its client id is orders-7."]
    assert sentences(story, heading) == sentences(story_of(client(), seen, NOW), heading)
    assert sentences(story, heading) == ["Closed by the client: 3."]
