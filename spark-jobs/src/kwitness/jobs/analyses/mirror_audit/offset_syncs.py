"""What MirrorMaker 2 writes of the offsets that it gave: which offset at the source became which one at the mirror.

Its connector keeps them in a topic `mm2-offset-syncs.<alias>.internal`, by default at the source: the key is the
topic's name (its length in two bytes, then UTF-8) and the partition in four, the value both offsets in eight each.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

_TOPIC = re.compile(r"mm2-offset-syncs\..+\.internal")
_LENGTH = struct.Struct(">h")
_PARTITION = struct.Struct(">i")
_OFFSETS = struct.Struct(">qq")


class OffsetSync(NamedTuple):
    """One pair of offsets of the same record."""

    topic: str
    partition: int
    source: int
    mirror: int


def is_of_syncs(topic: str) -> bool:
    """Whether a topic has syncs, by its name."""
    return _TOPIC.fullmatch(topic) is not None


def sync_of(key: bytes | None, value: bytes | None) -> OffsetSync | None:
    """What a record says; None where it is none of MirrorMaker's, or says that there is none any more."""
    if key is None or value is None or len(value) != _OFFSETS.size or len(key) < _LENGTH.size:
        return None
    [length] = _LENGTH.unpack_from(key)
    name = key[_LENGTH.size : _LENGTH.size + length]
    if length < 1 or len(key) != _LENGTH.size + length + _PARTITION.size:
        return None
    [partition] = _PARTITION.unpack_from(key, _LENGTH.size + length)
    source, mirror = _OFFSETS.unpack(value)
    try:
        topic = name.decode()
    except UnicodeDecodeError:
        return None
    return None if min(partition, source, mirror) < 0 else OffsetSync(topic, partition, source, mirror)


class Stretches(NamedTuple):
    """What lies between syncs, added up.

    Attributes
    ----------
    fewer
        Offsets that the mirror has fewer than the source, between two syncs each.
    more
        Likewise that it has more.
    """

    fewer: int
    more: int
    last: tuple[int, int]


def compared(pairs: Iterable[tuple[int, int]]) -> Stretches | None:
    """Compare the offsets between each two syncs, in the order in which they were written; None without two of them.

    A mirror that was killed begins again where it last said that it was: the source's offset goes back, and what came
    twice is more. Where the mirror's offset goes back, its topic was recreated, and nothing is between.
    """
    found = list(dict.fromkeys(pairs))
    fewer = more = 0
    for before, after in pairwise(found):
        if after[1] < before[1]:
            continue
        step = (after[0] - before[0]) - (after[1] - before[1])
        fewer, more = fewer + max(0, step), more + max(0, -step)
    return Stretches(fewer, more, found[-1]) if len(found) > 1 else None


def in_order(known: Iterable[tuple[int, int]], told: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """All syncs of a partition: those that are known and gone from MirrorMaker's topic are older than what it has."""
    there = dict.fromkeys(told)
    return [*(one for one in dict.fromkeys(known) if one not in there), *there]
