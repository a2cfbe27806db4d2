"""One replica's part of an answer, as it goes to the replica that answers, which passes items on as written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter
from pydantic_core import to_json

from kwitness.collector.inventory.ordered_rows import Row

_ROW: Final = TypeAdapter(tuple[str, str | None, int])
Head = TypeVar("Head", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Part(Generic[Head]):
    """Rows whose items are written, and all else that the replica knows; exchanged between replicas of one version."""

    head: Head
    rows: Sequence[Row]

    def write(self) -> bytes:
        """Return lines: the head, then two for each row."""
        lines = [self.head.model_dump_json().encode()]
        for row in self.rows:
            lines += (to_json((row.key, row.value, row.version)), row.item)
        return b"\n".join(lines)


def read_part(content: bytes, head: type[Head]) -> Part[Head]:
    """Return a part as it was written; raises ValueError if it is something else."""
    first, *lines = content.split(b"\n")
    rows = zip(lines[::2], lines[1::2], strict=True)
    return Part(head.model_validate_json(first), [Row(*_ROW.validate_json(row), item) for row, item in rows])
