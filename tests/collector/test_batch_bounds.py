"""A small request cannot stand for much memory or work: what is compressed within it is counted before it is there."""

from __future__ import annotations

import base64
import gzip
import json

import cramjam
import lz4.frame
import pytest
import zstandard

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import batch, push

MIB = 1024 * 1024
ZEROS = bytes(4 * MIB)
COMPRESSED = {
    "gzip": gzip.compress(ZEROS),
    "lz4": lz4.frame.compress(ZEROS),
    "snappy": bytes(cramjam.snappy.compress_raw(ZEROS)),
    "zstd": zstandard.ZstdCompressor().compress(ZEROS),
}


def packed(seq: int, compression: str) -> dict[str, object]:
    payload = base64.b64encode(COMPRESSED[compression]).decode()
    return {**push(seq), "payload": payload, "payload_compression": compression}


@pytest.mark.parametrize("compression", COMPRESSED)
def test_pushes_that_hold_much_once_decompressed_are_refused_with_the_reason(
    shared: CollectorProcess, compression: str
) -> None:
    shared.push(batch([packed(1, compression)], epoch=71))  # the codec's own memory stays
    before = shared.resident_bytes()
    shared.peak_bytes()

    answer = shared.push(batch([packed(seq, compression) for seq in range(16)], epoch=72), compress=True)

    assert (answer.status, answer.body["error"]["reason"]) == (413, "TooLarge")
    assert "once decompressed; send fewer" in answer.body["error"]["message"]
    assert shared.peak_bytes() - before < 40 * MIB


@pytest.mark.parametrize("body", [b'{"pushes":[' + b"{}," * 7_000_000 + b"{}]}", b'{"a":' + b"[]," * 7_000_000])
def test_a_body_of_millions_of_elements_is_refused_before_it_is_parsed(shared: CollectorProcess, body: bytes) -> None:
    before = shared.resident_bytes()
    shared.peak_bytes()

    answer = shared.push(gzip.compress(body, 1), headers={"Content-Encoding": "gzip"})

    assert (answer.status, answer.body["error"]["reason"]) == (413, "TooLarge")
    assert shared.peak_bytes() - before < 80 * MIB


def test_more_pushes_than_a_request_may_have_are_refused_quickly(shared: CollectorProcess) -> None:
    empty = ",".join([json.dumps({"seq": 1, "received_at_ms": 1, "client_instance_id": "a"})] * 100_000)
    body = json.dumps(batch([])).replace("[]", f"[{empty}]").encode()
    before = shared.worked_s()

    answer = shared.push(body, compress=True)

    assert (answer.status, answer.body["error"]["reason"]) == (413, "TooLarge")
    assert "500" in answer.body["error"]["message"]
    assert shared.worked_s() - before < 1.0
    assert shared.push(batch([push(seq) for seq in range(500)], epoch=73)).body["accepted"] == 500
