"""Who is connected and does not push: each reason from what brokers, observers and clients said; never a guess."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from kwitness.collector.inventory import subscription_report
from kwitness.collector.inventory.brokers import REFUSALS_MS, Broker, Brokers
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.silence import MAX_ITEMS, silent_clients
from kwitness.collector.inventory.silence_part import Observed, silence_part
from kwitness.collector.inventory.survey import Found, Survey
from kwitness.contracts.envelopes import MOST_INSTANCES, GaugeSnapshot, SilentClients
from kwitness.contracts.software import OUR_CLIENT_ID_PREFIX, OUR_VERSION_SUFFIX
from kwitness.subscriptions.broker_subscription import BrokerSubscription

from tests.collector.collector_process import GATEWAY_SOURCE, PLUGIN, CollectorProcess
from tests.collector.collector_samples import CLUSTER, batch, counter_push, gauges, push
from tests.collector.event_samples import EPOCH, request
from tests.collector.replica_pair import port_pair

Start = Callable[..., CollectorProcess]
PATH = "/v1/silent"
ALL = {"id": "all", "metrics": ["org.apache.kafka."], "interval_ms": 60_000, "match": {}}
ASKING_ALL = BrokerSubscription(id="all", metrics=("org.apache.kafka.",))
JAVA, PYTHON = ("apache-kafka-java", "4.3.1"), ("confluent-kafka-python", "2.16.1-rdkafka-2.16.1")


def sensors(worst: Iterable[Mapping[str, Any]] = (), **totals: int) -> dict[str, Any]:
    return {"instances": 1, **totals, "worst": list(worst)}


@pytest.fixture
def collector(start: Start) -> CollectorProcess:
    collector = start()
    collector.subscribe([ALL])
    return collector


def silent(collector: CollectorProcess, query: str = "") -> list[dict[str, Any]]:
    answer = collector.get(PATH + query)
    assert answer.status == 200
    assert answer.body["missing"] == []
    SilentClients.model_validate(answer.body)
    return [{key: value for key, value in item.items() if key != "detail"} for item in answer.body["items"]]


def found_in(
    *heartbeats: Mapping[str, Any], subscriptions: Iterable[BrokerSubscription] = (ASKING_ALL,), ours: bool = False
) -> SilentClients:
    """The answer of a replica that heard these heartbeats and of no push."""
    brokers = Brokers()
    for number, heartbeat in enumerate(heartbeats):
        brokers.record_heartbeat(GaugeSnapshot.model_validate(heartbeat), number * 10_000)
    part = silence_part(Clients(), brokers, (), 0, CLUSTER)
    return silent_clients([part], tuple(subscriptions), (), ours=ours)


def shown(answer: SilentClients) -> list[dict[str, Any]]:
    return [item.model_dump(exclude={"detail"}, exclude_none=True) for item in answer.items]


def software(name: str, version: str, connections: int, reason: str, **more: Any) -> dict[str, Any]:
    return {
        "client_software_name": name,
        "client_software_version": version,
        "connections": connections,
        "ours": False,
        "seen_by": "plugin",
        "reason": reason,
        **more,
    }


def instance(id_: str, reason: str, name: str = "unknown", version: str = "unknown") -> dict[str, Any]:
    return {
        "client_instance_id": id_,
        "client_software_name": name,
        "client_software_version": version,
        "ours": False,
        "seen_by": "plugin",
        "reason": reason,
    }


def test_who_pushes_is_not_silent_and_who_asked_nobody_says_so(collector: CollectorProcess) -> None:
    collector.push(batch([push(1, counter_push(1))]))
    collector.post("/v1/gauges", gauges({JAVA: 3, PYTHON: 2, ("sarama", "1.46.0"): 4}, asking=["instance-1"]))

    assert silent(collector) == [software("sarama", "1.46.0", 4, "TooOld"), software(*PYTHON, 2, "NotAsking")]


@pytest.mark.parametrize(
    ("counted", "reason"),
    [
        pytest.param({}, "SubscribedNotPushing", id="nothing went wrong"),
        pytest.param({"throttled": 3}, "Throttled", id="too early"),
        pytest.param({"throttled": 3, "plugin_errors": 3}, "PluginError", id="a receiver failed"),
    ],
)
def test_an_instance_that_asked_is_named_with_what_its_broker_counts(counted: dict[str, int], reason: str) -> None:
    worst = [{"client_instance_id": "asked", **counted}] if counted else []

    answer = found_in(gauges({JAVA: 3}, asking=["asked"], sensors=sensors(worst)))

    assert shown(answer) == [software(*JAVA, 3, reason), instance("asked", reason, *JAVA)]
    of_software, of_instance = (item.detail for item in answer.items)
    assert "broker 1" in of_instance.lower()
    assert of_software == of_instance


def test_of_two_software_that_may_have_asked_the_detail_says_that_it_is_not_known() -> None:
    worst = [{"client_instance_id": "asked", "throttled": 1}]

    answer = found_in(gauges({JAVA: 3, PYTHON: 2}, asking=["asked"], sensors=sensors(worst)))

    assert shown(answer) == [
        software(*JAVA, 3, "SubscribedNotPushing"),
        software(*PYTHON, 2, "SubscribedNotPushing"),
        instance("asked", "Throttled"),
    ]
    assert "this one may not have asked" in answer.items[1].detail


def test_a_broker_that_can_remember_no_more_instances_is_the_reason() -> None:
    full = sensors(instances=MOST_INSTANCES)

    assert {one.reason for one in found_in(gauges({JAVA: 3}, asking=["asked"], sensors=full)).items} == {
        "InstanceLimit"
    }
    assert shown(found_in(gauges({JAVA: 3}, sensors=full))) == [software(*JAVA, 3, "InstanceLimit")]


@pytest.mark.parametrize(("refused", "reason"), [(1, "SubscribedNotPushing"), (3, "UnknownSubscription")])
def test_a_broker_that_refuses_more_than_a_change_explains_is_the_reason(refused: int, reason: str) -> None:
    before, after = (sensors(unknown_subscription=count) for count in (5, 5 + refused))

    answer = found_in(*(gauges({JAVA: 3}, asking=["asked"], sensors=one) for one in (before, after)))

    assert {one.reason for one in answer.items} == {reason}


def test_who_is_asked_for_nothing_needs_no_other_reason() -> None:
    narrow = BrokerSubscription(id="a", metrics=("*",), match=(("client_software_name", "librdkafka"),))
    empty = BrokerSubscription(id="b", metrics=())

    answer = found_in(gauges({JAVA: 3, ("sarama", "1"): 1}), subscriptions=(narrow, empty))

    assert shown(answer) == [software(*JAVA, 3, "NoSubscriptionMatches"), software("sarama", "1", 1, "TooOld")]


def test_without_brokers_that_show_who_asked_nothing_is_claimed() -> None:
    assert shown(found_in(gauges({JAVA: 3}, warnings=["AskingUnavailable"]))) == [software(*JAVA, 3, "Unknown")]


@pytest.mark.parametrize(
    "ours", [(f"{OUR_CLIENT_ID_PREFIX}collector", "0.1.0"), ("apache-kafka-java", f"3.9.1{OUR_VERSION_SUFFIX}")]
)
def test_our_own_clients_are_shown_only_to_who_asks_for_them(ours: tuple[str, str]) -> None:
    heartbeat = gauges({ours: 3, PYTHON: 2})

    assert shown(found_in(heartbeat)) == [software(*PYTHON, 2, "NotAsking")]
    assert shown(found_in(heartbeat, ours=True))[-1] == software(*ours, 3, "NotAsking", ours=True)


def test_more_than_can_be_listed_are_counted() -> None:
    asking = [f"instance-{number:04}" for number in range(MAX_ITEMS + 5)]

    answer = found_in(gauges({JAVA: 3, PYTHON: 1}, asking=asking))

    assert (len(answer.items), answer.left_out) == (MAX_ITEMS, 7)


def test_an_instance_of_which_nothing_can_be_read_pushes_and_is_malformed(collector: CollectorProcess) -> None:
    collector.push(batch([push(1, b"garbage"), push(2, b"garbage")]))
    collector.post("/v1/gauges", gauges({JAVA: 3}, asking=["instance-1"]))

    [found] = silent(collector)

    assert (found["reason"], found["client_id"], found["client_instance_id"]) == ("Malformed", "orders", "instance-1")
    assert "none of its 2 pushes could be read" in collector.get(PATH).body["items"][0]["detail"]


@pytest.mark.parametrize(
    ("heartbeat", "reasons"),
    [
        pytest.param({}, {JAVA: "notAsking", ("sarama", "1.46.0"): "tooOld"}, id="nobody asked"),
        pytest.param(
            {"asking": ["a"], "sensors": sensors([{"client_instance_id": "a", "throttled": 2}])},
            {JAVA: "throttled", ("sarama", "1.46.0"): "tooOld"},
            id="the broker throttles",
        ),
        pytest.param(
            {"asking": ["a"], "sensors": sensors([{"client_instance_id": "a", "plugin_errors": 2}])},
            {JAVA: "pluginError", ("home-made", "1.0"): "unknown"},
            id="a receiver fails",
        ),
        pytest.param(
            {"asking": ["a"], "sensors": sensors(instances=MOST_INSTANCES)}, {JAVA: "instanceLimit"}, id="it is full"
        ),
        pytest.param({"asking": ["a"]}, {JAVA: "unknown", PYTHON: "unknown"}, id="either may have asked"),
        pytest.param(
            {"asking": [f"a-{number}" for number in range(1_001)]}, {JAVA: "subscribedNotPushing"}, id="too many"
        ),
        pytest.param({"warnings": ["AskingUnavailable"]}, {JAVA: "unknown"}, id="Kafka 3.7"),
    ],
)
def test_a_subscription_says_of_silent_software_what_is_certain(
    heartbeat: dict[str, Any], reasons: dict[tuple[str, str], str]
) -> None:
    clients, brokers = Clients(), Brokers()
    snapshot = GaugeSnapshot.model_validate(gauges(dict.fromkeys(reasons, 1), **heartbeat))
    brokers.record_heartbeat(snapshot, 0)
    part = subscription_report.part(Survey((ASKING_ALL,), found=[Found()]), clients, brokers, CLUSTER)

    state = subscription_report.merge(ASKING_ALL, [part])

    assert {(one.client_software_name, one.client_software_version): one.reason for one in state.silent_software} == (
        reasons
    )


def connection(number: int, client_id: str, **more: Any) -> dict[str, Any]:
    return {
        "connection_id": f"{EPOCH}-{number}",
        "opened_at_ms": EPOCH + number,
        "state": "observed",
        "principal": "User:alice",
        "client_id": client_id,
        "client_software_name": JAVA[0],
        "client_software_version": JAVA[1],
        "client_address": "10.0.0.7",
        **more,
    }


def listing(collector: CollectorProcess) -> threading.Thread:
    """An observer that lists what it has open once somebody asks, as its heartbeat does it every few seconds."""
    connections = [
        connection(1, "silent-orders"),
        connection(2, "silent-orders"),
        connection(3, "orders"),
        connection(4, f"{OUR_CLIENT_ID_PREFIX}job-main-driver"),
    ]

    def beat() -> None:
        time.sleep(1)
        collector.observe(request(open_connections={"connections": connections, "left_out": {}}))

    thread = threading.Thread(target=beat)
    thread.start()
    return thread


def test_an_observer_names_silent_clients_one_by_one_and_ours_among_them(collector: CollectorProcess) -> None:
    collector.observe(request())
    collector.push(batch([push(1, counter_push(1))]))
    collector.post("/v1/gauges", gauges({JAVA: 4, PYTHON: 2}, asking=["instance-1"]))
    beating = listing(collector)

    found = silent(collector)

    beating.join()
    named = software(*JAVA, 2, "NotAsking", seen_by="observer", client_id="silent-orders")
    assert found == [
        {**named, "principal": "User:alice", "client_address": "10.0.0.7"},
        software(*PYTHON, 2, "NotAsking"),
    ]
    ours = silent(collector, "?ours=true")
    assert [item["client_id"] for item in ours if item["ours"]] == [f"{OUR_CLIENT_ID_PREFIX}job-main-driver"]
    assert GATEWAY_SOURCE not in str(ours)


def test_a_client_that_an_observer_sees_is_not_advised_to_be_observed() -> None:
    heartbeat = gauges({JAVA: 3, PYTHON: 2}, asking=["asked"])
    brokers = Brokers()
    brokers.record_heartbeat(GaugeSnapshot.model_validate(heartbeat), 0)
    unknown = dict.fromkeys(("client_instance_id", "principal", "client_address"))
    seen = Observed(client_id="orders", name=JAVA[0], version=JAVA[1], connections=3, **unknown)
    part = silence_part(Clients(), brokers, (), 0, CLUSTER).model_copy(update={"observed": (seen,)})

    observed, counted, _ = silent_clients([part], (ASKING_ALL,), (), ours=False).items

    assert observed.detail.startswith("1 instance asked without a push;")
    assert "observer" not in observed.detail
    assert "put an observer in front of it" in counted.detail


def test_every_replica_has_its_part_and_who_is_away_is_missing(start: Start) -> None:
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    first, second = (start(ordinal=n, port=tens * 10 + n, peers=peers, config={"replicas": 2}) for n in (0, 1))
    first.subscribe([ALL])
    second.subscribe([ALL])
    for number in range(8):
        first.push(batch([push(number + 1, counter_push(1), client=f"instance-{number}")]))
    asking = [f"instance-{number}" for number in range(9)]
    first.post("/v1/gauges", gauges({JAVA: 9, PYTHON: 1}, asking=asking))

    for one in (first, second):
        assert [item.get("client_instance_id") for item in silent(one)] == [None, "instance-8"]
    second.stop()
    assert first.get(PATH).body["missing"] == [1]


def test_only_readers_may_ask(shared: CollectorProcess) -> None:
    assert shared.get(PATH, token=PLUGIN).status == 403


def snapshot(seq: int, unknown: int, epoch: int = 1) -> GaugeSnapshot:
    return GaugeSnapshot(
        source=f"{CLUSTER}/1",
        epoch=epoch,
        seq=seq,
        cluster_id=CLUSTER,
        broker_id="1",
        sent_at_ms=1,
        sensors={"unknown_subscription": unknown},
    )


def test_refusals_are_counted_within_a_quarter_of_an_hour_and_from_nothing_after_a_restart() -> None:
    brokers = Brokers()
    heard: list[Broker] = [brokers.record_heartbeat(snapshot(n, 10 * n), n * 10_000) for n in range(1, 200)]
    assert heard[-1].refused_of_late == 10 * REFUSALS_MS // 10_000
    assert len(heard[-1].refused) <= REFUSALS_MS // 10_000 + 1

    again = brokers.record_heartbeat(snapshot(1, 3, epoch=2), 200 * 10_000)
    assert again.refused_of_late == 0


def test_the_sensors_are_exposed_by_broker_and_absent_where_there_are_none(collector: CollectorProcess) -> None:
    counted = sensors(instances=14_000, throttled=4, unknown_subscription=3, plugin_errors=2)
    collector.post("/v1/gauges", gauges({JAVA: 1}, sensors=counted))
    collector.post("/v1/gauges", gauges({JAVA: 1}, broker="2"))

    names = ("telemetry_throttled_total", "telemetry_unknown_subscription_total", "telemetry_plugin_errors_total")
    for name, value in zip(("client_metrics_instances", *names), (14_000, 4, 3, 2), strict=True):
        assert collector.value(f"kwitness_broker_{name}", cluster_id=CLUSTER, broker_id="1") == value
        assert collector.value(f"kwitness_broker_{name}", broker_id="2") is None
    states = collector.get(f"/v1/clusters/{CLUSTER}").body["brokers"]
    assert [state.get("client_instances") for state in states] == [14_000, None]
