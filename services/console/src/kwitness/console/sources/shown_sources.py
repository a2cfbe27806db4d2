"""Shows readers how old and complete a source is; sentences that may name what is not theirs are replaced."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from kwitness.console.readers import Reader
from kwitness.console.sources.source import SourceState

__all__ = ["ShownSource", "shown_source"]

_LACKS: Final = "parts of the answer are missing; people who see all namespaces see which"
_PROBLEM: Final = "its last answer did not come; people who see all namespaces see why, so ask who runs kwitness"


class ShownSource(NamedTuple):
    """A source as a page shows it, with the attributes of `SourceState`."""

    name: str
    state: Literal["loading", "complete", "partial", "failed"]
    as_of_ms: int | None
    lacks: tuple[str, ...]
    problem: str | None


def shown_source(source: SourceState, reader: Reader) -> ShownSource:
    """Return a source as a reader sees it."""
    lacks, problem = source.lacks, source.problem
    if not reader.sees_all:
        lacks, problem = (_LACKS,) if lacks else (), problem and _PROBLEM
    return ShownSource(source.name, source.state, source.as_of_ms, lacks, problem)
