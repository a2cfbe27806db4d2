"""Two replicas of one collector: every client has one owner, and any replica answers for both."""

from __future__ import annotations

import json
import os
import random
import socket
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
import requests
import zstandard

from kwitness.collector.sharding import ordinal_of, owner_of
from kwitness.e2e.certificates import Authority

from tests.collector.collector_process import (
    GATEWAY,
    GATEWAY_SOURCE,
    OTLP,
    PLUGIN,
    REPLICA,
    Answer,
    CollectorProcess,
)
from tests.collector.collector_samples import CLUSTER, CREATION_SERIES, batch, counter_push, gauges, push
from tests.collector.event_samples import connections, request, row, totals
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
CLIENTS = [f"instance-{number}" for number in range(40)]


def port_pair() -> int:
    """Return a port P such that P0 and P1, read as decimal digits, are free: a template finds both by ordinal."""
    for tens in random.sample(range(1_200, 2_000), 200):  # below what `free_port` gives out
        try:
            for ordinal in range(2):
                with socket.socket() as one:
                    one.bind(("127.0.0.1", tens * 10 + ordinal))
        except OSError:
            continue
        return tens
    raise RuntimeError("no two adjacent free ports on 127.0.0.1")


@pytest.fixture
def pair(start: Start) -> list[CollectorProcess]:
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    return [start(ordinal=number, port=tens * 10 + number, config={"replicas": 2}, peers=peers) for number in range(2)]


def test_each_part_of_a_batch_reaches_its_owner_whoever_received_it(pair: list[CollectorProcess]) -> None:
    pushes = [push(seq, counter_push(2), client=client, client_id=client) for seq, client in enumerate(CLIENTS)]

    answer = pair[0].push(batch(pushes))

    assert answer.body == {"accepted": 40, "duplicates": 0, "rejected": []}
    for ordinal, replica in enumerate(pair):
        replica.scrape()
        shown = {dict(labels)["client_id"] for labels in replica.scrape()[CREATION_SERIES]}
        assert shown == {client for client in CLIENTS if owner_of(client, 2) == ordinal}
        assert 5 < len(shown) < 35


def test_a_retry_to_the_other_replica_is_recognised(pair: list[CollectorProcess]) -> None:
    body = batch([push(seq, counter_push(2), client=client) for seq, client in enumerate(CLIENTS)])
    pair[0].push(body)

    answer = pair[1].push(body)

    assert answer.body == {"accepted": 0, "duplicates": 40, "rejected": []}
    for replica in pair:
        replica.scrape()
    assert sum(replica.value(CREATION_SERIES) or 0 for replica in pair) == 80


def test_a_part_too_large_for_one_request_reaches_its_owner_in_several(pair: list[CollectorProcess]) -> None:
    other = [client for client in CLIENTS if owner_of(client, 2) == 1]
    # Just within what the first replica takes; compressed less well by the way, it is more than the second does.
    pushes = [push(seq, os.urandom(1_044_000), client=client) for seq, client in enumerate(other[:8])]

    answer = send_compressed_well(pair[0], batch(pushes))

    assert (answer.status, answer.body) == (200, {"accepted": 8, "duplicates": 0, "rejected": []})
    assert pair[1].value("kwitness_clients") == 8
    requests_taken = pair[1].value("kwitness_ingest_requests_total", path="/v1/pushes", code="200")
    assert requests_taken is not None
    assert requests_taken > 1


