"""Replays recorded events into an observer, on the caller's own thread and without Kafka."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar

from pydantic import ValidationError

from kwitness.contracts.records.requests import RequestEvent
from kwitness.observer.calls import Call
from kwitness.observer.interface import Observer
from kwitness.observer.loading import configured
from kwitness.observer.ordering import Arrival, Ordering

__all__ = ["RECORDED", "read_events", "replay"]

RECORDED: Final = Path(__file__).with_name("recorded.jsonl")
"""A producer, a consumer and an administrator as `kwitness.requests` has them, told by an observer before a broker.

Written by `python -m tests.observer.record_requests`.
"""

T = TypeVar("T", bound=Observer)

_CLOSE_S: Final = 5.0


def read_events(path: Path) -> Iterator[RequestEvent]:
    """Read records of ``kwitness.requests``, one JSON object a line; blank lines do not count.

    Raises
    ------
    ValueError
        A line is no request event; says which and why.
    OSError
        The file cannot be read.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _event(line, path, number)


def replay(
    kind: type[T], events: Path | Iterable[RequestEvent] = RECORDED, *, config: Mapping[str, str] | None = None
) -> T:
    """Make an observer, configure it, call it for each event in the order of the connections, close it, return it.

    What a record method raises is raised here, where the host would count the event as lost.

    Raises
    ------
    UnusableObserverError
        The host would not use the class, or refuse these settings.
    ValueError, OSError
        The events cannot be read, see `read_events`.
    """
    observer = configured(kind, config or {})
    ordering = Ordering(patience_s=math.inf)
    for event in read_events(events) if isinstance(events, Path) else events:
        for arrival in ordering.take(Arrival(event), 0.0):
            Call(arrival.event).make(observer)
    for arrival in ordering.drain():
        Call(arrival.event).make(observer)
    observer.close(_CLOSE_S)
    return observer


def _event(line: str, path: Path, number: int) -> RequestEvent:
    try:
        return RequestEvent.model_validate_json(line)
    except ValidationError as error:
        issue = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, issue["loc"])) or "line"
        raise ValueError(
            f"{path}, line {number}: {place}: {issue['msg']}; write a record of kwitness.requests in each line"
        ) from error
