"""Types of header values: what every runtime takes alike, and that values come back as they were."""

from __future__ import annotations

import base64
import json
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.contracts.header_rules import HeaderType as TypeName
from kwitness_interceptors.headers import (
    BYTES,
    INT32,
    INT64,
    JSON,
    STRING,
    TIMESTAMP,
    TYPES,
    UUID,
    HeaderType,
    HeaderValueError,
    bytes_with,
    has_type,
)

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES: list[dict[str, Any]] = json.loads((ROOT / "contracts/vectors/header_types.json").read_text(encoding="utf-8"))
PRICE: HeaderType[Decimal] = bytes_with(lambda price: str(price).encode(), lambda data: Decimal(data.decode()))
"""Bytes with a codec of one's own."""
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda values: st.lists(values, max_size=4) | st.dictionaries(TEXT, values, max_size=4),
    max_leaves=20,
)
BLANK_AND_MARKS = st.text(st.sampled_from('{}[]",:\\/ue+-.019tfnaull \t\n\r\0\x1f\ufeffé\u0661'), max_size=16)
"""What is nearly JSON."""


def of(one: dict[str, Any]) -> tuple[str, bytes]:
    return one["type"], base64.b64decode(one["value_base64"])


def test_there_are_examples_of_right_and_wrong_values_of_every_type() -> None:
    named = set(get_args(TypeName))

    assert set(TYPES) == named
    assert {one["type"] for one in EXAMPLES if one["right"]} == named
    assert {one["type"] for one in EXAMPLES if not one["right"]} == named - {"Bytes"}


def test_values_are_of_the_types_that_they_are_of_elsewhere() -> None:
    assert [one for one in EXAMPLES if has_type(*of(one)) is not one["right"]] == []


def test_what_has_its_type_is_decoded_and_anything_else_is_refused() -> None:
    for one in EXAMPLES:
        name, value = of(one)
        if len(value) > 4300 and one["right"]:
            continue  # a number of more digits than Python reads
        if one["right"]:
            TYPES[name].decode(value)
        else:
            with pytest.raises(HeaderValueError):
                TYPES[name].decode(value)


def test_a_number_of_more_digits_than_python_reads_is_json_and_cannot_be_decoded() -> None:
    digits = b"1" * 5000

    assert has_type("Json", digits)
    with pytest.raises(HeaderValueError, match="5000 bytes"):
        JSON.decode(digits)


def test_a_null_value_is_of_each_type() -> None:
    assert all(has_type(name, None) for name in TYPES)
    with pytest.raises(KeyError):
        has_type("Float", None)


def test_numbers_have_their_highest_byte_first() -> None:
    assert INT32.encode(0x01020304) == b"\x01\x02\x03\x04"
    assert INT64.encode(-2) == b"\xff\xff\xff\xff\xff\xff\xff\xfe"
    assert TIMESTAMP.encode(1 << 40) == b"\x00\x00\x01\x00\x00\x00\x00\x00"


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1), st.uuids(), TEXT, st.binary())
def test_values_come_back_as_they_were(small: int, large: int, name: uuid.UUID, text: str, data: bytes) -> None:
    assert INT32.decode(INT32.encode(small)) == small
    assert INT64.decode(INT64.encode(large)) == large
    assert TIMESTAMP.decode(TIMESTAMP.encode(large)) == large
    assert UUID.decode(UUID.encode(name)) == name
    assert UUID.decode(str(name).encode()) == name
    assert STRING.decode(STRING.encode(text)) == text
    assert BYTES.decode(BYTES.encode(data)) == data


@given(JSON_VALUES)
def test_json_comes_back_as_it_was(value: Any) -> None:
    written = JSON.encode(value)

    assert JSON.decode(written) == value
    assert has_type("Json", written)


@given(st.decimals(allow_nan=False))
def test_a_codec_of_ones_own_is_of_the_type_bytes(price: Decimal) -> None:
    assert PRICE.name == "Bytes"
    assert PRICE.decode(PRICE.encode(price)) == price


@given(st.binary() | BLANK_AND_MARKS.map(str.encode))
def test_bytes_are_of_a_type_and_decoded_or_refused(data: bytes) -> None:
    for name, one in TYPES.items():
        if has_type(name, data):
            one.decode(data)
        else:
            with pytest.raises(HeaderValueError):
                one.decode(data)


@given(BLANK_AND_MARKS)
def test_json_is_what_the_standard_library_takes_less_what_it_takes_beyond(text: str) -> None:
    def refused(_: str) -> Any:
        raise ValueError

    try:
        json.loads(text, parse_constant=refused)
    except ValueError:
        expected = False
    else:
        expected = True

    assert has_type("Json", text.encode()) is expected


def test_deep_json_is_refused_and_costs_no_stack() -> None:
    nested: list[Any] = []
    for _ in range(64):
        nested = [nested]

    assert not has_type("Json", b"[" * 1_000_000)
    assert not has_type("Json", b'{"a":' * 200_000 + b"1" + b"}" * 200_000)
    assert has_type("Json", b'"' + b'\\"[' * 100_000 + b'"')
    assert not has_type("Json", b'"' + b'\\"[' * 100_000)
    with pytest.raises(HeaderValueError, match="nested deeper than 64"):
        JSON.encode(nested)
    assert JSON.decode(JSON.encode(nested[0])) == nested[0]


@pytest.mark.parametrize(
    ("header_type", "value", "reason"),
    [
        (STRING, "\ud83d", "UnicodeEncodeError"),
        (STRING, b"shop", "AttributeError"),
        (BYTES, 4, "TypeError"),
        (BYTES, "shop", "TypeError"),
        (INT32, 2**31, "it does not fit into 4 bytes"),
        (INT64, 2**63, "it does not fit into 8 bytes"),
        (INT32, True, "it is no int"),
        (INT32, "7", "it is no int"),
        (TIMESTAMP, 1.5, "it is no int"),
        (UUID, "0f8fad5b-d9cb-469f-a165-70867728950e", "it is no uuid.UUID"),
        (JSON, float("nan"), "a number is not finite"),
        (JSON, [float("inf")], "a number is not finite"),
        (JSON, {1: "a"}, "a name in an object is no str"),
        (JSON, [b"a"], "JSON has no bytes"),
        (JSON, "\ud83d", "half of a surrogate pair"),
        (PRICE, None, "InvalidOperation"),
    ],
)
def test_what_is_no_value_of_a_type_is_refused_before_it_is_sent(
    header_type: HeaderType[Any], value: object, reason: str
) -> None:
    if header_type is PRICE:
        with pytest.raises(HeaderValueError, match=reason):
            PRICE.decode(b"a price")
        return
    with pytest.raises(HeaderValueError, match=reason):
        header_type.encode(value)


def test_errors_name_input_reason_and_remedy_and_never_the_value() -> None:
    def no_price(data: bytes) -> Decimal:
        raise ValueError(f"no price: {data!r}")

    with pytest.raises(HeaderValueError) as of_type:
        INT32.decode(b"secret")
    with pytest.raises(HeaderValueError) as of_codec:
        bytes_with(bytes, no_price).decode(b"secret")

    assert str(of_type.value) == (
        "a value of 6 bytes is no Int32 (it is of another type): have its producer write a whole number in 4 bytes, "
        "the highest first, or register the header with the type that it has"
    )
    assert "secret" not in str(of_codec.value)
