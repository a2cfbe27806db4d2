"""Everything a sender can send wrongly is answered clearly, and nothing of it is lost or taken by mistake."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import partial

import lz4.frame
import pytest
import requests
import zstandard

from kwitness.collector.ingest.bodies import MAX_PUSHES
from kwitness.contracts.generate.http_api import OPERATIONS, Operation

from tests.collector.collector_process import OTHER_PLUGIN, OTLP, PLUGIN, READER, CollectorProcess
from tests.collector.collector_samples import CLUSTER, CREATION_SERIES, batch, counter_push, gauges, java_push, push
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
GOOD = batch([push(1, counter_push(5))])


@pytest.fixture
def collector(shared: CollectorProcess) -> CollectorProcess:
    return shared


@pytest.fixture
def fresh(start: Start) -> CollectorProcess:
    return start()


def deep(levels: int) -> bytes:
    return b'{"pushes":' + b"[" * levels + b"]" * levels + b"}"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "MalformedBody"),
        (b"garbage", "MalformedBody"),
        (b"null", "MalformedBody"),
        (json.dumps(GOOD).encode()[:-20], "MalformedBody"),
        (b'{"schema":"kwitness.pushes/2"}', "MalformedBody"),
        (json.dumps(batch([push(-1)])).encode(), "MalformedBody"),
        (json.dumps(batch([push(1, client="")])).encode(), "MalformedBody"),
        (json.dumps(batch([push(1, client="x" * 1000)])).encode(), "MalformedBody"),
        (json.dumps(batch([push(2**80)])).encode(), "MalformedBody"),
        (deep(100_000), "MalformedBody"),
        (b"\xff\xfe{}", "MalformedBody"),
        (json.dumps({**GOOD, "source": "somebody-else/1"}).encode(), "WrongSource"),
    ],
)
def test_a_malformed_batch_is_refused_for_good(collector: CollectorProcess, body: bytes, reason: str) -> None:
    answer = collector.push(body)

    assert answer.status == 400
    assert answer.body["error"]["reason"] == reason
    assert answer.body["error"]["message"]


@pytest.mark.parametrize("path", ["/v1/pushes", "/v1/gauges"])
@pytest.mark.parametrize(
    ("token", "status", "reason"),
    [
        (None, 401, "NoToken"),
        ("", 401, "NoToken"),
        ("wrong", 401, "BadToken"),
        ("plugin-toke", 401, "BadToken"),
        (OTLP, 403, "WrongSource"),
        (READER, 403, "WrongSource"),
        (OTHER_PLUGIN, 403, "WrongCluster"),
    ],
)
def test_a_sender_may_only_say_what_its_token_allows(
    collector: CollectorProcess, path: str, token: str | None, status: int, reason: str
) -> None:
    body = GOOD if path == "/v1/pushes" else gauges({})

    answer = collector.post(path, body, token=token)

    assert (answer.status, answer.body["error"]["reason"]) == (status, reason)


@pytest.mark.parametrize("token", [None, "wrong", PLUGIN, OTLP])
def test_the_inventory_is_for_readers(collector: CollectorProcess, token: str | None) -> None:
    for path in ("/v1/clients", "/v1/clients?local=true", "/v1/subscriptions/x", f"/v1/clusters/{CLUSTER}"):
        assert collector.get(path, token=token).status in {401, 403}


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-protobuf", "application/json2", ""])
def test_an_unknown_content_type_is_named(collector: CollectorProcess, content_type: str) -> None:
    answer = collector.push(GOOD, headers={"Content-Type": content_type})

    assert (answer.status, answer.body["error"]["reason"]) == (415, "UnknownContentType")


@pytest.mark.parametrize("encoding", ["br", "compress", "gzip, gzip"])
def test_an_unknown_compression_is_named(collector: CollectorProcess, encoding: str) -> None:
    answer = collector.push(GOOD, headers={"Content-Encoding": encoding})

    assert (answer.status, answer.body["error"]["reason"]) == (415, "UnknownEncoding")
    assert "gzip" in answer.body["error"]["message"]


@pytest.mark.parametrize("encoding", ["gzip", "zstd", "lz4", "snappy", "deflate"])
def test_a_body_that_is_not_what_its_encoding_says_is_refused(collector: CollectorProcess, encoding: str) -> None:
    answer = collector.push(json.dumps(GOOD).encode(), headers={"Content-Encoding": encoding})

    assert answer.status in {400, 413}
    assert answer.body["error"]["reason"] in {"CorruptBody", "TooLarge"}


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [("gzip", gzip.compress), ("zstd", zstandard.ZstdCompressor(level=1).compress), ("lz4", lz4.frame.compress)],
)
def test_a_bomb_is_stopped_and_costs_little_memory(
    collector: CollectorProcess, encoding: str, compress: Callable[[bytes], bytes]
) -> None:
    bomb = compress(b'{"pushes":[' + b" " * (300 * 1024 * 1024))
    before = collector.resident_bytes()
    collector.peak_bytes()

    answer = collector.push(bomb, headers={"Content-Encoding": encoding})

    assert (answer.status, answer.body["error"]["reason"]) == (413, "TooLarge")
    # It is unpacked up to the limit and no further, and nothing of it stays.
    assert collector.peak_bytes() - before < 1.25 * MAX_PUSHES
    assert collector.resident_bytes() - before < MAX_PUSHES / 4
    assert collector.push(GOOD).status == 200


def test_a_body_above_the_cap_is_refused_declared_or_not(collector: CollectorProcess) -> None:
    url = f"http://127.0.0.1:{collector.port}/v1/pushes"
    headers = {"Authorization": f"Bearer {PLUGIN}", "Content-Type": "application/json"}
    undeclared = (b" " * 65_536 for _ in range(200))

    answer = requests.post(url, data=undeclared, headers=headers, timeout=20)

    assert answer.status_code == 413
    assert "smaller batches" in answer.json()["error"]["message"]


def test_undecodable_payloads_are_taken_and_counted(fresh: CollectorProcess) -> None:
    payloads = [b"garbage", b"\x00\x01\x02", java_push()[:-2], b"\xff" * 1000]
    pushes = [push(seq, payload) for seq, payload in enumerate(payloads)]

    answer = fresh.push(batch([*pushes, push(9, counter_push(3), client="sound")]))

    assert answer.body == {"accepted": 5, "duplicates": 0, "rejected": []}
    fresh.scrape()
    samples = fresh.scrape()
    assert list(samples[CREATION_SERIES].values()) == [3]
    dropped = [one for key, one in samples["kwitness_ledger_events_total"].items() if ("reason", "malformed") in key]
    assert dropped == [4]
    assert fresh.value("kwitness_parser_errors_total", reason="malformed_payload") == 4


def test_empty_and_null_payloads_are_pushes_without_metrics(collector: CollectorProcess) -> None:
    null = push(3)
    del null["payload"]

    answer = collector.push(batch([push(1, b"", client="e1"), push(2, b"", client="e2"), null], epoch=7))

    assert answer.body["accepted"] == 3
    clients = [one["client_instance_id"] for one in collector.get("/v1/clients").body["items"]]
    assert {"e1", "e2"} <= set(clients)


def test_a_payload_that_is_no_base64_is_rejected_alone(collector: CollectorProcess) -> None:
    broken = {**push(1), "payload": "no base64!"}

    answer = collector.push(batch([broken, push(2, counter_push(3))], epoch=8))

    assert answer.body["accepted"] == 1
    assert [(one["seq"], one["reason"]) for one in answer.body["rejected"]] == [(1, "MalformedPayload")]


def test_label_injection_ends_as_text_in_one_label(fresh: CollectorProcess) -> None:
    evil = 'x"} 1\nkafka_client_fake{a="'

    fresh.push(batch([push(1, java_push(), client_id=evil, client_software_name=evil)]))
    fresh.post("/v1/gauges", gauges({(evil, evil): 3}))

    samples = fresh.scrape()
    assert "kafka_client_fake" not in samples
    assert "kafka_client_connections" in samples
    assert (fresh.value("kwitness_label_values_cut_total") or 0) > 0


@pytest.mark.parametrize("limit", ["0", "-1", "x", "1001", "9" * 100])
def test_a_limit_out_of_range_is_refused(collector: CollectorProcess, limit: str) -> None:
    assert collector.get(f"/v1/clients?limit={limit}").status == 400


def test_unknown_paths_and_methods_are_answered_as_json(collector: CollectorProcess) -> None:
    assert collector.get("/v1/nothing").body["error"]["reason"] == "NotFound"
    assert collector.get("/v1/pushes").body["error"]["reason"] == "MethodNotAllowed"
    assert collector.get("/v1/subscriptions/unknown").body["error"]["reason"] == "UnknownSubscription"
    assert collector.get("/v1/clusters/unknown").body["error"]["reason"] == "UnknownCluster"


@pytest.mark.parametrize("token", [None, PLUGIN, READER])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.path)
def test_each_path_of_the_api_answers_only_what_its_reference_says(
    collector: CollectorProcess, operation: Operation, token: str | None
) -> None:
    names = {"id": "unknown", "client_instance_id": "unknown", "cluster_id": CLUSTER, "namespace": "shop"}
    path = operation.path.format(**names, name="front")
    ask = {"get": collector.get, "post": partial(collector.post, body={}), "put": partial(collector.direct, body={})}

    answer = ask[operation.method](path, token=token)

    documented = {status for status, _ in operation.statuses}
    assert answer.status in documented | ({200} if operation.answer else set())
    assert answer.status == 200 or answer.body["error"]["reason"]


def test_a_bad_new_configuration_keeps_the_old_one(fresh: CollectorProcess) -> None:
    (fresh.folder / "config.json").write_text("{")
    (fresh.folder / "subscriptions.json").write_text("[]")

    eventually(fresh.log.read_text, lambda log: "the new configuration is not used" in log)
    assert fresh.push(GOOD).status == 200
