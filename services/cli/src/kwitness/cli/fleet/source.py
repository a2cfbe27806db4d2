"""An observer that is not there: numbers the rows of its clients and seals its windows, as the true one does."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence

from kwitness.contracts.topics import CONNECTIONS, HEADERS, REQUESTS, SCHEMAS, SEALS, TRAFFIC

from . import rows
from .clients import Client
from .fleet import Fleet
from .header_keys import header_rows
from .logs import Logs
from .record import FleetRecord

__all__ = ["Source"]

_TOPICS = (TRAFFIC, CONNECTIONS, REQUESTS, HEADERS, SEALS)
_RECONNECTS, _OVERFLOWS = 0.01, 0.05
_FIRST_STARTED_BEFORE_MS = 60_000
_RESTARTS_AFTER_MS = 5


class Source:
    """One source through all of its epochs; windows are asked for in their order."""

    def __init__(self, fleet: Fleet, number: int, clients: Sequence[Client]) -> None:
        self._fleet = fleet
        self._clients = clients
        self._mode, self._reported_by = ("gateway", "gateway") if number % 2 == 0 else ("sidecar", "pod")
        self._name = f"fleet/{self._mode}-{number}"
        self._dice = random.Random(f"{fleet.seed}/source/{number}")  # noqa: S311 - it must be the same again
        # Sources end at different times, so that no window is without any.
        spread = number % (fleet.windows // fleet.epochs)
        self._ends = [epoch * fleet.windows // fleet.epochs + spread for epoch in range(1, fleet.epochs)]
        self._start(max(0, fleet.start_ms - _FIRST_STARTED_BEFORE_MS))

    def window(self, number: int, logs: Logs, arrives_ms: int) -> Iterator[list[FleetRecord]]:
        """Yield the records of a window, which arrive at a time in milliseconds since 1970.

        There are two lists where the source is started again in the window: of the epoch before it, and of the new one.
        """
        start_ms = self._fleet.start_ms + number * self._fleet.window_ms
        if number in self._ends:
            if self._ends.index(number) % 2 == 0:
                yield self._records(start_ms, logs, arrives_ms, is_last=True)
            else:
                # A kill: what was not sent yet is gone, the last seal with it.
                made = self._records(start_ms, logs, arrives_ms)
                yield made[: self._dice.randrange(len(made))] if made else []
            self._start(start_ms + _RESTARTS_AFTER_MS)
        yield self._records(start_ms, logs, arrives_ms)

    def _start(self, epoch_ms: int) -> None:
        """Begin an epoch."""
        self._epoch_ms = epoch_ms
        self._next = 1
        self._connections = 0
        self._opened: dict[int, tuple[str, int]] = {}
        source = f'"event_source":{json.dumps(self._name)},"event_epoch":{epoch_ms},"event_seq":'
        self._before = {kind: f'{{"schema":"{SCHEMAS[kind]}",{source}' for kind in _TOPICS}
        cluster = json.dumps(self._fleet.cluster_id, ensure_ascii=False)
        self._after = f',"reported_by":"{self._reported_by}","observer_mode":"{self._mode}","cluster_id":{cluster},'
        namespace, _, pod = self._name.partition("/")
        named = (("event_source", self._name.encode()), ("event_epoch", str(epoch_ms).encode()))
        self._headers_before = {kind: (("schema", SCHEMAS[kind].encode()), *named) for kind in self._before}
        self._headers_after = (
            ("reported_by", self._reported_by.encode()),
            ("cluster_id", self._fleet.cluster_id.encode()),
            ("k8s_namespace", namespace.encode()),
            ("k8s_pod", pod.encode()),
        )

    def _records(self, start_ms: int, logs: Logs, arrives_ms: int, *, is_last: bool = False) -> list[FleetRecord]:
        end_ms = start_ms + self._fleet.window_ms
        within = f'"window_start_ms":{start_ms},"window_end_ms":{end_ms},'
        out: list[FleetRecord] = []
        self._seal(CONNECTIONS, within, self._connection_rows(start_ms, is_last=is_last), arrives_ms, out)
        self._seal(TRAFFIC, within, self._traffic_rows((start_ms, end_ms), within, logs), arrives_ms, out)
        if self._fleet.headers:
            self._seal(HEADERS, within, self._header_rows(within), arrives_ms, out)
        if self._fleet.requests:
            self._seal(REQUESTS, within, self._request_rows(start_ms), arrives_ms, out)
        # The window's totals have a number as well, and go to no topic.
        self._next += 1
        return out

    def _seal(
        self, kind: str, within: str, members: Iterator[tuple[bytes, str]], arrives_ms: int, out: list[FleetRecord]
    ) -> None:
        """Number the rows of a topic and seal them, if there are any."""
        first, share, dropped = self._next, self._fleet.faults.dropped, 0
        before, after = self._before[kind], self._after
        for key, rest in members:
            if share and self._dice.random() < share:
                dropped += 1
            else:
                out.append(self._record(kind, key, f"{before}{self._next}{after}{rest}", arrives_ms))
            self._next += 1
        if count := self._next - first:
            seal = rows.seal_row(kind, first, self._next - 1, count - dropped, dropped)
            value = f"{self._before[SEALS]}{self._next}{after}{within}{seal}"
            out.append(self._record(SEALS, self._name.encode(), value, arrives_ms))
            self._next += 1

    def _record(self, kind: str, key: bytes, value: str, arrives_ms: int) -> FleetRecord:
        number = ("event_seq", b"%d" % self._next)
        headers = (*self._headers_before[kind], number, *self._headers_after)
        return FleetRecord(kind, key, value.encode(), headers, arrives_ms, "")

    def _traffic_rows(self, window: tuple[int, int], within: str, logs: Logs) -> Iterator[tuple[bytes, str]]:
        dice = self._dice
        for client in self._clients:
            about = client.identity + within
            for row in rows.partition_rows(client, logs, window, dice):
                yield client.key, about + row
        if dice.random() < _OVERFLOWS:
            yield b"", within + rows.overflowed_row(dice)
        for client in self._clients:
            about = client.identity + within
            for row in rows.api_rows(client, dice):
                yield client.key, about + row
        for client in self._clients:
            about = client.identity + within
            for row in rows.presence_rows(client, logs):
                yield client.key, about + row

    def _header_rows(self, within: str) -> Iterator[tuple[bytes, str]]:
        for client in self._clients:
            for row in header_rows(client, self._dice):
                yield client.key, client.identity + within + row

    def _request_rows(self, start_ms: int) -> Iterator[tuple[bytes, str]]:
        """A request and its answer of each client, on a connection of its own."""
        for client in self._clients:
            opened = self._opened.get(client.number)
            if opened is None:
                continue
            at_ms = start_ms + int(self._dice.random() * self._fleet.window_ms / 2)
            for row in rows.exchange_rows(client, opened[0], at_ms, start_ms // self._fleet.window_ms, self._dice):
                yield client.key, client.identity + row

    def _connection_rows(self, start_ms: int, *, is_last: bool) -> Iterator[tuple[bytes, str]]:
        """Open what is not open; some clients connect again, and all connections end with an epoch that is no kill."""
        for client in self._clients:
            at_ms = start_ms + int(self._dice.random() * self._fleet.window_ms)
            opened = self._opened.get(client.number)
            again = opened is not None and self._dice.random() < _RECONNECTS
            if opened is not None and (again or is_last):
                name, since_ms = opened
                row = rows.connection_row("closed", name, at_ms, max(0, at_ms - since_ms))
                yield client.key, client.identity + row
                del self._opened[client.number]
            if client.number not in self._opened and not is_last:
                self._connections += 1
                name = f"{self._epoch_ms}-{self._connections}"
                self._opened[client.number] = name, at_ms
                yield client.key, client.identity + rows.connection_row("opened", name, at_ms)
