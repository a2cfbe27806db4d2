"""Sketch, ranges and distinct keys: the references do what the committed examples say, which all languages run."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.contracts.own_metrics import own_metric
from kwitness.contracts.records import DistinctKeys, bucket_of
from kwitness.contracts.records.distinct_keys import IMAGE_BYTES, MAX_IMAGE_TEXT, REGISTERS, murmur
from kwitness.contracts.records.offset_ranges import MAX_OFFSET_RANGES, OffsetRanges

from tests.vectors import vectors

RULE = "interception_aggregates"
PREAMBLE = bytes((10, 1, 7, 12, 0, 16, 0, 10))
"""Of a DataSketches image: ten ints, version 1, family HLL, lgK 12, no list, out of order, minimum 0, HLL_8."""


def keys_of(ranges: list[list[int]]) -> DistinctKeys:
    whole = DistinctKeys()
    for first, end in ranges:
        whole.merge(DistinctKeys(str(number).encode() for number in range(first, end)))
    return whole


@pytest.mark.parametrize("example", vectors(RULE, "sketches"), ids=lambda one: str(one["values"]))
def test_values_are_in_their_buckets(example) -> None:
    buckets: dict[str, int] = {}
    for value in example["values"]:
        bucket = str(bucket_of(value))
        buckets[bucket] = buckets.get(bucket, 0) + 1

    assert buckets == example["buckets"]
    assert sum(example["values"]) == example["sum"]
    assert sum(example["by_latency_bounds"]) == len(example["values"])


@pytest.mark.parametrize("example", vectors(RULE, "offset_ranges"), ids=lambda one: str(one["added"])[:60])
def test_offsets_are_coalesced(example) -> None:
    ranges = OffsetRanges()
    for first, last in example["added"]:
        ranges.add(first, last)

    assert ([list(one) for one in ranges.ranges], ranges.merged) == (example["ranges"], example["merged"])


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 12)), max_size=40))
def test_no_offset_is_lost_and_few_ranges_are_exact(added: list[tuple[int, int]]) -> None:
    ranges = OffsetRanges()
    truth: set[int] = set()
    for first, length in added:
        ranges.add(first, first + length)
        truth |= set(range(first, first + length + 1))
    held = {offset for first, last in ranges.ranges for offset in range(first, last + 1)}

    assert len(ranges.ranges) <= MAX_OFFSET_RANGES
    assert truth <= held
    assert ranges.merged or truth == held


@pytest.mark.parametrize("example", vectors(RULE, "hashes"), ids=lambda one: one["key"][:20] or "none")
def test_a_key_has_its_hash_its_slot_and_its_value(example) -> None:
    key = base64.b64decode(example["key"])
    sketch = DistinctKeys([key])
    filled = [(slot, value) for slot, value in enumerate(sketch.registers) if value]

    assert [f"{half:016x}" for half in murmur(key)] == example["hash"]
    assert filled == ([] if example["slot"] is None else [(example["slot"], example["value"])])


@pytest.mark.parametrize("example", vectors(RULE, "distinct_keys"), ids=lambda one: one["name"])
def test_sketches_of_keys_add_up_to_the_image(example) -> None:
    whole = keys_of(example["ranges"])
    image = whole.image()

    assert base64.b64encode(image).decode() == example["image"]
    assert image.startswith(PREAMBLE)
    assert (len(image), len(example["image"])) == (IMAGE_BYTES, MAX_IMAGE_TEXT)
    assert whole.estimate() == example["estimate"]
    assert abs(whole.estimate() - example["distinct"]) <= 0.05 * example["distinct"]


def test_the_order_of_keys_and_their_repetition_change_nothing() -> None:
    keys = [str(number).encode() for number in range(500)]

    assert DistinctKeys([*keys, *reversed(keys)]).image() == DistinctKeys(reversed(keys)).image()
    assert len(DistinctKeys(keys).registers) == REGISTERS


def test_both_latencies_and_the_file_have_the_same_bounds() -> None:
    file = json.loads((Path(__file__).resolve().parents[2] / f"contracts/vectors/{RULE}.json").read_text())
    latency = own_metric("kafka_client_interceptor_end_to_end_latency_seconds").bounds

    assert latency == own_metric("kafka_client_interceptor_acknowledgement_seconds").bounds
    assert [bound / 1_000_000 for bound in file["latency_bounds_us"]] == list(latency)
    assert file["size_bounds_bytes"] == list(own_metric("kafka_client_interceptor_record_size_bytes").bounds)
