"""Many headers in one: KIP-82's set, which is ascending int32 id, int32 length, value, and nothing around it.

The set has no count. Every length is compared with the bytes that are there before anything is made of it, so that
no set makes a reader allocate more than its own size. Integers are big-endian.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional, Protocol

from .keys import LARGEST_ID

__all__ = ["SET_HEADER", "Data", "HeaderSetError", "SetReader", "decode_set", "encode_set"]

SET_HEADER = "kwitness.set"
"""The native header that the set travels in."""
_INT = 4


class HeaderSetError(ValueError):
    """The bytes are no set; `reason` is a word that every runtime has for it."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Data(Protocol):
    """What a set is read from: bytes, a memoryview, a mapped file."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: slice, /) -> bytes | memoryview: ...


def encode_set(values: Mapping[int, bytes]) -> bytes:
    """Return the set of these values by id; nothing at all where there are none.

    Raises
    ------
    ValueError
        An id is none from 0 to 2,147,483,647.
    """
    parts = []
    for number in sorted(values):
        if not 0 <= number <= LARGEST_ID:
            raise ValueError(f"a header has the id {number}: give one from 0 to {LARGEST_ID}")
        value = values[number]
        parts += [number.to_bytes(_INT, "big"), len(value).to_bytes(_INT, "big"), value]
    return b"".join(parts)


def decode_set(data: Data) -> dict[int, bytes]:
    """Return the values of a whole set by id, ascending.

    Raises
    ------
    HeaderSetError
        It is none.
    """
    reader = SetReader(data)
    values: dict[int, bytes] = {}
    while (entry := reader.read_next()) is not None:
        values[entry[0]] = entry[1]
    return values


class SetReader:
    """Reads a set from its beginning, and no byte further than it is asked to.

    `position` is how many bytes were read. Since ids ascend, `read_until` stops where a higher one stands: after that
    one's four bytes, which the next call does not read again.
    """

    def __init__(self, data: Data) -> None:
        self._data = data
        self._size = len(data)
        self._waiting: Optional[int] = None
        self._last = -1
        self.position = 0

    def read_until(self, number: int) -> Optional[bytes]:
        """Return the value with this id, None where the set has none; pass over those with lower ids.

        Raises
        ------
        ValueError
            The id is not above the one asked for before, whose bytes are passed.
        HeaderSetError
            What had to be read is no set.
        """
        if number <= self._last:
            raise ValueError(
                f"header {number} is asked for after {self._last}: ask in ascending order, or begin another reader"
            )
        while (found := self._peek()) is not None and found < number:
            start, end = self._value()
            self.position = end
        if found != number:
            return None
        start, end = self._value()
        return self._take(start, end)

    def read_next(self) -> Optional[tuple[int, bytes]]:
        """Return the next id and its value, None at the end.

        Raises
        ------
        HeaderSetError
            It is no set from here on.
        """
        number = self._peek()
        if number is None:
            return None
        start, end = self._value()
        return number, self._take(start, end)

    def _peek(self) -> Optional[int]:
        """The id that stands next, None at the end."""
        if self._waiting is None and self.position < self._size:
            at = self.position
            number = self._int("an id")
            if number < 0:
                raise self._error("negative_id", at, f"the id {number} is negative")
            if number == self._last:
                raise self._error("duplicate", at, f"the id {number} comes again")
            if number < self._last:
                raise self._error("out_of_order", at, f"the id {number} comes after {self._last}")
            self._waiting = number
        return self._waiting

    def _value(self) -> tuple[int, int]:
        """Where the value of the id that was read begins and ends; the id is used up."""
        at = self.position
        length = self._int(f"the length of header {self._waiting}")
        if length < 0:
            raise self._error("negative_length", at, f"the length of header {self._waiting} is {length}")
        end = self.position + length
        if end > self._size:
            raise self._error(
                "truncated", at, f"header {self._waiting} has {length} bytes, of which {self._size - self.position} are"
            )
        self._last, self._waiting = self._waiting or 0, None
        return self.position, end

    def _int(self, what: str) -> int:
        end = self.position + _INT
        if end > self._size:
            raise self._error("truncated", self.position, f"{what} lacks bytes")
        return int.from_bytes(self._take(self.position, end), "big", signed=True)

    def _take(self, start: int, end: int) -> bytes:
        self.position = end
        return bytes(self._data[start:end])

    def _error(self, reason: str, at: int, what: str) -> HeaderSetError:
        self.position = at  # whoever asks again is told the same
        return HeaderSetError(
            reason,
            f"{self._size} bytes are no set of headers: at byte {at} {what}; have what writes them use encode_set or "
            "Java's HeaderSet, or read them as what they are",
        )
