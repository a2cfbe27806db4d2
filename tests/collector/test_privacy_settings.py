"""A collector whose filter, treatment of identities or key change, are missing, or meet a restart."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2_grpc import MetricsServiceStub

from kwitness.contracts.identity_hashing import identity_hash

from tests.collector.collector_process import OTLP, CollectorProcess
from tests.collector.collector_samples import CLUSTER, CREATION_SERIES, batch, counter_push, gauge_push, gauges, push
from tests.collector.otlp_requests import PROTOBUF, request
from tests.collector.replica_pair import CLIENTS, port_pair
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
KEY = "a key of thirty-two bytes or so."


def hashing(folder: Path, *, key: str | None = KEY, **identity: str) -> dict[str, Any]:
    """Return the configuration of a collector that treats identities."""
    if key is not None:
        (folder / "key").write_text(key)
    return {"identity": identity, "identity_key_file": str(folder / "key")}


def items(collector: CollectorProcess) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = collector.get("/v1/clients").body["items"]
    return found


def on_disk(collector: CollectorProcess) -> bytes:
    state = collector.folder / f"state-{collector.ordinal}"
    return b"".join(
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in state.iterdir()
    )


def cluster(collector: CollectorProcess) -> dict[str, Any]:
    found: dict[str, Any] = collector.get(f"/v1/clusters/{CLUSTER}").body
    return found


@pytest.mark.parametrize("key", [None, "too short", "\n" * 40])
def test_without_a_key_nothing_is_taken_and_senders_are_asked_to_wait(
    start: Start, tmp_path: Path, key: str | None
) -> None:
    collector = start(config=hashing(tmp_path, key=key, client_id="hash"))

    answer = collector.push(batch([push(1, counter_push(5))]))
    plain = request("app.x", 1)
    by_http = collector.post(
        "/v1/metrics", plain.SerializeToString(), token=OTLP, headers=PROTOBUF, port=collector.otlp_http_port
    )

    assert (answer.status, answer.body["error"]["reason"]) == (503, "SecretNotFound")
    assert "kwitness-identity-key" in answer.body["error"]["message"]
    assert int(answer.headers["Retry-After"]) > 0
    assert by_http.status == 503
    signed = [("authorization", f"Bearer {OTLP}")]
    with (
        grpc.insecure_channel(f"127.0.0.1:{collector.otlp_grpc_port}") as channel,
        pytest.raises(grpc.RpcError) as raised,
    ):
        MetricsServiceStub(channel).Export(plain, metadata=signed, timeout=30)
    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE
    assert items(collector) == []
    # Brokers are known all the same, and how many ask.
    heartbeat = gauges({("librdkafka", "2.16.0"): 1}, asking=["one", "two"])
    assert collector.post("/v1/gauges", heartbeat).status == 200
    assert cluster(collector)["refusing"] == "SecretNotFound"

    (tmp_path / "key").write_text(KEY)

    eventually(lambda: collector.push(batch([push(1, counter_push(5))])).status, lambda status: status == 200)
    assert "refusing" not in cluster(collector)
    [item] = items(collector)
    assert item["client_id"] == identity_hash(KEY.encode(), "client_id", "orders")


def test_what_was_taken_before_a_setting_is_forgotten_at_once_and_on_the_disk(start: Start, tmp_path: Path) -> None:
    collector = start()
    collector.push(batch([push(1, counter_push(5), principal="User:canary", client_id="canary")]))
    assert b"canary" in on_disk(collector)

    collector.write_config(**hashing(tmp_path, principal="drop", client_id="hash"))

    eventually(lambda: items(collector), lambda now: now == [])
    assert "canary" not in collector.scrape_text()
    assert b"canary" not in on_disk(collector)
    # A push that was taken is not taken again, and the next one is treated.
    again = [push(1, counter_push(5), client_id="canary"), push(2, counter_push(7), client_id="canary")]
    answer = collector.push(batch(again))
    assert (answer.body["accepted"], answer.body["duplicates"]) == (1, 1)
    [item] = items(collector)
    assert item["client_id"] == identity_hash(KEY.encode(), "client_id", "canary")
    assert "principal" not in item
    assert item["filtered"] is True
    assert b"canary" not in on_disk(collector)


def test_a_setting_that_came_while_it_was_down_leaves_nothing_of_before(start: Start, tmp_path: Path) -> None:
    collector = start()
    collector.push(batch([push(1, counter_push(5), client_id="canary")]))
    collector.kill()
    collector.write_config(**hashing(tmp_path, client_id="hash"))

    collector.start()

    assert items(collector) == []
    assert "canary" not in collector.scrape_text()
    assert b"canary" not in on_disk(collector)
    assert collector.push(batch([push(1, counter_push(5), client_id="canary")])).body["duplicates"] == 1


def test_state_goes_on_after_a_restart_with_the_same_settings(start: Start, tmp_path: Path) -> None:
    treated = hashing(tmp_path, client_id="hash", client_instance_id="drop")
    collector = start(config={**treated, "prometheus": {"labels": ["cluster_id", "client_id"]}})
    collector.subscribe(
        [
            {"id": "by-id", "metrics": ["*"], "match": {"client_id": "ord.*"}},
            {"id": "by-software", "metrics": ["*"], "match": {"client_software_name": "apache.*"}},
        ]
    )
    collector.push(batch([push(1, counter_push(5), client="a"), push(2, counter_push(6), client="b")]))
    before = items(collector)
    assert [one["subscriptions"] for one in before] == [["by-id", "by-software"]] * 2
    assert all("client_instance_id" not in one for one in before)
    assert collector.get("/v1/subscriptions/by-id").body["clients"]["matching"] == 2

    for end in (collector.kill, collector.stop):
        end()
        collector.start()

        # What was its id is not known any more, so nobody can say whether that matches.
        assert [one["subscriptions"] for one in items(collector)] == [["by-software"]] * 2
        assert [one["subscriptions_unknown"] for one in items(collector)] == [True, True]
        by_id = collector.get("/v1/subscriptions/by-id").body
        assert "matching" not in by_id["clients"]
        assert by_id["unsent_prefixes"] == []
        assert collector.get("/v1/subscriptions/by-software").body["clients"]["matching"] == 2
        hashed = identity_hash(KEY.encode(), "client_id", "orders")
        assert collector.value(CREATION_SERIES, client_id=hashed) == 11

    collector.push(batch([push(3, counter_push(1), client="a"), push(4, counter_push(1), client="b")]))
    assert [one["subscriptions"] for one in items(collector)] == [["by-id", "by-software"]] * 2
    assert collector.get("/v1/subscriptions/by-id").body["clients"]["matching"] == 2
    assert collector.value(CREATION_SERIES) == 13


def test_another_key_begins_again(start: Start, tmp_path: Path) -> None:
    collector = start(config=hashing(tmp_path, client_id="hash"))
    collector.push(batch([push(1, counter_push(5))]))
    old = identity_hash(KEY.encode(), "client_id", "orders")
    assert [one["client_id"] for one in items(collector)] == [old]

    (tmp_path / "key").write_text("another key of thirty-two bytes.\n")

    eventually(lambda: items(collector), lambda now: now == [])
    collector.push(batch([push(2, counter_push(5))]))
    [item] = items(collector)
    assert item["client_id"] == identity_hash(b"another key of thirty-two bytes.", "client_id", "orders")
    assert old.encode() not in on_disk(collector)


def test_points_that_were_left_out_are_counted_and_what_cannot_be_read_is_not_passed_on(start: Start) -> None:
    collector = start(
        config={
            "filter": {"deny": ["org.apache.kafka.secret."], "drop_attributes": ["topic"]},
            "forward": [{"name": "vendor", "endpoint": "http://127.0.0.1:1/v1/metrics"}],
        }
    )
    secret = gauge_push("org.apache.kafka.secret.thing", 1.0)
    broken = b"\x0a\xffbroken-canary"

    answer = collector.push(
        batch([push(1, counter_push(5)), push(2, secret), push(3, broken, client="odd"), push(4, b"", client="empty")])
    )

    assert answer.body == {"accepted": 4, "duplicates": 0, "rejected": []}
    assert collector.value(CREATION_SERIES) == 5
    assert collector.value("kwitness_filtered_points_total") == 1
    assert collector.value("kwitness_parser_errors_total", reason="malformed_payload") == 1
    hops = {one["hop"]: one for one in cluster(collector)["ledger"]}
    assert hops["prometheus"]["dropped"] == {"malformed": 1}
    assert hops["forward:vendor"]["dropped"] == {"malformed": 1}
    assert hops["receive"]["dropped"] == {}
    # Who sends what cannot be read is known.
    assert {one["client_instance_id"] for one in items(collector)} == {"instance-1", "odd", "empty"}
    assert b"broken-canary" not in on_disk(collector)


def test_a_filter_that_goes_lets_all_pass_again(start: Start) -> None:
    collector = start(config={"filter": {"allow": ["nobody.knows."]}})
    collector.push(batch([push(1, counter_push(5))]))
    assert [(one["metrics"], one["filtered"]) for one in items(collector)] == [([], True)]

    collector.write_config(filter=None)

    eventually(lambda: items(collector), lambda now: now == [])
    collector.push(batch([push(2, counter_push(5))]))
    [item] = items(collector)
    assert len(item["metrics"]) == 1
    assert "filtered" not in item


def test_every_client_has_one_owner_also_where_its_instance_is_hidden(start: Start, tmp_path: Path) -> None:
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    config = {"replicas": 2, **hashing(tmp_path, client_id="hash", client_instance_id="hash")}
    pair = [start(ordinal=number, port=tens * 10 + number, config=config, peers=peers) for number in range(2)]
    pushes = [push(seq, counter_push(2), client=client, client_id=client) for seq, client in enumerate(CLIENTS)]

    answer = pair[0].deliver(batch(pushes))

    assert answer.body == {"accepted": 40, "duplicates": 0, "rejected": []}
    assert pair[1].deliver(batch(pushes)).body["duplicates"] == 40
    for replica in pair:
        assert 5 < (replica.value("kwitness_clients") or 0) < 35
        replica.kill()
        replica.start()
    found = {one["client_instance_id"] for one in pair[0].get("/v1/clients").body["items"]}
    assert found == {identity_hash(KEY.encode(), "client_instance_id", client) for client in CLIENTS}
