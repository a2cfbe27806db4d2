"""Kafka 3.7 leaves pushes compressed: they are plain inside the collector, within bounds, and opaque where not."""

from __future__ import annotations

import base64
import gzip

import pytest
import zstandard

from kwitness.collector.events import of_batch
from kwitness.contracts.envelopes import PushBatch

PLAIN = b"\x0a\x02\x08\x01"


def _batch(*payloads: tuple[bytes, str | None]) -> PushBatch:
    pushes = [
        {
            "seq": number,
            "received_at_ms": 1,
            "client_instance_id": "abc",
            "payload": base64.b64encode(payload).decode(),
            "payload_compression": compression,
        }
        for number, (payload, compression) in enumerate(payloads, 1)
    ]
    return PushBatch.model_validate({"source": "c/1", "epoch": 1, "cluster_id": "c", "pushes": pushes})


@pytest.mark.parametrize(
    ("payload", "compression"),
    [(PLAIN, None), (gzip.compress(PLAIN), "gzip"), (zstandard.ZstdCompressor().compress(PLAIN), "zstd")],
)
def test_a_payload_is_plain_inside_the_collector(payload, compression):
    events, rejected = of_batch(_batch((payload, compression)))
    assert [event.payload for event in events] == [PLAIN]
    assert not rejected


def test_a_payload_that_is_not_what_it_says_stays_opaque():
    events, rejected = of_batch(_batch((b"\x28\xb5\x2f\xfdnonsense", "zstd"), (PLAIN, None)))
    assert [event.payload for event in events] == [b"\x28\xb5\x2f\xfdnonsense", PLAIN]
    assert not rejected


def test_a_bomb_stays_packed():
    bomb = gzip.compress(bytes(8 * 1024 * 1024))
    events, _ = of_batch(_batch((bomb, "gzip")))
    assert events[0].payload == bomb


def test_many_small_bombs_stay_within_the_bound_of_a_batch():
    nearly = gzip.compress(bytes(4 * 1024 * 1024))
    events, _ = of_batch(_batch(*[(nearly, "gzip")] * 40))
    assert sum(len(event.payload) for event in events) <= 65 * 1024 * 1024
