"""Hands the queue to the collector, one request at a time, and says every few seconds that the process is alive."""

from __future__ import annotations

import http.client
import json
import logging
import time
from collections.abc import Mapping
from typing import Any, Optional

from kwitness_interceptors.containment import reason_of
from kwitness_interceptors.profile import Profile
from kwitness_interceptors.version import VERSION

from .answer import Answer, owner_of, parse_answer
from .collector_client import post_events
from .identity import Reporter
from .queue import TOTALS, Item, Queue

__all__ = ["HEARTBEAT_S", "Sender"]

HEARTBEAT_S = 5.0
_SHORTEST_WAIT_S = 0.2
_LONGEST_WAIT_S = 10.0
_EVERYTHING = 1_000_000

_LOG = logging.getLogger("kwitness.interceptors")


class Sender:
    """Sends for one reporter; called on its thread alone.

    Parameters
    ----------
    reporter
        Who reports; its pod is known.
    profile
        The settings in force; what the collector wants is told to it.
    queue
        What waits.
    """

    def __init__(self, reporter: Reporter, profile: Profile, queue: Queue) -> None:
        self._reporter = reporter
        self._profile = profile
        self._queue = queue
        self._most = _EVERYTHING
        self._failures = 0
        self._not_before = 0.0
        self._sent_at = float("-inf")
        self._has_news = False
        """Whether something was settled by the last answer, which nobody was told of."""
        self._acknowledges: Optional[tuple[str, str]] = None

    @property
    def has_trouble(self) -> bool:
        """Whether the last request was not answered as a collector does."""
        return self._failures > 0

    def is_due(self, now: float) -> bool:
        """Whether there is something to send at this monotonic time."""
        is_waiting = len(self._queue) > 0 or self._has_news
        return now >= self._not_before and (is_waiting or now - self._sent_at >= HEARTBEAT_S)

    def send(self, state: Mapping[str, Any]) -> None:
        """Make a request of what waits, and settle it; never raises for what the collector or the network does."""
        collector = self._profile.settings.collector
        self._sent_at = time.monotonic()
        self._has_news = False
        if collector is None:
            return
        batch = self._queue.batch(self._most)
        ordinal = owner_of(self._reporter.pod or "", collector.replicas)
        try:
            status, body = post_events(collector, ordinal, self._body(batch, state))
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._wait(reason_of(error))
            return
        answer = parse_answer(body) if status == http.HTTPStatus.OK else None
        if status in {400, 413, 415, 422}:
            self._halve(batch, "too_large" if status == http.HTTPStatus.REQUEST_ENTITY_TOO_LARGE else "refused")
        elif status != http.HTTPStatus.OK:
            self._wait(f"it answered {status}")
        elif answer is None or answer.replica != ordinal or not self._is_known(collector.url, answer.collector):
            self._wait("somebody else answers at its address")
        else:
            self._settle(batch, answer)

    def _settle(self, batch: list[Item], answer: Answer) -> None:
        if self._failures:
            _LOG.info("The collector takes events of interceptors again")
        self._failures = 0
        self._most = min(self._most * 2, _EVERYTHING)
        self._profile.told(answer.settings, answer.suspend)
        again = self._queue.settle(batch, answer)
        # Who is killed before it says so leaves these in doubt.
        self._has_news = len(batch) > again
        if again:
            wait = min(max(_SHORTEST_WAIT_S, answer.retry_after_ms / 1000), _LONGEST_WAIT_S)
            self._not_before = time.monotonic() + wait

    def _halve(self, batch: list[Item], reason: str) -> None:
        """Find the item that the collector cannot read by sending fewer."""
        if len(batch) == 1:
            self._queue.give_up(batch[0], reason)
        self._most = max(1, len(batch) // 2)
        self._wait("it cannot read a request")

    def _wait(self, reason: str) -> None:
        if not self._failures:
            _LOG.warning("The collector takes no events of interceptors; it is tried again: %s", reason)
        wait = min(_SHORTEST_WAIT_S * 2 ** min(self._failures, 16), _LONGEST_WAIT_S)
        self._failures += 1
        self._not_before = time.monotonic() + wait

    def _is_known(self, url: str, name: str) -> bool:
        """Whether it is the collector that answered first at this URL; only it can acknowledge."""
        if self._acknowledges is not None and self._acknowledges[0] == url:
            return self._acknowledges[1] == name
        self._acknowledges = (url, name)
        return True

    def _body(self, batch: list[Item], state: Mapping[str, Any]) -> bytes:
        """Return the head, and a line for each row."""
        reporter, settings, queue = self._reporter, self._profile.settings, self._queue
        rows = [one for one in batch if one.topic != TOTALS]
        ledger = queue.ledger
        head = {
            "schema": "kwitness.interceptor_events/1",
            "source": reporter.source,
            "epoch": reporter.epoch_ms,
            "cluster_id": settings.cluster_id,
            "profile": {"namespace": settings.namespace, "name": settings.name},
            "runtime": "python",
            "reporter": reporter.name,
            "process_id": reporter.process_id,
            "container": reporter.container,
            "workload": settings.workload,
            "attributes": dict(settings.attributes),
            "version": VERSION,
            "settled": queue.settled,
            "sent_at_ms": int(time.time() * 1000),
            "rows": [{"seq": one.seq, "topic": one.topic, "key": one.key, "bytes": len(one.line)} for one in rows],
            "totals": [json.loads(one.line) for one in batch if one.topic == TOTALS],
            "state": {
                "settings": settings.hash,
                "suspended": self._profile.is_suspended,
                "unusable": dict(list(self._profile.unusable.items())[:16]),
                "ledger": {
                    "accepted": ledger.accepted,
                    "delivered": ledger.delivered,
                    "queued": queue.rows,
                    "dropped": ledger.dropped,
                },
                **state,
            },
        }
        return b"\n".join([json.dumps(head, separators=(",", ":")).encode(), *(one.line for one in rows), b""])
