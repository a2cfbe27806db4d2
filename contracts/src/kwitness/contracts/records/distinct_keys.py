"""How many different keys there are: HyperLogLog as Apache DataSketches has it, HLL_8 with 4,096 registers.

The reference that interceptors' own are checked against. Images of it add up in any DataSketches library, Spark's
`hll_union_agg` included: each is marked as out of order, so readers estimate from the registers alone.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from typing import Final

__all__ = ["IMAGE_BYTES", "LG_REGISTERS", "MAX_IMAGE_TEXT", "REGISTERS", "DistinctKeys"]

LG_REGISTERS: Final = 12
REGISTERS: Final = 1 << LG_REGISTERS
IMAGE_BYTES: Final = 40 + REGISTERS
"""Length of an image: the preamble, then a byte for each register."""
MAX_IMAGE_TEXT: Final = (IMAGE_BYTES + 2) // 3 * 4
"""Length of an image in base64."""

_SEED: Final = 9001
_MASK: Final = (1 << 64) - 1
_C1: Final = 0x87C37B91114253D5
_C2: Final = 0x4CF5AD432745937F
_MOST_LEADING: Final = 62
_FIRST_OF_SECOND: Final = 32
"""Registers from this value on are summed up apart, so that neither sum loses digits."""
_PREAMBLE: Final = struct.Struct("<8B3dII")
_HEAD: Final = (10, 1, 7, LG_REGISTERS, 0, 0b10000, 0, 0b1010)
"""Preamble of ten ints, serial version 1, family HLL, lgK, no list, out of order, minimum 0, mode HLL of type HLL_8."""
_LARGE: Final = 2.5 * REGISTERS
"""Above this the raw estimate alone is good; below, empty registers tell more."""


def _rotate(value: int, bits: int) -> int:
    return (value << bits | value >> (64 - bits)) & _MASK


def _mix(value: int) -> int:
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & _MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
    return value ^ value >> 33


def murmur(key: bytes) -> tuple[int, int]:
    """Return MurmurHash3's two 64-bit halves of `key` (x64, 128 bit), with DataSketches' seed."""
    first = second = _SEED
    whole = len(key) & ~15
    for low, high in struct.iter_unpack("<QQ", key[:whole]):
        first ^= _rotate(low * _C1 & _MASK, 31) * _C2 & _MASK
        first = ((_rotate(first, 27) + second) * 5 + 0x52DCE729) & _MASK
        second ^= _rotate(high * _C2 & _MASK, 33) * _C1 & _MASK
        second = ((_rotate(second, 31) + first) * 5 + 0x38495AB5) & _MASK
    low, high = struct.unpack("<QQ", key[whole:].ljust(16, b"\0"))
    second ^= _rotate(high * _C2 & _MASK, 33) * _C1 & _MASK
    first ^= _rotate(low * _C1 & _MASK, 31) * _C2 & _MASK
    first ^= len(key)
    second ^= len(key)
    first = (first + second) & _MASK
    second = (second + first) & _MASK
    first, second = _mix(first), _mix(second)
    first = (first + second) & _MASK
    return first, (second + first) & _MASK


class DistinctKeys:
    """The registers, one byte each; an empty key counts nothing, as DataSketches has it."""

    def __init__(self, keys: Iterable[bytes] = ()) -> None:
        self.registers = bytearray(REGISTERS)
        for key in keys:
            self.add(key)

    def add(self, key: bytes) -> None:
        """Count a key."""
        if not key:
            return
        place, leading = murmur(key)
        value = min(64 - leading.bit_length(), _MOST_LEADING) + 1
        slot = place & (REGISTERS - 1)
        self.registers[slot] = max(self.registers[slot], value)

    def merge(self, other: DistinctKeys) -> None:
        """Count the keys of another."""
        self.registers = bytearray(map(max, self.registers, other.registers))

    def image(self) -> bytes:
        """Return what DataSketches' libraries read."""
        sums = [
            math.fsum(2.0**-value for value in self.registers if (value < _FIRST_OF_SECOND) is small)
            for small in (True, False)
        ]
        return _PREAMBLE.pack(*_HEAD, 0.0, *sums, self.registers.count(0), 0) + bytes(self.registers)

    def estimate(self) -> int:
        """Return about how many different keys there were.

        By Flajolet's formula, or by the number of empty registers while that is the better one.
        """
        raw = 0.7213 / (1 + 1.079 / REGISTERS) * REGISTERS**2 / math.fsum(2.0**-value for value in self.registers)
        empty = self.registers.count(0)
        if empty and raw <= _LARGE:
            return round(REGISTERS * math.log(REGISTERS / empty))
        return round(raw)
