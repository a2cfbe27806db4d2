"""A fleet's events, window by window, in the order in which they arrive."""

from __future__ import annotations

from collections.abc import Iterator

from .clients import clients_of, topics_of
from .faults import FaultyWay
from .fleet import Fleet
from .logs import Logs
from .pushes import Pushes
from .record import FleetRecord
from .reporter import reporters
from .source import Source

__all__ = ["events"]

_FIRST_ARRIVES_MS, _ARRIVE_WITHIN_MS, _REPORTED_AFTER_MS = 200, 1_000, 1_200


def events(fleet: Fleet) -> Iterator[FleetRecord]:
    """Yield all records of a fleet.

    Timestamps do not fall, but for what was late: it comes behind the others of the window in which it arrives. What is
    late at the end comes at the end. Nothing happens to pushes on their way.
    """
    topics = topics_of(fleet)
    clients = [clients_of(fleet, number, topics) for number in range(fleet.sources)]
    sources = [Source(fleet, number, own) for number, own in enumerate(clients)]
    watched = reporters(fleet, clients) if fleet.interceptors else ()
    logs = Logs(fleet.topics, fleet.partitions, skips=fleet.skips, seed=fleet.seed)
    pushes = Pushes(fleet, [one for of_source in clients for one in of_source])
    way = FaultyWay(fleet)
    for number in range(fleet.windows):
        logs.begin_window()
        start_ms = fleet.start_ms + number * fleet.window_ms
        way.begin_window(number, start_ms)
        yield from pushes.window(number)
        for place, source in enumerate(sources):
            arrives_ms = start_ms + fleet.window_ms + _FIRST_ARRIVES_MS + place * _ARRIVE_WITHIN_MS // len(sources)
            for records in source.window(number, logs, arrives_ms):
                yield from way.through(records)
        for reporter in watched:
            yield from way.through(reporter.window(start_ms, start_ms + fleet.window_ms + _REPORTED_AFTER_MS))
        yield from way.end_window()
    yield from way.end()
