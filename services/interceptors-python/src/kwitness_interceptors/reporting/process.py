"""The interceptors of this process: the profile, its clients, and the thread that reports what they counted.

Nothing of it exists until a client is made. A fork begins again: the clients that it inherits stay its parent's.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Optional, Union

from kwitness_interceptors.chain import ConsumerChain, Named, ProducerChain
from kwitness_interceptors.containment import FAILURES, reason_of
from kwitness_interceptors.hook_counts import HookSum
from kwitness_interceptors.measures.client_counts import ClientCounts, first_open_window, now_ms
from kwitness_interceptors.measures.header_warnings import WARNINGS
from kwitness_interceptors.profile import CONSUMER, PRODUCER, Profile
from kwitness_interceptors.settings import Settings, SettingsError, parse_settings
from kwitness_interceptors.through_observer import way_through

from .client_window import ClientWindow
from .header_rows import header_rows
from .identity import SETTINGS_VARIABLE, Reporter, drawn_reporter
from .identity_policy import IdentityPolicy
from .queue import HEADERS, INTERCEPTIONS, SEALS, TOTALS, Queue
from .rows import rows, totals
from .sender import HEARTBEAT_S, Sender

__all__ = ["PROCESS", "Client", "Process"]

_TICK_S = 1.0
_END_WITHIN_S = 2.0
"""How long the end of the application may be held up by the last report."""

Chain = Union[ProducerChain, ConsumerChain]


class Client:
    """A client with interceptors of the profile; `begin` tells the process of its chain."""

    def __init__(self, process: Optional[Process], counts: Optional[ClientCounts], interceptors: list[Named]) -> None:
        self.counts = counts
        self.interceptors = interceptors
        self.chain: Optional[Chain] = None
        self._process = process

    @property
    def is_closed(self) -> bool:
        """Whether the application closed it, or gave it up."""
        return self.chain is not None and self.chain.is_closed

    def begin(self, chain: Chain) -> None:
        """Report what its interceptors count from now on."""
        self.chain = chain
        if self._process is not None and self.counts is not None and self.interceptors:
            self._process.add(self)

    def hooks(self) -> dict[tuple[str, str], HookSum]:
        """Return the calls of the profile's interceptors so far."""
        if self.chain is None:
            return {}
        own = {one.name for one in self.interceptors}
        return {key: count.sum() for key, count in self.chain.counts().items() if key[0] in own}


class _Report(NamedTuple):
    """What one process reports with; all of it begins again in a fork."""

    reporter: Reporter
    queue: Queue
    sender: Sender