def test_a_push_too_large_to_be_handed_over_is_rejected_alone(pair: list[CollectorProcess]) -> None:
    one, other, *_ = (client for client in CLIENTS if owner_of(client, 2) == 1)
    body = batch([push(1, os.urandom(8_352_000), client=one), push(2, counter_push(2), client=other)])

    answers = [send_compressed_well(pair[0], body) for _ in range(2)]

    assert [answer.status for answer in answers] == [200, 200]
    assert [(answer.body["accepted"], answer.body["duplicates"]) for answer in answers] == [(1, 0), (0, 1)]
    for answer in answers:
        [rejected] = answer.body["rejected"]
        assert (rejected["seq"], rejected["reason"]) == (1, "TooLarge")
    ledger = pair[0].get(f"/v1/clusters/{CLUSTER}?local=true").body["ledger"]
    [receive] = [hop for hop in ledger if hop["hop"] == "receive"]
    assert (receive["accepted"], receive["delivered"], receive["queued"]) == (4, 1, 0)
    assert receive["dropped"] == {"rejected": 2, "duplicate": 1}


def send_compressed_well(collector: CollectorProcess, body: object) -> Answer:
    data = zstandard.ZstdCompressor().compress(json.dumps(body).encode())
    return collector.push(data, headers={"Content-Encoding": "zstd"})


def test_a_part_whose_owner_is_away_gives_the_whole_batch_back(pair: list[CollectorProcess]) -> None:
    body = batch([push(seq, counter_push(2), client=client) for seq, client in enumerate(CLIENTS)])
    pair[1].kill()

    away = pair[0].push(body)
    pair[1].start()
    back = pair[0].push(body)

    assert (away.status, away.body["error"]["reason"]) == (503, "PeerUnavailable")
    assert back.status == 200
    assert back.body["accepted"] + back.body["duplicates"] == 40
    for replica in pair:
        replica.scrape()
    assert sum(replica.value(CREATION_SERIES) or 0 for replica in pair) == 80


def test_any_replica_answers_for_all(pair: list[CollectorProcess]) -> None:
    metric = "org.apache.kafka.producer.connection.creation."
    for replica in pair:
        replica.subscribe(
            [{"id": "kwitness.x.ns.one", "metrics": [metric, "org.apache.kafka.consumer."], "interval_ms": 1000}]
        )
    pair[0].push(batch([push(seq, counter_push(2), client=client) for seq, client in enumerate(CLIENTS)]))
    pair[1].post("/v1/gauges", gauges({("apache-kafka-java", "4.3.1"): 9, ("kafka-python", "2.0.2"): 4}, asking=["a"]))

    expected = {
        "pages": sorted(CLIENTS),
        "clients": {"asking": 1, "matching": 40, "pushing": 40, "source": "plugin"},
        "unsent": ["org.apache.kafka.consumer."],
        "top": 20,
        "silent": [("kafka-python", "tooOld")],
        "cluster": (40, ["1"]),
    }
    for replica in pair:
        # A replica that is busy for seconds is left out of an answer.
        assert eventually(lambda replica=replica: inventory(replica), lambda found: found == expected)
    shown = [replica.value("kafka_client_connections", client_software_name="kafka-python") for replica in pair]
    assert shown[owner_of(CLUSTER, 2)] == 4
    assert shown[1 - owner_of(CLUSTER, 2)] is None


def inventory(replica: CollectorProcess) -> dict[str, object]:
    report = replica.get("/v1/subscriptions/kwitness.x.ns.one").body
    cluster = replica.get(f"/v1/clusters/{CLUSTER}").body
    return {
        "pages": pages(replica, 30),
        "clients": report["clients"],
        "unsent": report["unsent_prefixes"],
        "top": len(report["top_clients"]),
        "silent": [(one["client_software_name"], one["reason"]) for one in report["silent_software"]],
        "cluster": (cluster["clients"], [one["broker_id"] for one in cluster["brokers"]]),
    }


def pages(replica: CollectorProcess, size: int) -> list[str]:
    """The ids of all clients, page after page."""
    seen: list[str] = []
    after = ""
    while after is not None:
        page = replica.get(f"/v1/clients?limit={size}&continue={quote(after)}").body
        seen += [one["client_instance_id"] for one in page["items"]]
        after = page.get("continue")
    return seen


