"""Copies of pushes to OTLP endpoints: a bounded queue each, retries as OTLP says, everything counted."""

from __future__ import annotations

import asyncio
import logging
import random
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse

from kwitness.collector.events import Event
from kwitness.collector.ledger import Hop
from kwitness.collector.sinks.endpoint_address import address_of
from kwitness.collector.sinks.forwarded_request import encode
from kwitness.collector.sinks.otlp_grpc_transport import GrpcTransport
from kwitness.collector.sinks.otlp_http_transport import HttpTransport
from kwitness.collector.sinks.otlp_transport import Answer, Transport
from kwitness.contracts.collector_config import ForwardConfig
from kwitness.contracts.denied_addresses import DeniedAddresses
from kwitness.runtime import allowed_hosts

_LOG = logging.getLogger(__name__)
MAX_QUEUED_BYTES: Final = 16 * 1024 * 1024
MAX_QUEUED: Final = 10_000
_BATCH: Final = 200
_BATCH_BYTES: Final = 1024 * 1024
_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 30.0
_DROPPED: Final = {"bad": "refused", "denied": "address_denied"}
"""Reasons of the ledger for outcomes that have another name."""
_MAX_SPLITS: Final = 16
"""Times that one batch is split: enough to find two bad pushes in it."""
_MAX_DETAIL: Final = 300
_UNPRINTABLE: Final = re.compile(r"[^\x20-\x7e]+")


class OtlpForward:
    """One endpoint. Never holds a push back from the other sinks: when the queue is full the oldest is dropped.

    ``note_rejected`` is told how many points of a batch the endpoint did not take.
    """

    def __init__(
        self, config: ForwardConfig, denied: DeniedAddresses, hop: Hop, note_rejected: Callable[[int], None]
    ) -> None:
        self.config = config
        self.hop = hop
        self._note_rejected = note_rejected
        self._transport: Transport = (GrpcTransport if config.protocol == "grpc" else HttpTransport)(config, denied)
        self._queue: deque[Event] = deque()
        self._queued_bytes = 0
        self._arrived = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to send."""
        self._task = asyncio.create_task(self._run(), name=self.hop.name)

    async def stop(self) -> None:
        """End; what is queued is dropped and counted."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self.clear("stopped")

    def offer(self, event: Event) -> None:
        """Queue a copy; there is none of a push of which nothing could be filtered."""
        self.hop.accept(1)
        if event.malformed is not None:
            self.hop.drop("malformed")
            return
        self._queue.append(event)
        self._queued_bytes += len(event.payload)
        while len(self._queue) > MAX_QUEUED or self._queued_bytes > MAX_QUEUED_BYTES:
            self._queued_bytes -= len(self._queue.popleft().payload)
            self.hop.drop("queue_full")
        self._arrived.set()

    def holds(self, source: str) -> bool:
        """Return whether something of a source waits."""
        return any(event.source == source for event in self._queue)

    def clear(self, reason: str) -> None:
        """Drop and count what is queued."""
        self.hop.drop(reason, len(self._queue))
        self._queue.clear()
        self._queued_bytes = 0

    async def _run(self) -> None:
        try:
            while True:
                await self._arrived.wait()
                batch = self._next_batch()
                if batch:
                    await self._send(batch)
                else:
                    self._arrived.clear()
        finally:
            await self._transport.close()

    async def _send(self, batch: list[Event]) -> None:
        """Send a batch; of one that the endpoint finds bad the halves, so that a push takes few others with it."""
        parts, splits = [batch], 0
        try:
            while parts:
                request, readable = encode(parts[-1], self.config)
                self.hop.drop("malformed", len(parts[-1]) - len(readable))
                parts[-1] = readable
                outcome = await self._deliver(request, len(readable)) if readable else "accepted"
                part = parts.pop()
                if outcome == "accepted":
                    self.hop.deliver(len(part))
                elif outcome == "bad" and len(part) > 1 and splits < _MAX_SPLITS:
                    splits += 1
                    middle = len(part) // 2
                    parts += [part[middle:], part[:middle]]
                else:
                    self.hop.drop(_DROPPED.get(outcome, outcome), len(part))
        except asyncio.CancelledError:
            self.hop.drop("stopped", sum(map(len, parts)))
            raise

    def _next_batch(self) -> list[Event]:
        batch: list[Event] = []
        size = 0
        while self._queue and len(batch) < _BATCH and size < _BATCH_BYTES:
            event = self._queue.popleft()
            size += len(event.payload)
            batch.append(event)
        self._queued_bytes -= size
        return batch

    async def _deliver(self, request: bytes, count: int) -> str:
        """Send a request of so many pushes until there is an answer, and return its outcome."""
        pause = _FIRST_PAUSE_S
        while True:
            answer = Answer("again")
            try:
                headers = self._headers()
            except allowed_hosts.HostNotAllowedError as error:
                _LOG.warning("not forwarded", extra={"hop": self.hop.name, "detail": str(error)})
                return "host_not_allowed"
            except (OSError, ValueError) as error:
                # A Secret that is being changed, or not there yet: what is queued waits for it.
                detail = f"{self.config.headers_file}: {type(error).__name__}"
                _LOG.warning("the headers cannot be read", extra={"hop": self.hop.name, "detail": detail})
            else:
                answer = await self._transport.export(request, headers)
            if answer.outcome != "again":
                self._note(answer, count, headers)
                return answer.outcome
            least_s = min(answer.after_s, _LONGEST_PAUSE_S)
            await asyncio.sleep(max(least_s, pause * random.uniform(0.5, 1.5)))  # noqa: S311 - spreading, not secrecy
            pause = min(pause * 2, _LONGEST_PAUSE_S)

    def _headers(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        if self.config.headers_file:
            address = address_of(self.config.endpoint)
            allowed_hosts.check([address], self.config.hosts_file, self.config.hosts, f"forward {self.config.name}")
            for line in Path(self.config.headers_file).read_text().splitlines():
                name, separator, value = line.partition(":")
                if separator:
                    headers[name.strip()] = value.strip()
        return headers

    def _note(self, answer: Answer, count: int, headers: Mapping[str, str]) -> None:
        if answer.outcome == "accepted":
            self._count_partial_success(answer.content)
        elif answer.outcome == "denied":
            _LOG.warning("not forwarded to a denied address", extra={"hop": self.hop.name})
        else:
            detail = _detail(answer.content, headers.values())
            _LOG.warning(
                "the endpoint refused a batch",
                extra={"hop": self.hop.name, "status": answer.status, "pushes": count, "detail": detail},
            )

    def _count_partial_success(self, content: bytes) -> None:
        try:
            answer = ExportMetricsServiceResponse.FromString(content)
        except DecodeError:
            return
        if answer.partial_success.rejected_data_points:
            self._note_rejected(answer.partial_success.rejected_data_points)


def _detail(content: bytes, secrets: Iterable[str]) -> str:
    """Return what an endpoint says of a refusal, without what it repeats of our headers."""
    text = content.decode("utf-8", "replace")
    for word in sorted({word for secret in secrets for word in secret.split()}, key=len, reverse=True):
        text = text.replace(word, "***")
    return _UNPRINTABLE.sub(" ", text)[:_MAX_DETAIL].strip()
