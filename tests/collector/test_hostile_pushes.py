"""Checks pushes of hostile clients: labels are cut and escaped, long names are left out, garbage never raises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collector.collector_samples import LATENCY_AVG, LATENCY_SERIES, gauge_push, java_push
from tests.collector.core_exposition import WHO, core, samples


def test_a_name_unit_or_attribute_as_long_as_a_book_is_left_out_and_counted() -> None:
    one = core()
    assert one.apply("a", WHO, gauge_push("x" * 256, 1.0)).left_out == {"unsupported": 1}
    assert one.apply("a", WHO, gauge_push("app.thing", 1.0, unit="u" * 64)).left_out == {"unsupported": 1}
    assert one.apply("a", WHO, gauge_push("app.thing", 1.0, k="v" * 3_000)).left_out == {"attributes": 1}
    assert one.counts().series == 0


def test_labels_of_hostile_clients_are_cut_escaped_and_counted() -> None:
    one = core()
    hostile = ['evil"} 1\nkafka_client_x{a="', "x" * 40_000, "a\\b", "\x00\x1b[31m", "\ud800", "\u2028"]
    for index, client_id in enumerate(hostile):
        one.apply(f"i{index}", {"client_id": client_id}, gauge_push(LATENCY_AVG, 1.0, **{'le"}': 'v"\n\\'}))

    found = samples(one)
    assert set(found) == {LATENCY_SERIES, "kwitness_client_instances"}
    assert len(found[LATENCY_SERIES]) == len(hostile)
    for labels in found[LATENCY_SERIES]:
        assert all(len(text) <= 128 for _, text in labels)
    assert one.counts().cut_values["client_id"] >= 4


def test_two_long_client_ids_with_one_beginning_stay_two_series() -> None:
    one = core()
    for index in range(2):
        one.apply(f"i{index}", {"client_id": "x" * 1000 + str(index)}, gauge_push(LATENCY_AVG, 1.0))

    assert len(samples(one)[LATENCY_SERIES]) == 2


@pytest.mark.parametrize(
    "attributes",
    [
        {"client_id": "admin", "cluster_id": "prod"},
        {"namespace": "kube-system", "job": "apiserver", "instance": "x"},
    ],
    ids=["identity keys", "labels of the scraped pod"],
)
def test_an_attribute_cannot_replace_a_label(attributes: dict[str, str]) -> None:
    one = core()
    one.apply("a", WHO, gauge_push(LATENCY_AVG, 1.0, **attributes))

    [labels] = samples(one)[LATENCY_SERIES]
    exported = {f"exported_{name}": value for name, value in attributes.items()}
    assert dict(labels) == {"cluster_id": "c", "client_id": "orders", **exported}


@pytest.mark.parametrize(
    "payload", [b"", b"\x00", b"garbage", b"\xff" * 100, java_push()[:-3], b"\x0a\xff\xff\xff\x7f"]
)
def test_empty_garbage_and_truncated_payloads_never_raise(payload: bytes) -> None:
    one = core()

    applied = one.apply("a", WHO, payload)

    assert (applied.malformed is None) == (payload == b"")
    assert applied.points == 0


def test_deeply_nested_attributes_are_malformed_and_not_a_crash() -> None:
    value_ = b""
    for _ in range(500):
        inner = b"\x0a" + _varint(len(value_)) + value_
        value_ = b"\x2a" + _varint(len(inner)) + inner
    attribute = b"\x0a\x01a" + b"\x12" + _varint(len(value_)) + value_
    resource = b"\x0a" + _varint(len(attribute)) + attribute
    one = b"\x0a" + _varint(len(resource)) + resource
    payload = b"\x0a" + _varint(len(one)) + one

    assert core().apply("a", WHO, payload).malformed is not None


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


@given(st.binary(max_size=300), st.integers(0, 200))
def test_a_mutated_push_never_raises(noise: bytes, place: int) -> None:
    payload = bytearray(java_push())
    payload[place : place + len(noise)] = noise

    core().apply("a", WHO, bytes(payload))
