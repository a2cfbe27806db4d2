"""One header's key, as a register has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Optional, TypeVar

from .types import HeaderType

__all__ = ["LARGEST_ID", "HeaderKey"]

T = TypeVar("T")
LARGEST_ID = 2**31 - 1


@dataclass(frozen=True)
class HeaderKey(Generic[T]):
    """The name of a header as it stands in records, the type of its values, and its number where it has one.

    Raises
    ------
    ValueError
        The name is empty, or the number is none from 0 to 2,147,483,647.
    """

    name: str
    type: HeaderType[T]
    id: Optional[int] = None

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a header's key has no name: give the one that stands in records")
        if self.id is not None and not 0 <= self.id <= LARGEST_ID:
            raise ValueError(f"header {self.name} has the id {self.id}: give one from 0 to {LARGEST_ID}")

    def __str__(self) -> str:
        return self.name if self.id is None else f"{self.name} ({self.id})"
