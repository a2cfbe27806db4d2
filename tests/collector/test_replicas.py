"""Checks two replicas of one collector: every client has one owner, and any replica answers for both."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
import requests
import zstandard

from kwitness.collector.sharding import ordinal_of, owner_of
from kwitness.contracts.software import OUR_VERSION_SUFFIX
from kwitness.e2e.certificates import Authority

from tests.collector.collector_process import PLUGIN, REPLICA, Answer, CollectorProcess
from tests.collector.collector_samples import CLUSTER, CREATION_SERIES, batch, counter_push, gauges, push
from tests.collector.replica_pair import CLIENTS, port_pair
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]


def test_each_part_of_a_batch_reaches_its_owner_whoever_received_it(pair: list[CollectorProcess]) -> None:
    pushes = [push(seq, counter_push(2), client=client, client_id=client) for seq, client in enumerate(CLIENTS)]

    answer = pair[0].push(batch(pushes))

    assert answer.body == {"accepted": 40, "duplicates": 0, "rejected": []}
    for ordinal, replica in enumerate(pair):
        shown = {dict(labels)["client_id"] for labels in replica.scrape()[CREATION_SERIES]}
        assert shown == {client for client in CLIENTS if owner_of(client, 2) == ordinal}
        assert 5 < len(shown) < 35


def test_a_retry_to_the_other_replica_is_recognised(pair: list[CollectorProcess]) -> None:
    body = batch([push(seq, counter_push(2), client=client) for seq, client in enumerate(CLIENTS)])
    pair[0].push(body)

    answer = pair[1].push(body)

    assert answer.body == {"accepted": 0, "duplicates": 40, "rejected": []}
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
    assert sum(replica.value(CREATION_SERIES) or 0 for replica in pair) == 80


def test_any_replica_answers_for_all(pair: list[CollectorProcess]) -> None:
    metric = "org.apache.kafka.producer.connection.creation."
    for replica in pair:
        replica.subscribe(
            [{"id": "kwitness.x.ns.one", "metrics": [metric, "org.apache.kafka.consumer."], "interval_ms": 1000}]
        )
    pair[0].push(batch([push(seq, counter_push(2), client=client) for seq, client in enumerate(CLIENTS)]))
    spark = ("apache-kafka-java", f"3.9.1{OUR_VERSION_SUFFIX}")
    connected = {spark: 60, ("apache-kafka-java", "4.3.1"): 9, ("kafka-python", "2.0.2"): 4}
    pair[1].post("/v1/gauges", gauges(connected, asking=["a"]))

    expected = {
        "pages": sorted(CLIENTS),
        "clients": {"asking": 1, "matching": 40, "pushing": 40, "source": "plugin"},
        "unsent": ["org.apache.kafka.consumer."],
        "top": 20,
        "silent": [("kafka-python", "tooOld", False), ("apache-kafka-java", "unknown", True)],
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
        "silent": [(one["client_software_name"], one["reason"], one["ours"]) for one in report["silent_software"]],
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


def test_a_part_for_another_replica_is_refused_and_nothing_of_it_is_known(pair: list[CollectorProcess]) -> None:
    of_other = next(client for client in CLIENTS if owner_of(client, 2) == 1)
    known = {"cluster_id": CLUSTER, "client_instance_id": of_other}
    envelope = batch([{**push(1, counter_push(2), client=of_other), "identity_keys": known}])
    forwarded = {"Kwitness-Forwarded": "1"}

    refused = pair[0].push(envelope, token=REPLICA, headers=forwarded)
    beat = pair[1 - owner_of(CLUSTER, 2)].post("/v1/gauges", gauges({}), token=REPLICA, headers=forwarded)

    for answer in (refused, beat):
        assert (answer.status, answer.body["error"]["reason"]) == (421, "NotOwner")
    assert pair[0].value("kwitness_clients") == 0