def test_a_replica_that_loses_clients_drops_their_series_at_once(pair: list[CollectorProcess]) -> None:
    pair[0].push(batch([push(seq, counter_push(2), client=client) for seq, client in enumerate(CLIENTS)]))
    before = len(pair[0].get("/v1/clients?local=true&limit=1000").body["items"])

    pair[0].write_config(replicas=3)

    def remaining() -> int:
        return len(pair[0].get("/v1/clients?local=true&limit=1000").body["items"])

    expected = sum(owner_of(client, 3) == 0 for client in CLIENTS)
    assert eventually(remaining, lambda now: now == expected) < before


def test_only_replicas_may_forward(pair: list[CollectorProcess]) -> None:
    other = next(client for client in CLIENTS if owner_of(client, 2) == 1)

    pair[0].push(batch([push(1, counter_push(2), client=other)]), headers={"Kwitness-Forwarded": "1"})

    assert pair[0].value("kwitness_clients") == 0
    assert pair[1].value("kwitness_clients") == 1


def test_plain_otlp_reaches_the_owner_too(pair: list[CollectorProcess]) -> None:
    other = next(client for client in CLIENTS if owner_of(f"otlp///{client}", 2) == 1)
    body = {
        "resourceMetrics": [
            {
                "resource": {
                    "attributes": [
                        {"key": "client_instance_id", "value": {"stringValue": other}},
                        {"key": "k8s.pod.name", "value": {"stringValue": "pod-1"}},
                    ]
                },
                "scopeMetrics": [{"metrics": [{"name": "app.x", "gauge": {"dataPoints": [{"asInt": "4"}]}}]}],
            }
        ]
    }

    answer = pair[0].post("/v1/metrics", body, token=OTLP, port=pair[0].otlp_http_port)

    assert (answer.status, answer.body) == (200, {})
    assert pair[1].value("app_x") == 4
    [item] = pair[1].get("/v1/clients?local=true").body["items"]
    assert (item["client_instance_id"], item["k8s_pod"]) == (other, "pod-1")


def test_what_is_left_out_by_the_owner_is_told_to_the_sender(pair: list[CollectorProcess]) -> None:
    other = next(client for client in CLIENTS if owner_of(f"otlp///{client}", 2) == 1)
    attributes = [{"key": "service.instance.id", "value": {"stringValue": other}}]
    metrics = [{"name": "app.x", "summary": {"dataPoints": [{"count": "4"}, {"count": "5"}]}}]
    body = {"resourceMetrics": [{"resource": {"attributes": attributes}, "scopeMetrics": [{"metrics": metrics}]}]}

    answer = pair[0].post("/v1/metrics", body, token=OTLP, port=pair[0].otlp_http_port)

    assert answer.status == 200
    assert answer.body["partialSuccess"]["rejectedDataPoints"] == "2"


def test_deltas_that_were_taken_while_the_owner_of_others_was_away_are_recognised(pair: list[CollectorProcess]) -> None:
    now = time.time_ns()
    sums = {"aggregationTemporality": 1, "isMonotonic": True, "dataPoints": [{"asInt": "2", "timeUnixNano": str(now)}]}
    body = {
        "resourceMetrics": [
            {
                "resource": {"attributes": [{"key": "client_instance_id", "value": {"stringValue": client}}]},
                "scopeMetrics": [{"metrics": [{"name": "app.orders", "sum": sums}]}],
            }
            for client in CLIENTS
        ]
    }
    pair[1].kill()

    began = time.monotonic()
    away = [pair[0].post("/v1/metrics", body, token=OTLP, port=pair[0].otlp_http_port) for _ in range(2)]
    assert [answer.status for answer in away] == [503, 503]
    assert "did not answer just now" in away[1].body["message"]
    assert time.monotonic() - began < 6
    pair[1].start()
    eventually(
        lambda: pair[0].post("/v1/metrics", body, token=OTLP, port=pair[0].otlp_http_port).status,
        lambda status: status == 200,
    )
    pair[0].kill()
    pair[0].start()
    again = pair[0].post("/v1/metrics", body, token=OTLP, port=pair[0].otlp_http_port)

    assert (again.status, again.body) == (200, {})
    for replica in pair:
        replica.scrape()
    assert sum(sum(replica.scrape()["app_orders_total"].values()) for replica in pair) == 80


