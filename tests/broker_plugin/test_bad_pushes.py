"""What a client can push wrongly: the broker refuses it, or it goes on as it came, and the next push goes on too."""

from __future__ import annotations

import base64
import contextlib
import gzip
import struct
from collections.abc import Iterator

import pytest

from kwitness.collector.decompression import TooLargeError, decompress
from kwitness.e2e.kafka.local_broker import KAFKA_VERSIONS
from kwitness.e2e.kafka.telemetry_requests import (
    GZIP,
    INVALID_RECORD,
    NONE,
    TELEMETRY_TOO_LARGE,
    UNSUPPORTED_COMPRESSION_TYPE,
    TelemetryClient,
)

from tests.broker_plugin.conftest import Plugged

pytestmark = pytest.mark.broker


@pytest.fixture
def setting(plugged) -> Iterator[Plugged]:
    """The shared broker and collector; the plugin logs no error."""
    yield plugged
    broker, _ = plugged
    errors = [line for line in broker.logs().splitlines() if " ERROR " in line and "dev.kwitness" in line]
    assert errors == []


def push(setting, client_id: str, payload: bytes | None, compression: int = NONE) -> int:
    broker, _ = setting
    with TelemetryClient(broker.bootstrap, client_id) as client:
        assert client.error == 0
        return client.push(payload, compression)


def arrived(setting, client_id: str) -> dict[str, object]:
    _, collector = setting
    found = collector.wait_for(
        lambda: [one for one in collector.pushes() if one.get("client_id") == client_id], what=f"a push of {client_id}"
    )
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("name", "payload"),
    [("garbage", b"garbage"), ("zeros", bytes(1_000)), ("cut", b"\x0a\xff\xff\x03abc")],
)
def test_what_cannot_be_decoded_goes_on_as_it_came(setting, name, payload):
    assert push(setting, name, payload) == 0
    assert base64.b64decode(arrived(setting, name).get("payload") or "") == payload


def test_what_the_broker_refuses_never_arrives_and_the_next_push_does(setting):
    _, collector = setting
    assert push(setting, "too-large", bytes(1024 * 1024 + 1)) == TELEMETRY_TOO_LARGE
    assert push(setting, "unknown-compression", b"x", compression=9) == UNSUPPORTED_COMPRESSION_TYPE
    assert push(setting, "empty", b"") == 0  # brokers take it for a push without metrics
    with contextlib.suppress(OSError, struct.error):  # some hang up on it
        push(setting, "null", None)

    assert push(setting, "after", b"fine") == 0

    arrived(setting, "after")
    refused = {"too-large", "unknown-compression", "empty", "null"}
    assert not refused & {one.get("client_id") for one in collector.pushes()}


def test_a_broken_compression_is_refused_by_the_broker_or_left_to_the_collector(setting):
    broker, _ = setting
    error = push(setting, "broken", b"not gzip", GZIP)
    if broker.version.startswith("3.7."):
        assert error == 0
        assert base64.b64decode(str(arrived(setting, "broken")["payload"])) == b"not gzip"
    else:
        assert error == INVALID_RECORD


@pytest.mark.parametrize("plugged", KAFKA_VERSIONS[:1], indirect=True)
def test_a_bomb_stays_one_where_the_broker_does_not_open_it(setting):  # later ones do, before the plugin sees it
    bomb = gzip.compress(bytes(64 * 1024 * 1024))
    assert push(setting, "bomb", bomb, GZIP) == 0
    one = arrived(setting, "bomb")
    payload = base64.b64decode(str(one["payload"]))
    assert payload == bomb
    with pytest.raises(TooLargeError):
        decompress(payload, str(one["payload_compression"]), 4 * 1024 * 1024)
