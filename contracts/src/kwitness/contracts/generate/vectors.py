"""Numbers that other languages check their own against, in `contracts/vectors`."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from kwitness.contracts.identity import IdentityKey
from kwitness.contracts.identity_hashing import identity_hash
from kwitness.contracts.own_metrics import own_metric
from kwitness.contracts.records import SKETCH_BOUNDS, SKETCH_RULE, DistinctKeys, bucket_of
from kwitness.contracts.records.distinct_keys import murmur
from kwitness.contracts.records.offset_ranges import MAX_OFFSET_RANGES, OffsetRanges

__all__ = ["vectors"]

_MARK = "Generated from contracts/ by `make generate`; do not edit."
_RESPONSE_TIME = "kafka_client_response_time_seconds"
_LATENCY = "kafka_client_interceptor_end_to_end_latency_seconds"
_SIZE = "kafka_client_interceptor_record_size_bytes"
_VALUES = ((), (0, 1, 1, 2), (999, 1_000, 1_001, 5_000_000), (86_400_000_000, 10**15))
_ADDED = (
    (),
    ((0, 4), (5, 9)),
    ((5, 9), (0, 4)),
    ((0, 1), (4, 5), (8, 9), (2, 7)),
    ((0, 1), (4, 5), (8, 9), (5, 6)),
    ((5, 4), (-1, 3)),
    ((2**63 - 1, 2**63 - 1), (0, 2**63 - 2)),
    (*((number * 100, number * 100) for number in range(8)), (350, 360)),
    tuple((number * 10, number * 10) for number in range(12)),
)
_KEYS = (b"", b"a", b"order-1", "Schlüssel".encode(), bytes(range(15)), bytes(range(16)), bytes(range(33)), b"x" * 1024)
_IDENTITIES: tuple[tuple[str, IdentityKey, str], ...] = (
    ("a key of sixteen", "client_id", "orders"),
    ("a key of sixteen", "group_id", "orders"),
    ("another key, longer than a block of SHA-256, so that it is hashed itself before", "client_id", "orders"),
    ("a key of sixteen", "principal", "User:CN=Jürgen,O=Beispiel"),
    ("a key of sixteen", "client_id", "x" * 40_000),
    ("a key of sixteen", "client_id", "x" * 32_766 + "\U0001f600\U0001f601"),
    ("a key of sixteen", "client_id", "hash-BC4633C8D5C8698B449EB2D282F52DB2"),
    ("a key of sixteen", "client_id", "hash-bc4633c8d5c8698b449eb2d282f52db2\n"),
)
_NUMBERS = (
    ("none", ()),
    ("one", ((0, 1),)),
    ("few", ((0, 100),)),
    ("many", ((0, 20_000),)),
    ("union", ((0, 6_000), (3_000, 9_000))),
)
"""Ranges of numbers, each without its end: their decimal digits are the keys of one sketch, and the sketches add up."""


def vectors(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and text of each file."""
    sketch = {"$comment": _MARK, "rule": SKETCH_RULE, "bounds": SKETCH_BOUNDS}
    bounds_us = [round(bound * 1_000_000) for bound in own_metric(_RESPONSE_TIME).bounds]
    times = {
        "$comment": _MARK,
        "rule": f"bounds of {_RESPONSE_TIME} in microseconds; a time is counted at the first bound that is not below "
        "it, one beyond all of them after the last, so that there is one count more than bounds",
        "bounds_us": bounds_us,
    }
    aggregates = {"$comment": _MARK, **_aggregates()}
    files = (
        ("sketch_bounds", sketch),
        ("response_time_bounds", times),
        ("interception_aggregates", aggregates),
        ("identity_hashes", {"$comment": _MARK, **_identity_hashes()}),
    )
    for name, content in files:
        yield root / "contracts/vectors" / f"{name}.json", f"{json.dumps(content, indent=1)}\n"