def test_clients_of_plain_otlp_without_an_instance_id_stay_with_their_owner(pair: list[CollectorProcess]) -> None:
    for number in range(10):
        resource = {"attributes": [{"key": "client_id", "value": {"stringValue": f"app-{number}"}}]}
        metrics = [{"name": "app.x", "gauge": {"dataPoints": [{"asInt": "4"}]}}]
        body = {"resourceMetrics": [{"resource": resource, "scopeMetrics": [{"metrics": metrics}]}]}
        assert pair[0].post("/v1/metrics", body, token=OTLP, port=pair[0].otlp_http_port).status == 200
    before = [replica.value("kwitness_clients") for replica in pair]
    assert sum(count or 0 for count in before) == 10

    for replica in pair:
        replica.stop()
        replica.start()

    assert [replica.value("kwitness_clients") for replica in pair] == before


def test_pages_hold_every_client_once_whatever_characters_its_id_has(pair: list[CollectorProcess]) -> None:
    names = [f"{number}{odd}" for number in range(10) for odd in ("#", "%23", "&a=b", "+", " ", "/ü")]
    pair[0].push(batch([push(seq, counter_push(2), client=name) for seq, name in enumerate(names)]))

    assert eventually(lambda: pages(pair[0], 7), lambda seen: seen == sorted(names))


@pytest.mark.parametrize("replicas", range(1, 8))
def test_ownership_moves_few_clients_when_a_replica_is_added(replicas: int) -> None:
    keys = [f"key-{number}" for number in range(2_000)]

    moved = sum(owner_of(key, replicas) != owner_of(key, replicas + 1) for key in keys)

    assert moved == sum(owner_of(key, replicas + 1) == replicas for key in keys)
    assert moved < 2_000 / (replicas + 1) * 1.3


def test_ordinals_are_read_from_pod_names() -> None:
    names = ("kwitness-collector-main-11", "ip-10-0-0-7", "kwitness-collector-other-3", "laptop", "")
    assert [ordinal_of(name, "kwitness-collector-main") for name in names] == [11, 0, 0, 0, 0]


def test_replicas_trust_each_other_by_the_authority_of_the_resource(start: Start, tmp_path: Path) -> None:
    authority = Authority("test")
    issued = authority.issue("collector", ["localhost"])
    for name, text in (("tls.crt", issued.certificate), ("tls.key", issued.key), ("ca.crt", authority.certificate)):
        (tmp_path / name).write_text(text)
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{PLUGIN} plugin {CLUSTER}\n{REPLICA} collector {CLUSTER}\n")
    ingest = {"tls_cert_file": "tls.crt", "tls_key_file": "tls.key", "ca_file": "ca.crt", "tokens_file": "tokens"}
    config = {"replicas": 2, "ingest": {key: str(tmp_path / name) for key, name in ingest.items()}}
    tens = port_pair()
    peers = f"https://localhost:{tens}{{ordinal}}"
    pair = [start(ordinal=number, port=tens * 10 + number, config=config, peers=peers) for number in range(2)]
    body = batch([push(seq, counter_push(2), client=client) for seq, client in enumerate(CLIENTS)])

    with requests.Session() as session:
        session.trust_env, session.verify = False, str(tmp_path / "ca.crt")
        url, headers = f"https://localhost:{pair[0].port}/v1/pushes", {"Authorization": f"Bearer {PLUGIN}"}
        assert session.post(url, json=body, headers=headers, timeout=20).json()["accepted"] == 40
        # A certificate of somebody else's is not talked to.
        (tmp_path / "ca.crt").write_text(Authority("other").certificate)
        time.sleep(1.5)
        answer = session.post(url, json={**body, "epoch": 2}, headers=headers, timeout=20)

    assert answer.status_code == 503
    assert [replica.value("kwitness_clients") for replica in pair] == [
        sum(owner_of(client, 2) == ordinal for client in CLIENTS) for ordinal in range(2)
    ]


