"""What one connection carried, as frames: what a client got against what the broker answered."""

from __future__ import annotations

import struct
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.observer.tap import Recording

PRODUCE, FETCH, METADATA, FIND_COORDINATOR, API_VERSIONS = 0, 1, 3, 10, 18
DESCRIBE_QUORUM, DESCRIBE_CLUSTER, SHARE_FETCH, SHARE_ACKNOWLEDGE = 55, 60, 78, 79
HELD = frozenset({METADATA, FIND_COORDINATOR, DESCRIBE_CLUSTER, DESCRIBE_QUORUM})
"""Written anew with other addresses."""
EMPTIED = frozenset({PRODUCE, FETCH, SHARE_FETCH, SHARE_ACKNOWLEDGE})
"""Without endpoints, at equal length."""
UNKNOWN_TAG = 0x7F
UNSUPPORTED_VERSION = struct.pack(">h", 35)

Json = dict[str, Any]
Address = tuple[str, int]
Read = Callable[[int, int, bytes], Json]


@dataclass
class Comparison:
    """What was found when all connections of one side were held against those of the other."""

    same: Counter[int] = field(default_factory=Counter)
    """Responses that came out as they went in, by API key."""
    emptied: Counter[int] = field(default_factory=Counter)
    """Those that lost their endpoints."""
    addresses: dict[int, set[Address]] = field(default_factory=lambda: defaultdict(set))
    """Where clients were told that nodes are."""
    real_addresses: dict[int, set[Address]] = field(default_factory=lambda: defaultdict(set))
    """Where the brokers said that they are."""


def compared(inside: Sequence[Recording], outside: Sequence[Recording], read: Read) -> Comparison:
    """Hold what clients sent and got against what brokers got and answered.

    Parameters
    ----------
    inside
        Connections between clients and the observer.
    outside
        Connections to the addresses of brokers.
    read
        A response's content by API key, version and frame.

    Raises
    ------
    AssertionError
        A connection has none on the other side that carried the same requests, or a response was changed otherwise than
        it may be.
    """
    sides = [[(one.asked, one.answered) for one in side] for side in (inside, outside)]
    requests, others = (Counter(asked for asked, _ in side) for side in sides)
    assert requests == others, "a client has been somewhere else"
    found = Comparison()
    for asked in requests:
        for got, answered in zip(*(in_order(asked, side) for side in sides), strict=True):
            compare(asked, got, answered, read, found)
    return found


def in_order(asked: bytes, side: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
    """What was answered to these requests, in an order that is the same on both sides: by what nobody may change."""
    keys = {correlation: key for key, _, correlation in map(opening, frames(asked))}

    def unchanged(answered: bytes) -> list[bytes]:
        return [one for one in frames(answered) if keys[correlation_of(one)] not in HELD | EMPTIED]

    return sorted((answered for of, answered in side if of == asked), key=unchanged)


def compare(asked: bytes, got: bytes, answered: bytes, read: Read, found: Comparison) -> None:
    """One connection."""
    openings = {correlation: (key, version) for key, version, correlation in map(opening, frames(asked))}
    before, after = list(frames(answered)), list(frames(got))
    assert [frame[:4] for frame in before] == [frame[:4] for frame in after]
    for one, other in zip(before, after, strict=True):
        key, version = openings[correlation_of(one)]
        if key in HELD:
            compare_addresses(read(key, version, one), read(key, version, other), found)
        elif one == other:
            found.same[key] += 1
        elif key in EMPTIED:
            compare_emptied(key, one, other, read(key, version, one), read(key, version, other))
            found.emptied[key] += 1
        else:
            assert key == API_VERSIONS, f"the response of API {key} in version {version} was changed"
            version = 0 if one[4:6] == UNSUPPORTED_VERSION else version
            compare_versions(read(key, version, one), read(key, version, other))


def compare_addresses(before: Json, after: Json, found: Comparison) -> None:
    """Held responses have equal content but for addresses."""
    found.real_addresses |= take_addresses(before, found.real_addresses)
    found.addresses |= take_addresses(after, found.addresses)
    assert before == after


def take_addresses(content: Any, known: Mapping[int, set[Address]]) -> dict[int, set[Address]]:
    """Take hosts and ports out of a response's content; give them by node, united with what is known."""
    taken = defaultdict(set, known)
    if isinstance(content, dict):
        if content.get("host"):
            node = next(content[name] for name in ("nodeId", "brokerId") if name in content)
            taken[node] = taken[node] | {(content.pop("host"), content.pop("port"))}
        content = list(content.values())
    if isinstance(content, list):
        for one in content:
            taken |= take_addresses(one, taken)
    return taken


def compare_emptied(key: int, one: bytes, other: bytes, before: Json, after: Json) -> None:
    """Kafka reads the same message without endpoints; the tail alone was changed, and is as long."""
    assert len(one) == len(other)
    endpoints = before.pop("nodeEndpoints")
    assert endpoints
    assert not after.pop("nodeEndpoints", [])
    assert before.pop("unknownTags") == []
    (number,) = after.pop("unknownTags")
    assert number >= UNKNOWN_TAG
    assert before == after
    assert before["unread"] == 0
    assert not any(endpoint["host"].encode() in other for endpoint in endpoints)


def compare_versions(before: Json, after: Json) -> None:
    """No version is newer than the broker's, and nothing else was changed."""
    for one, other in zip(before["apiKeys"], after["apiKeys"], strict=True):
        assert other["minVersion"] <= other["maxVersion"] <= one["maxVersion"]
        other["maxVersion"] = one["maxVersion"]
    assert before == after


def frames(stream: bytes) -> Iterator[bytes]:
    """The content of each frame, without its length.

    Raises
    ------
    AssertionError
        The last one is not whole.
    """
    at = 0
    while at < len(stream):
        (length,) = struct.unpack_from(">i", stream, at)
        frame = stream[at + 4 : at + 4 + length]
        assert len(frame) == length, f"the last frame has {len(frame)} of {length} bytes"
        yield frame
        at += 4 + length


def correlation_of(response: bytes) -> int:
    """Correlation id."""
    return int.from_bytes(response[:4], signed=True)


def opening(request: bytes) -> tuple[int, int, int]:
    """API key, version and correlation id."""
    return struct.unpack_from(">hhi", request)
