"""The compact set of headers: its bytes, what is refused, how little an early reader reads, and wrapped values."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness_interceptors.headers import (
    STRING,
    HeaderKey,
    HeaderReader,
    HeaderSetError,
    SetReader,
    WrappedValues,
    decode_set,
    encode_set,
)

from tests.vectors import documents, vectors

IDS = st.integers(0, 40) | st.integers(0, 2**31 - 1)
SETS = st.dictionaries(IDS, st.binary(max_size=12), max_size=6)
MAGIC = base64.b64decode(documents("header_sets")["magic_base64"])


def data(text: str | None) -> bytes:
    assert text is not None
    return base64.b64decode(text)


def maybe(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


class UpTo:
    """Bytes of which none from a place on may be read."""

    def __init__(self, whole: bytes, end: int) -> None:
        self.whole = whole
        self.end = end

    def __len__(self) -> int:
        return len(self.whole)

    def __getitem__(self, place: slice) -> bytes:
        assert place.stop is not None
        assert place.stop <= self.end, f"byte {place.stop - 1} is read, and no byte from {self.end} on may be"
        return self.whole[place]


@pytest.mark.parametrize("one", vectors("header_sets", "sets"), ids=lambda one: one["why"])
def test_sets_have_the_bytes_that_they_have_elsewhere(one: dict[str, Any]) -> None:
    values = {number: data(value) for number, value in one["headers"]}
    written = data(one["bytes_base64"])

    assert encode_set(dict(reversed(values.items()))) == written
    assert list(decode_set(written).items()) == list(values.items())
    assert decode_set(memoryview(written)) == values


@pytest.mark.parametrize("one", vectors("header_sets", "refused"), ids=lambda one: one["why"])
def test_what_is_no_set_is_refused_for_the_reason_it_is_refused_for_elsewhere(one: dict[str, Any]) -> None:
    with pytest.raises(HeaderSetError) as refused:
        decode_set(data(one["bytes_base64"]))

    assert refused.value.reason == one["reason"]


@pytest.mark.parametrize("one", vectors("header_sets", "partial"), ids=lambda one: one["why"])
def test_a_reader_that_stops_early_reads_no_further_byte(one: dict[str, Any]) -> None:
    reader = SetReader(UpTo(data(one["bytes_base64"]), one["bytes_read"]))

    assert reader.read_until(one["id"]) == maybe(one["value_base64"])
    assert reader.position == one["bytes_read"]


@given(SETS, IDS, st.binary(max_size=9))
def test_what_stands_behind_it_is_nothing_to_an_early_reader(
    values: dict[int, bytes], number: int, behind: bytes
) -> None:
    lower = {one: value for one, value in values.items() if one <= number}
    upper = sorted(one for one in values if one > number)
    passed = len(encode_set(lower)) + (4 if upper and number not in values else 0)
    reader = SetReader(UpTo(encode_set(values) + behind, passed))

    # Without a higher id the end has to be seen, if the wanted one is not the last.
    if upper or number in values or not behind:
        assert reader.read_until(number) == values.get(number)
        assert reader.position == passed


@given(SETS, st.lists(IDS, unique=True))
def test_a_reader_goes_on_where_it_stopped(values: dict[int, bytes], wanted: list[int]) -> None:
    reader = SetReader(encode_set(values))

    assert [reader.read_until(one) for one in sorted(wanted)] == [values.get(one) for one in sorted(wanted)]


def test_ids_are_asked_for_in_their_order() -> None:
    reader = SetReader(encode_set({1: b"a", 5: b"b", 9: b"c"}))

    assert reader.read_until(4) is None
    assert reader.read_until(5) == b"b"
    with pytest.raises(ValueError, match="header 5 is asked for after 5: ask in ascending order"):
        reader.read_until(5)
    assert reader.read_next() == (9, b"c")
    assert reader.read_next() is None


def test_whoever_asks_again_is_told_the_same() -> None:
    reader = SetReader(b"\0\0\0\5\0\0\0\x09\1")

    with pytest.raises(HeaderSetError) as first:
        reader.read_until(7)
    with pytest.raises(HeaderSetError) as second:
        reader.read_until(7)

    assert str(first.value) == str(second.value)
    assert str(first.value) == (
        "9 bytes are no set of headers: at byte 4 header 5 has 9 bytes, of which 1 are; have what writes them use "
        "encode_set or Java's HeaderSet, or read them as what they are"
    )


@given(SETS)
def test_sets_come_back_as_they_were(values: dict[int, bytes]) -> None:
    assert decode_set(encode_set(values)) == values


@given(SETS, st.data())
def test_bytes_are_a_set_that_is_written_the_same_or_are_refused(values: dict[int, bytes], draw: Any) -> None:
    changed = bytearray(encode_set(values) or b"\0")
    place = draw.draw(st.integers(0, len(changed) - 1))
    changed[place] ^= 1 << draw.draw(st.integers(0, 7))
    del changed[draw.draw(st.integers(0, len(changed))) :]
    changed += draw.draw(st.binary(max_size=9))
    try:
        found = decode_set(bytes(changed))
    except HeaderSetError:
        return

    assert encode_set(found) == bytes(changed)


@pytest.mark.parametrize("number", [-1, 2**31])
def test_an_id_that_no_register_has_is_not_written(number: int) -> None:
    with pytest.raises(ValueError, match=f"the id {number}: give one from 0 to 2147483647"):
        encode_set({number: b""})


@pytest.mark.parametrize("one", vectors("header_sets", "wrapped"), ids=lambda one: one["why"])
def test_values_are_unwrapped_as_elsewhere(one: dict[str, Any]) -> None:
    unwrapped = WrappedValues(MAGIC).unwrap(maybe(one["value_base64"]))

    assert unwrapped.payload == maybe(one["payload_base64"])
    assert [header.value for header in unwrapped.headers] == [data(text) for text in [one["set_base64"]] if text]


@pytest.mark.parametrize("one", vectors("header_sets", "wrapped_refused"), ids=lambda one: one["why"])
def test_what_has_the_prefix_and_no_set_is_refused(one: dict[str, Any]) -> None:
    with pytest.raises(HeaderSetError) as refused:
        WrappedValues(MAGIC).unwrap(data(one["bytes_base64"]))

    assert refused.value.reason == one["reason"]


@given(SETS, st.binary() | st.binary().map(lambda rest: MAGIC + rest), st.binary(min_size=1, max_size=3))
def test_what_is_wrapped_is_unwrapped(values: dict[int, bytes], payload: bytes, magic: bytes) -> None:
    wrapped = WrappedValues(magic)
    unwrapped = wrapped.unwrap(wrapped.wrap(values, payload))

    assert unwrapped.payload == payload
    assert [decode_set(header.value or b"") for header in unwrapped.headers] == ([values] if values else [])


@given(st.binary())
def test_values_without_the_prefix_are_left_as_they_are(value: bytes) -> None:
    if not value.startswith(MAGIC):
        assert WrappedValues(MAGIC).unwrap(value).payload is value


def test_headers_before_the_payload_are_read_as_the_records_own_and_give_way_to_those() -> None:
    app = HeaderKey("app.name", STRING, 7)
    unwrapped = WrappedValues(MAGIC).unwrap(WrappedValues(MAGIC).wrap({7: b"old"}, b""))

    assert HeaderReader(unwrapped.headers).get(app) == "old"
    assert HeaderReader((*unwrapped.headers, ("app.name", b"own"))).get(app) == "own"
    assert HeaderReader((*unwrapped.headers, ("kwitness.set", encode_set({7: b"own"})))).get(app) == "own"


def test_an_empty_prefix_is_refused() -> None:
    with pytest.raises(ValueError, match="the magic prefix is empty"):
        WrappedValues(b"")