def _identity_hashes() -> dict[str, object]:
    rule = (
        "hash- and the first 32 hex digits of HMAC-SHA-256 with the key over the field's name, a zero byte and the "
        "value in UTF-8, of which 32767 characters count; a value of that form, hash- and 32 digits of 0-9 and a-f, "
        "stays as it is"
    )
    examples = [
        {"key": key, "field": field, "value": value, "hash": identity_hash(key.encode(), field, value)}
        for key, field, value in _IDENTITIES
    ]
    return {"rule": rule, "hashes": examples, "stays": [examples[0]["hash"], f"hash-{'0a9f' * 8}"]}


def _aggregates() -> dict[str, object]:
    latency_us = [round(bound * 1_000_000) for bound in own_metric(_LATENCY).bounds]
    size_bytes = [round(bound) for bound in own_metric(_SIZE).bounds]
    return {
        "latency_bounds_us": latency_us,
        "size_bounds_bytes": size_bytes,
        "sketch_rule": f"{SKETCH_RULE}; a histogram counts each value at the first of its bounds that is not below the "
        "bound of the value's bucket, one beyond all of them after the last",
        "sketches": [_sketch(values, latency_us) for values in _VALUES],
        "offset_ranges_rule": f"ascending ranges that do not touch, {MAX_OFFSET_RANGES} at most: beyond that the two "
        "with the fewest offsets between them become one, the first two of those alike, which merged counts; a range "
        "without offsets or with a negative one adds nothing",
        "offset_ranges": [_ranges(added) for added in _ADDED],
        "hash_rule": "MurmurHash3 x64 128 with seed 9001; the slot is the low 12 bits of its first half, the value the "
        "leading zeros of its second half, 62 at most, and one; an empty key counts nothing",
        "hashes": [_hash(key) for key in _KEYS],
        "distinct_keys_rule": "each register has the largest value of its slot; the image is DataSketches' HLL_8 with "
        "lgK 12, marked as out of order, in base64; each sketch counts the decimal digits of a range of numbers "
        "without its end, and the sketches add up to the image; `estimate` is what the "
        "reference says, others may be off by 5 percent of `distinct`",
        "distinct_keys": [_distinct(name, ranges) for name, ranges in _NUMBERS],
    }


def _sketch(values: Sequence[int], bounds: Sequence[int]) -> dict[str, object]:
    buckets = sorted(Counter(map(bucket_of, values)).items())
    histogram = [0] * (len(bounds) + 1)
    for bucket, count in buckets:
        histogram[sum(bound < SKETCH_BOUNDS[bucket] for bound in bounds)] += count
    return {
        "values": values,
        "buckets": {str(bucket): count for bucket, count in buckets},
        "sum": sum(values),
        "by_latency_bounds": histogram,
    }


def _ranges(added: Sequence[tuple[int, int]]) -> dict[str, object]:
    ranges = OffsetRanges()
    for first, last in added:
        ranges.add(first, last)
    return {"added": added, "ranges": ranges.ranges, "merged": ranges.merged}


def _hash(key: bytes) -> dict[str, object]:
    sketch = DistinctKeys([key])
    filled = [(slot, value) for slot, value in enumerate(sketch.registers) if value]
    first, second = murmur(key)
    return {
        "key": base64.b64encode(key).decode(),
        "hash": [f"{first:016x}", f"{second:016x}"],
        "slot": filled[0][0] if filled else None,
        "value": filled[0][1] if filled else None,
    }


def _distinct(name: str, ranges: Sequence[tuple[int, int]]) -> dict[str, object]:
    whole = DistinctKeys()
    for first, end in ranges:
        whole.merge(DistinctKeys(str(number).encode() for number in range(first, end)))
    image = base64.b64encode(whole.image()).decode()
    distinct = len({number for first, end in ranges for number in range(first, end)})
    return {"name": name, "ranges": ranges, "distinct": distinct, "estimate": whole.estimate(), "image": image}