class Process:
    """Makes the profile's interceptors for new clients, and reports."""

    def __init__(self) -> None:
        # A signal's handler may make a client on the thread that holds it.
        self._lock = threading.RLock()
        self._profile: Optional[Profile] = None
        self._policy = IdentityPolicy(None)
        self._has_read = False
        self._read_at = float("-inf")
        self._clients: list[Client] = []
        self._number = 0
        self._reporter: Optional[Reporter] = None
        self._thread: Optional[threading.Thread] = None
        self._stop = threading.Event()
        self._not_intercepted: Counter[str] = Counter()
        self._not_through_observer: Counter[str] = Counter()
        self._unsettled: deque[tuple[int, int, int]] = deque()
        """Start and end of windows in the queue, in milliseconds since 1970, and the number after their last."""
        self._closed_until_ms = 0
        """Windows that ended by then are in the queue, in milliseconds since 1970."""
        self._sealed_until_ms = 0

    def client(self, side: str, config: Mapping[str, Any]) -> Client:
        """Make the profile's interceptors for a client with this configuration by Kafka's names."""
        if os.environ.get("KWITNESS_OFF") == "1":
            return Client(None, None, [])
        with self._lock:
            profile = self._settings()
            if profile is None:
                return Client(None, None, [])
            counts = self._counts(side, config, profile.settings)
        # The lock is not held: classes of the application may make clients themselves.
        return Client(self, counts, profile.interceptors(side, config, counts))

    def changes(self, config: Mapping[str, Any]) -> Mapping[str, str]:
        """Return what of a client's configuration, by Kafka's names, is changed so that it connects to an observer."""
        if os.environ.get("KWITNESS_OFF") == "1":
            return {}
        with self._lock:
            profile = self._settings()
            through = None if profile is None or profile.is_suspended else profile.settings.through_observer
            if through is None:
                return {}
            changes, reason = way_through(through, config)
            if reason is not None:
                self._not_through_observer[reason] += 1
            return changes

    def add(self, client: Client) -> None:
        """Report this client; begins to report with the first one."""
        with self._lock:
            self._clients.append(client)
            profile, reporter = self._profile, self._reporter
            if profile is None or reporter is None or self._thread is not None:
                return
            queue = Queue()
            report = _Report(reporter, queue, Sender(reporter, profile, queue))
            self._sealed_until_ms = reporter.epoch_ms
            thread = threading.Thread(target=self._run, args=(report,), name="kwitness-interceptors", daemon=True)
            thread.start()
            self._thread = thread
            atexit.register(self._end)

    def leave_to_parent(self) -> None:
        """Begin again after a fork: locks may be held by threads that are not here, and counts are the parent's."""
        FAILURES.begin_again()
        WARNINGS.begin_again()
        clients = self._clients
        atexit.unregister(self._end)
        self.__init__()  # type: ignore[misc] # as a new process has it
        for client in clients:
            if client.counts is not None:
                client.counts.leave_to_parent()

    def _counts(self, side: str, config: Mapping[str, Any], settings: Settings) -> Optional[ClientCounts]:
        """Return where a new client counts; None where nobody would be told of it, or clients are too many."""
        if self._reporter is None:
            self._reporter = drawn_reporter()
        if settings.collector is None or self._reporter.pod is None:
            return None
        if len(self._clients) >= settings.limits.clients:
            self._not_intercepted["too_many_clients"] += 1
            return None
        self._number += 1
        return ClientCounts(
            self._number,
            side,
            str(config.get("client.id", "")),
            _text(config.get("group.id")) if side == CONSUMER else None,
            window_ms=settings.window_ms,
            most_topics=settings.limits.topics,
            most_partitions=settings.limits.partitions,
        )

    def _settings(self) -> Optional[Profile]:
        """Read the file, once."""
        if not self._has_read:
            self._has_read = True
            self._read()
        return self._profile

    def _read(self) -> None:
        name = os.environ.get(SETTINGS_VARIABLE)
        if not name:
            return
        self._read_at = time.monotonic()
        try:
            settings = parse_settings(Path(name).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, SettingsError) as error:
            FAILURES.add(
                "kwitness_interceptors", "configure", f"{name}: {reason_of(error)}; what was read before counts"
            )
            return
        # The file of the key may come, and change, without the settings.
        self._policy = IdentityPolicy(settings.identity)
        if self._profile is None:
            self._profile = Profile(settings)
        else:
            self._profile.renew(settings)

    def _run(self, report: _Report) -> None:
        """Report until the process ends."""
        while not self._stop.wait(_TICK_S):
            _contained(self._tick, report)
        _contained(self._finish, report)

    def _tick(self, report: _Report) -> None:
        if time.monotonic() - self._read_at >= HEARTBEAT_S:
            self._read()
        self._close_windows(report)
        # One request for the rows, one for their seal, one to say that both are there.
        for _ in range(4):
            if not report.sender.is_due(time.monotonic()):
                return
            report.sender.send(self._state(report, ended=False))

    def _finish(self, report: _Report) -> None:
        """Send what is left, and a last word; what finds no collector is lost with the process."""
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            if client.counts is not None:
                client.counts.closed = True
        self._close_windows(report)
        deadline = time.monotonic() + _END_WITHIN_S
        while (waiting := len(report.queue)) and time.monotonic() < deadline:
            report.sender.send(self._state(report, ended=False))
            if report.sender.has_trouble or len(report.queue) == waiting:
                return
        report.sender.send(self._state(report, ended=True))

    def _end(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_END_WITHIN_S)

    def _close_windows(self, report: _Report) -> None:
        """Put the windows that ended into the queue, each with its seal and totals."""
        profile = self._profile
        if profile is None:
            return
        by_start: dict[tuple[int, int], list[ClientWindow]] = {}
        now = now_ms()
        for client in self._open_clients():
            counts = client.counts
            if counts is not None:
                for window in counts.finished(now, client.hooks()):
                    by_start.setdefault((window.start_ms, window.end_ms), []).append(
                        ClientWindow.from_counts(counts, window, self._policy)
                    )
        for (start_ms, end_ms), windows in sorted(by_start.items()):
            self._queue_window(report, profile, start_ms, end_ms, windows)
        self._closed_until_ms = first_open_window(now, profile.settings.window_ms)

    def _open_clients(self) -> list[Client]:
        """Return the clients; those that were closed are returned for the last time."""
        with self._lock:
            clients = self._clients
            for one in clients:
                if one.is_closed and one.counts is not None:
                    one.counts.closed = True
            self._clients = [one for one in clients if one.counts is None or not one.counts.closed]
        return clients

    def _queue_window(
        self, report: _Report, profile: Profile, start_ms: int, end_ms: int, windows: list[ClientWindow]
    ) -> None:
        settings, reporter, queue = profile.settings, report.reporter, report.queue
        event = {"event_source": reporter.source, "event_epoch": reporter.epoch_ms}
        seals: list[dict[str, Any]] = []
        dropped = 0
        for topic, written in ((INTERCEPTIONS, rows), (HEADERS, header_rows)):
            first, count, lost = queue.next_seq, 0, 0
            for one in windows:
                instance = f"{reporter.name}/{one.client.number}"
                for row in written(one, instance, settings):
                    fields = {"schema": f"kwitness.{topic}/1", **event, **row}
                    if queue.push(topic, instance, fields, settings.limits.queue_bytes) is None:
                        lost += 1
                    else:
                        count += 1
            if topic == HEADERS and not count and not lost:
                continue
            dropped += lost
            place = {"topic": topic, "first_seq": first, "last_seq": queue.next_seq - 1, "count": count}
            seals.append({**place, **({"dropped": {"queue_full": lost}} if lost else {})})
        told = {"dropped": {"queue_full": dropped}} if dropped else {}
        queue.push(TOTALS, "", {**totals(windows), **told}, settings.limits.queue_bytes)
        for seal in seals:
            fields = {
                "schema": "kwitness.seals/1",
                **event,
                "cluster_id": settings.cluster_id,
                "window_start_ms": start_ms,
                "window_end_ms": end_ms,
                "reported_by": "pod",
                **seal,
            }
            # Without room for a seal there was none for its rows: the ledger counts them.
            if queue.push(SEALS, reporter.source, fields, settings.limits.queue_bytes) is not None:
                self._unsettled.append((start_ms, end_ms, queue.next_seq))

    def _seal(self, settled: int) -> None:
        """Look up to which time everything is settled, where all numbers below this are."""
        while self._unsettled and self._unsettled[0][2] <= settled:
            self._unsettled.popleft()
        # Of a closed client the open window is queued at once, before those of others.
        until = min([self._closed_until_ms, *(start_ms for start_ms, _, _ in self._unsettled)])
        self._sealed_until_ms = max(self._sealed_until_ms, until)

    def _state(self, report: _Report, *, ended: bool) -> dict[str, Any]:
        self._seal(report.queue.settled)
        has_ended = ended and not len(report.queue)
        with self._lock:
            sides = Counter(one.counts.side for one in self._clients if one.counts is not None)
        return {
            "clients": [{"side": side, "clients": sides[side]} for side in (PRODUCER, CONSUMER) if sides[side]],
            "lacks_identity_key": self._policy.lacks_key,
            "not_intercepted": dict(self._not_intercepted),
            "not_through_observer": dict(self._not_through_observer),
            # Nothing is counted after the end.
            "sealed_until_ms": int(now_ms()) if has_ended else self._sealed_until_ms,
            "ended": has_ended,
        }


def _contained(step: Callable[[_Report], None], report: _Report) -> None:
    """Take a step; what goes wrong in one keeps none after it from being taken."""
    try:
        step(report)
    except Exception as error:  # noqa: BLE001 - without reports windows would be kept for nobody
        FAILURES.add("kwitness_interceptors", "report", reason_of(error))


def _text(value: object) -> Optional[str]:
    return None if value is None else str(value)


PROCESS = Process()
"""This one's."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=PROCESS.leave_to_parent)
