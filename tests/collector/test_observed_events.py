"""The observers' door: what is taken, what counts once, who may send, and what a hostile body can do."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kwitness.collector.inventory.observers import FORGET_AFTER_MS, Observers, Uncertain
from kwitness.collector.origin import believed
from kwitness.contracts.envelopes import EventsHead, WorkloadName

from tests.collector.collector_process import GATEWAY_SOURCE, PLUGIN, SIDECAR, SIDECAR_SOURCE, CollectorProcess
from tests.collector.collector_samples import CLUSTER, gauges
from tests.collector.event_samples import COUNTS, EPOCH, connections, head, of_sidecar, request, row, totals

Start = Callable[..., CollectorProcess]
EXAMPLE = Path(__file__).resolve().parents[2] / "contracts/vectors/events_request.ndjson"
RECORDS = "kafka_client_records_total"
OTHER_NAMESPACES = {"other_namespaces": {"from_namespaces": ["shop"], "to_namespaces": ["stranger"]}}


def ledger(collector: CollectorProcess) -> dict[str, dict[str, Any]]:
    """The hops, each of which closes."""
    hops = {hop["hop"]: hop for hop in collector.get(f"/v1/clusters/{CLUSTER}?local=true").body["ledger"]}
    for hop in hops.values():
        assert hop["accepted"] == hop["delivered"] + hop["queued"] + sum(hop["dropped"].values()), hop
    return hops


def test_the_example_of_the_contract_is_taken_number_by_number(start: Start) -> None:
    collector = start()
    first, _, rows = EXAMPLE.read_bytes().partition(b"\n")
    body = json.dumps({**json.loads(first), "cluster_id": CLUSTER}).encode() + b"\n" + rows

    answer = collector.observe(body, compress=True)

    assert answer.status == 200
    assert answer.body == {
        "protocol": 2,
        "collector": "kwitness/main",
        "replica": 0,
        "accepted": "1-12",
        "duplicates": "",
        "later": "",
        "rejected": [],
        "retry_after_ms": 0,
        "directives": {},
        "wants_connections": False,
    }
    assert collector.value(RECORDS, client_id="orders", topic="orders", api="Produce", principal="User:alice") == 30
    assert collector.value("kafka_client_api_requests_total", api="Metadata") == 1
    assert collector.value("kafka_client_connections", source="observer", listener="GATEWAY") == 1
    [observer] = collector.get(f"/v1/clusters/{CLUSTER}").body["observers"]
    assert (observer["namespace"], observer["name"], observer["pod"]) == ("shop", "front", "kwitness-gateway-front-0")
    assert (observer["settings"], observer["connections"], observer["reported_by"]) == (
        "0123456789abcdef",
        1,
        "gateway",
    )


def test_totals_become_counters_and_times_a_histogram(start: Start) -> None:
    collector = start()
    first, second = totals(1, 10), totals(2, 5)
    first["traffic"][0]["batches"] = {"none": 2, "zstd": 1}
    second["traffic"][0]["batches"] = {"zstd": 4}
    collector.observe(request(totals=[first, second]))

    samples = collector.scrape()

    values = {name: sum(samples[name].values()) for name in samples if name.startswith("kafka_client_")}
    assert values["kafka_client_requests_total"] == 6
    assert values[RECORDS] == 15
    assert values["kafka_client_record_bytes_total"] == 1_500
    assert collector.value("kafka_client_record_batches_total", compression="none") == 2
    assert collector.value("kafka_client_record_batches_total", compression="zstd") == 5
    assert values["kafka_client_errors_total"] == 2
    assert values["kafka_client_api_requests_total"] == 6
    assert values["kafka_client_request_bytes_total"] == 10_000
    assert values["kafka_client_response_bytes_total"] == 600
    assert values["kafka_client_throttled_responses_total"] == 4
    assert values["kafka_client_throttle_seconds_total"] == pytest.approx(2.5)
    assert values["kafka_client_api_errors_total"] == 2
    assert collector.value("kafka_client_errors_total", error="6") == 2
    times = {
        dict(labels)["le"]: count for labels, count in samples["kafka_client_response_time_seconds_bucket"].items()
    }
    assert (times["0.001"], times["0.0025"], times["30.0"], times["+Inf"]) == (2, 6, 6, 6)
    assert values["kafka_client_response_time_seconds_sum"] == pytest.approx(0.006)


def test_a_request_that_comes_again_counts_once(start: Start) -> None:
    collector = start()
    body = request([row(1), row(2)], totals=[totals(3, 10)])
    collector.observe(body)

    answer = collector.observe(body)

    assert (answer.body["accepted"], answer.body["duplicates"]) == ("", "1-3")
    assert collector.value(RECORDS) == 10
    hop = ledger(collector)["events"]
    assert (hop["accepted"], hop["delivered"], hop["dropped"]) == (6, 3, {"duplicate": 3})


def test_what_is_settled_never_counts_again_and_what_is_far_ahead_comes_later(start: Start) -> None:
    collector = start()

    answer = collector.observe(request(settled=10, totals=[totals(9), totals(10), totals(10 + 65_536)]))

    assert (answer.body["duplicates"], answer.body["accepted"], answer.body["later"]) == ("9", "10", "65546")
    assert collector.value(RECORDS) == 10


def test_while_the_topic_is_away_rows_come_later_and_prometheus_is_current(start: Start) -> None:
    collector = start(bootstrap="127.0.0.1:9")
    body = request([row(1), row(2, "connections")], totals=[totals(3, 10)])

    first, again = collector.observe(body), collector.observe(body)

    assert (first.status, first.body["accepted"], first.body["later"]) == (200, "3", "1-2")
    assert first.body["retry_after_ms"] > 0
    assert (again.body["duplicates"], again.body["later"]) == ("3", "1-2")
    assert collector.value(RECORDS) == 10
    hops = ledger(collector)
    assert hops["events"]["dropped"] == {"returned": 4, "duplicate": 1}
    assert hops["events_topic"]["dropped"] == {"returned": 4}


def test_a_row_that_can_never_be_written_is_rejected_alone(start: Start) -> None:
    collector = start()
    array = ({"seq": 2, "topic": "traffic", "bytes": 6}, b"[1, 2]")
    latin = ({"seq": 4, "topic": "seals", "bytes": 9}, b'{"a":"\xe9"}')
    unknown = row(3, "interceptions")
    times = {"seq": 6, "times": [{"api": "Fetch", "counts": [1] * (COUNTS - 1)}]}

    placed = row(7, k8s_namespace="shop")  # a gateway's clients may be anywhere

    answer = collector.observe(request([row(1), array, unknown, latin, row(5), placed], totals=[times]))

    assert answer.status == 200
    assert answer.body["accepted"] == "1,5"
    assert [(one["seq"], one["reason"]) for one in answer.body["rejected"]] == [
        (2, "MalformedRow"),
        (3, "UnknownTopic"),
        (4, "MalformedRow"),
        (6, "UnknownBounds"),
        (7, "WrongPlace"),
    ]
    assert ledger(collector)["events"]["dropped"] == {"rejected": 5}


def test_connections_are_added_up_over_observers_and_gone_at_zero(start: Start) -> None:
    collector = start()
    sidecar: dict[str, Any] = {"source": SIDECAR_SOURCE, "reported_by": "pod"}
    collector.post("/v1/gauges", gauges({("apache-kafka-java", "4.3.1"): 4}))
    collector.observe(request(connections=connections(2)))
    collector.observe(request(connections=connections(3), **sidecar), token=SIDECAR)

    assert collector.value("kafka_client_connections", source="observer") == 5
    cluster = collector.get(f"/v1/clusters/{CLUSTER}").body
    assert [one["pod"] for one in cluster["observers"]] == ["kwitness-gateway-front-0", "app-1"]
    assert [one["connections"] for one in cluster["software"]] == [5]

    collector.observe(request(connections=connections(0)))
    collector.observe(request(**sidecar), token=SIDECAR)

    assert collector.value("kafka_client_connections", source="observer") is None
    assert collector.get(f"/v1/clusters/{CLUSTER}").body["software"][0]["connections"] == 4


def test_a_heartbeat_that_arrives_late_does_not_bring_old_connections_back(start: Start) -> None:
    collector = start()
    late = request(connections=connections(7))
    collector.observe(request(connections=connections(2)))

    collector.observe(late)

    assert collector.value("kafka_client_connections", source="observer") == 2


def test_an_observers_own_ledger_is_exposed(start: Start) -> None:
    collector = start()
    state = {
        "by_state": {"observed": 3, "opaque": 1},
        "ledger": {"accepted": 9, "delivered": 4, "queued": 3, "dropped": {"queue_full": 2}},
    }

    collector.observe(request(state=state))

    pod = {"namespace": "shop", "name": "front", "pod": "kwitness-gateway-front-0"}
    assert collector.value("kwitness_observer_connections", state="observed", **pod) == 3
    assert collector.value("kwitness_observer_queued_events", **pod) == 3
    assert collector.value("kwitness_observer_events_total", outcome="dropped", reason="queue_full") == 2
    [observer] = collector.get(f"/v1/clusters/{CLUSTER}").body["observers"]
    assert observer["ledger"] == state["ledger"]
    assert observer["connections"] == 4


def test_what_a_sidecar_saw_carries_its_namespace_workload_and_pod(start: Start) -> None:
    collector = start()
    collector.observe(request(totals=[totals(1, 10)], **of_sidecar("app")), token=SIDECAR)
    collector.observe(request(totals=[totals(1, 5)]))

    place = {"k8s_namespace": "stranger", "k8s_workload": "app", "k8s_pod": "app-1"}
    assert collector.value(RECORDS, **place) == 10
    assert collector.value(RECORDS) == 15
    assert collector.value("kwitness_observer_workloads_refused_total") == 0
    states = {one["pod"]: one for one in collector.get(f"/v1/clusters/{CLUSTER}").body["observers"]}
    assert states["app-1"]["workload"] == "app"


def test_a_sidecar_may_belong_to_a_resource_of_another_namespace(start: Start) -> None:
    collector = start(ingest=OTHER_NAMESPACES)
    elsewhere = {"namespace": "shop", "name": "beside", "mode": "sidecar"}

    answer = collector.observe(request(**{**of_sidecar(), "observer": elsewhere}), token=SIDECAR)

    assert answer.status == 200
    [observer] = collector.get(f"/v1/clusters/{CLUSTER}").body["observers"]
    assert (observer["namespace"], observer["pod_namespace"]) == ("shop", "stranger")


def test_a_workload_that_the_pods_name_does_not_bear_out_is_left_out_and_counted(start: Start) -> None:
    collector = start()
    for seq in (1, 2):
        collector.observe(request(totals=[totals(seq, 10)], **of_sidecar("ap")), token=SIDECAR)

    samples = collector.scrape()

    [labels] = samples[RECORDS]
    assert "k8s_workload" not in dict(labels)
    assert dict(labels)["k8s_pod"] == "app-1"
    assert collector.value("kwitness_observer_workloads_refused_total") == 1
    assert "An observer names a workload that its pod's name does not begin with" in collector.log.read_text()


@pytest.mark.parametrize(
    ("workload", "pod", "name"),
    [
        ("orders", "orders-7d9f-x2", "orders"),
        ("orders", "orders", "orders"),
        ("orders", "orders2-7d9f-x2", None),
        ("orders-7d9f-x2-more", "orders-7d9f-x2", None),
    ],
)
def test_a_pod_bears_out_a_workload_whose_name_its_own_begins_with(workload: str, pod: str, name: str | None) -> None:
    assert believed(WorkloadName(kind="Deployment", name=workload), pod) == name


def test_until_when_an_observer_relays_only_is_told_while_it_does(start: Start) -> None:
    collector = start()
    until, beside = EPOCH + 600_000, {"namespace": "stranger", "name": "beside", "pod": "app-1"}
    collector.observe(request(state={"relay_only_until_ms": until}, **of_sidecar()), token=SIDECAR)

    assert collector.value("kwitness_observer_relay_only_until_seconds", **beside) == until / 1000
    [observer] = collector.get(f"/v1/clusters/{CLUSTER}").body["observers"]
    assert observer["relay_only_until_ms"] == until

    collector.observe(request(**of_sidecar()), token=SIDECAR)
    assert collector.value("kwitness_observer_relay_only_until_seconds") is None


def test_what_an_observer_saw_and_had_not_sealed_when_it_was_killed_is_uncertain(start: Start) -> None:
    collector = start()
    front = {"namespace": "shop", "name": "front"}
    collector.observe(request(state={"sealed_until_ms": EPOCH + 20_000}))
    assert collector.value("kwitness_observer_uncertain_ends_total", **front) is None

    collector.observe(request(epoch=EPOCH + 25_000, state={"sealed_until_ms": EPOCH + 30_000, "ended": True}))
    assert collector.value("kwitness_observer_heartbeat_seconds", **front) is None, "its silence is no news"
    collector.observe(request(epoch=EPOCH + 40_000))
    assert collector.value("kwitness_observer_heartbeat_seconds", **front) is not None

    # The second had said that it ends.
    assert collector.value("kwitness_observer_uncertain_ends_total", **front) == 1
    assert collector.value("kwitness_observer_uncertain_seconds_total", **front) == 5


def test_what_an_observer_saw_that_is_not_heard_of_any_more_is_uncertain_until_it_is_given_up() -> None:
    observers = Observers()
    observers.record(EventsHead.model_validate(head(state={"sealed_until_ms": EPOCH + 1_000})), EPOCH + 2_000)
    given_up = EPOCH + 2_000 + FORGET_AFTER_MS + 1

    observers.expire(given_up - 1)
    assert observers.uncertain == {}
    observers.expire(given_up)

    assert observers.uncertain == {(CLUSTER, "shop", "front"): Uncertain(1, given_up - EPOCH - 1_000)}


@pytest.mark.parametrize(
    ("token", "changes", "reason"),
    [
        (PLUGIN, {}, "WrongSource"),
        (SIDECAR, {}, "WrongSource"),
        (SIDECAR, {"source": "stranger/app-2", "reported_by": "pod"}, "WrongSource"),
        (SIDECAR, {"source": SIDECAR_SOURCE, "reported_by": "gateway"}, "WrongReporter"),
        (
            SIDECAR,
            {
                "source": SIDECAR_SOURCE,
                "reported_by": "pod",
                "observer": {"namespace": "shop", "name": "front", "mode": "gateway"},
            },
            "WrongNamespace",
        ),
        ("gateway-token", {"cluster_id": "elsewhere"}, "WrongCluster"),
    ],
)
def test_nobody_speaks_for_another_pod(
    shared: CollectorProcess, token: str, changes: dict[str, Any], reason: str
) -> None:
    answer = shared.observe(request(**changes), token=token)

    assert (answer.status, answer.body["error"]["reason"]) == (403, reason)


def deep(levels: int) -> bytes:
    first = json.dumps(head())[:-1].encode()
    return first + b', "newer": ' + b"[" * levels + b"]" * levels + b"}\n"


LINE = row(1)[1]
HOSTILE: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 422, "MalformedHead"),
    "half a head": (request()[:40], 422, "MalformedHead"),
    "no object": (b"[]\n", 422, "MalformedHead"),
    "deep nesting": (deep(200_000), 422, "MalformedHead"),
    "rows declared and none sent": (json.dumps(head(rows=[row(1)[0]])).encode(), 422, "WrongLength"),
    "half a line": (request([row(1)])[:-5], 422, "WrongLength"),
    "a line too many": (request([row(1)]) + LINE + b"\n", 422, "WrongLength"),
    "a line shorter than it says": (
        request([({**row(1)[0], "bytes": len(LINE) + 1}, LINE), row(2)]),
        422,
        "WrongLength",
    ),
    "a line longer than it says": (request([({**row(1)[0], "bytes": len(LINE) - 1}, LINE)]), 422, "WrongLength"),
    "a line feed in a row": (request([({**row(1)[0], "bytes": 5}, b"{\n  }")]), 422, "WrongLength"),
    "a number twice": (request([row(1), row(1)]), 422, "NumberTwice"),
    "a number of a row and of totals": (request([row(1)], totals=[totals(1)]), 422, "NumberTwice"),
    "too many rows": (request(row(number) for number in range(4_097)), 422, "MalformedHead"),
    "negative totals": (request(totals=[totals(1, -1)]), 422, "MalformedHead"),
    "too large": (request() + b" " * 2 * 1024 * 1024, 413, "TooLarge"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_body_is_refused_and_nothing_of_it_is_taken(shared: CollectorProcess, name: str) -> None:
    body, status, reason = HOSTILE[name]

    answer = shared.observe(body)

    assert (answer.status, answer.body["error"]["reason"]) == (status, reason), answer.body
    assert ledger(shared)["events"]["accepted"] == 0


def test_a_million_rows_declared_and_a_gzip_bomb_cost_no_memory(shared: CollectorProcess) -> None:
    before = shared.resident_bytes()
    rows = b",".join([b'{"seq":1,"topic":"traffic","bytes":2}'] * 1_000_000)
    declared = json.dumps(head())[:-1].encode() + b', "rows": [' + rows + b"]}\n"

    for body in (declared, bytes(1024 * 1024 * 1024)):
        answer = shared.observe(gzip.compress(body), headers={"Content-Encoding": "gzip"})
        assert (answer.status, answer.body["error"]["reason"]) == (413, "TooLarge")

    assert shared.resident_bytes() - before < 32 * 1024 * 1024


@pytest.mark.parametrize(
    ("headers", "status", "reason"),
    [
        ({"Content-Type": "application/json"}, 415, "UnknownContentType"),
        ({"Content-Encoding": "br"}, 415, "UnknownEncoding"),
        ({"Content-Encoding": "gzip"}, 400, "CorruptBody"),
        ({"Kwitness-Protocol": "1"}, 426, "OldProtocol"),
        ({"Kwitness-Protocol": "two"}, 426, "OldProtocol"),
        ({"Kwitness-Protocol": "2"}, 200, None),
        ({"Kwitness-Protocol": "3"}, 200, None),
    ],
)
def test_what_the_body_is_must_be_said(
    shared: CollectorProcess, headers: dict[str, str], status: int, reason: str | None
) -> None:
    answer = shared.observe(request(), headers=headers)

    assert answer.status == status
    assert answer.body.get("error", {}).get("reason") == reason


def test_a_collector_sends_no_events_of_its_own(shared: CollectorProcess) -> None:
    answer = shared.observe(request(), token="replica-token")

    assert (answer.status, answer.body["error"]["reason"]) == (403, "WrongSource")
    assert GATEWAY_SOURCE not in answer.body["error"]["message"]