def source_of(ordinal: int) -> str:
    """Return a pod that the replica owns."""
    return next(pod for number in range(100) if owner_of(pod := f"shop/app-{number}", 2) == ordinal)


def test_an_observers_request_reaches_the_owner_of_its_source_whoever_received_it(
    pair: list[CollectorProcess],
) -> None:
    for replica in pair:
        with replica.tokens.open("a") as file:
            file.writelines(f"observer-{own} observer {CLUSTER} pod {source_of(own)}\n" for own in range(2))
        eventually(
            lambda replica=replica: replica.observe(b"", token="observer-0").status,  # type: ignore[misc]
            lambda status: status != 401,
        )
    body = {
        own: request([row(1)], totals=[totals(2)], source=source_of(own), reported_by="pod", connections=connections(1))
        for own in range(2)
    }

    answers = [pair[0].observe(body[own], token=f"observer-{own}", compress=True) for own in range(2)]
    again = [pair[1].observe(body[own], token=f"observer-{own}") for own in range(2)]

    assert [(one.status, one.body["accepted"], one.body["replica"]) for one in answers] == [
        (200, "1-2", 0),
        (200, "1-2", 1),
    ]
    assert [one.body["duplicates"] for one in again] == ["1-2", "1-2"]
    for own, replica in enumerate(pair):
        replica.scrape()
        assert replica.value("kafka_client_records_total") == 10
        assert replica.value("kwitness_observer_heartbeat_seconds", pod=source_of(own).partition("/")[2]) is not None
    for replica in pair:
        cluster = replica.get(f"/v1/clusters/{CLUSTER}").body
        assert {one["pod"] for one in cluster["observers"]} == {source_of(own).partition("/")[2] for own in range(2)}
        assert [one["connections"] for one in cluster["software"]] == [2]


def test_what_the_owner_refuses_is_refused_by_the_replica_that_passed_it_on(pair: list[CollectorProcess]) -> None:
    other = 1 - owner_of(GATEWAY_SOURCE, 2)

    answer = pair[other].observe(request(source="shop/another"))

    assert (answer.status, answer.body["error"]["reason"]) == (403, "WrongSource")


def test_a_replica_that_is_not_the_owner_says_so_where_the_sender_takes_it_for_the_owner(
    pair: list[CollectorProcess],
) -> None:
    other = 1 - owner_of(GATEWAY_SOURCE, 2)
    passed_on = {
        "Kwitness-Forwarded": "1",
        "Kwitness-Pod": GATEWAY_SOURCE,
        "Kwitness-Cluster": CLUSTER,
        "Kwitness-Reported-By": "gateway",
    }

    for token, headers in ((GATEWAY, {"Kwitness-Owner": str(other)}), (REPLICA, passed_on)):
        answer = pair[other].observe(request(totals=[totals(1)]), token=token, headers=headers)
        assert (answer.status, answer.body["error"]["reason"]) == (421, "NotTheOwner")

    assert pair[1 - other].observe(request(totals=[totals(1)])).body["accepted"] == "1"


def test_while_the_owner_is_away_an_observer_is_told_to_wait(pair: list[CollectorProcess]) -> None:
    owner = owner_of(GATEWAY_SOURCE, 2)
    pair[owner].kill()

    answer = pair[1 - owner].observe(request(totals=[totals(1)]))

    assert (answer.status, answer.body["error"]["reason"]) == (503, "PeerUnavailable")
    assert int(answer.headers["Retry-After"]) > 0
