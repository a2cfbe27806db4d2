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


@pytest.mark.parametrize("compression", ["gzip", None])
def test_a_push_that_is_too_large_is_rejected_alone(compression):
    large = bytes(4 * 1024 * 1024 + 1)
    payload = large if compression is None else gzip.compress(large, 1)

    events, rejected = of_batch(_batch((payload, compression), (PLAIN, None)))

    assert [event.payload for event in events] == [PLAIN]
    assert [(rejection.seq, rejection.reason) for rejection in rejected] == [(1, "TooLarge")]


def test_every_byte_is_held_before_it_is_there():
    room = []

    of_batch(_batch((gzip.compress(bytes(1_000_000)), "gzip"), (PLAIN, None)), hold=room.append)

    assert sum(room) >= 1_000_000
    assert max(room) <= 64 * 1024
