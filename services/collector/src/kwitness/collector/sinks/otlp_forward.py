"""Copies of pushes to OTLP endpoints over HTTP: a bounded queue each, retries as OTLP says, everything counted.

Source: OTLP specification 1.x, "OTLP/HTTP": 429, 502, 503 and 504 may be tried again, everything else may not.
"""

from __future__ import annotations

import asyncio
import logging
import random
import re
import socket
import ssl
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import aiohttp
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from yarl import URL

from kwitness.collector.events import Event
from kwitness.collector.ledger import Hop
from kwitness.collector.sinks.endpoint_address import address_of
from kwitness.collector.sinks.forwarded_request import encode
from kwitness.collector.tls import client_context
from kwitness.contracts.collector_config import ForwardConfig
from kwitness.contracts.denied_addresses import DeniedAddresses
from kwitness.runtime import allowed_hosts
from kwitness.runtime.reloading import ReloadingFile

_LOG = logging.getLogger(__name__)
MAX_QUEUED_BYTES: Final = 16 * 1024 * 1024
MAX_QUEUED: Final = 10_000
_BATCH: Final = 200
_BATCH_BYTES: Final = 1024 * 1024
_TIMEOUT_S: Final = 10
_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 30.0
_RETRYABLE: Final = frozenset({429, 502, 503, 504})
_HEADERS: Final = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}
_BAD: Final = frozenset({400, 413})
"""Answers to a request of which something is bad or which is too large; nothing of it was taken."""
_MAX_SPLITS: Final = 16
"""Times that one batch is split: enough to find two bad pushes in it."""
_MAX_DETAIL: Final = 300
_UNPRINTABLE: Final = re.compile(r"[^\x20-\x7e]+")


class AddressDeniedError(OSError):
    """An endpoint leads to a denied address."""


class OtlpForward:
    """One endpoint. Never holds a push back from the other sinks: when the queue is full the oldest is dropped.

    ``note_rejected`` is told how many points of a batch the endpoint did not take.
    """

    def __init__(
        self, config: ForwardConfig, denied: DeniedAddresses, hop: Hop, note_rejected: Callable[[int], None]
    ) -> None:
        self.config = config
        self._denied = denied
        self.hop = hop
        self._note_rejected = note_rejected
        self._system_tls = ssl.create_default_context()
        self._tls_context = ReloadingFile(Path(config.ca_file), client_context) if config.ca_file else None
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
        timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
        connector = aiohttp.TCPConnector(limit=1, socket_factory=self._socket)
        # The one connection to the outside: by the proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name.
        async with aiohttp.ClientSession(timeout=timeout, connector=connector, trust_env=True) as session:
            while True:
                await self._arrived.wait()
                batch = self._next_batch()
                if not batch:
                    self._arrived.clear()
                    continue
                await self._send(session, batch)

    async def _send(self, session: aiohttp.ClientSession, batch: list[Event]) -> None:
        """Send a batch; of one that the endpoint finds bad the halves, so that a push takes few others with it."""
        parts, splits = [batch], 0
        try:
            while parts:
                body, readable = encode(parts[-1], self.config)
                self.hop.drop("malformed", len(parts[-1]) - len(readable))
                parts[-1] = readable
                is_bad = bool(readable) and await self._deliver(session, body, len(readable))
                part = parts.pop()
                if is_bad and len(part) > 1 and splits < _MAX_SPLITS:
                    splits += 1
                    middle = len(part) // 2
                    parts += [part[middle:], part[:middle]]
                elif is_bad:
                    self.hop.drop("refused", len(part))
        except asyncio.CancelledError:
            self.hop.drop("stopped", sum(map(len, parts)))
            raise

    def _socket(self, found: aiohttp.AddrInfoType) -> socket.socket:
        """Make a socket for an address that is about to be dialed."""
        family, kind, protocol, _, address = found
        if self._denied.deny(str(address[0])):
            raise AddressDeniedError("the address is denied")
        return socket.socket(family, kind, protocol)

    def _check_address(self) -> None:
        """Refuse an address in the URL itself, which a proxy would dial without `_socket`."""
        host = URL(self.config.endpoint).host or ""
        with suppress(ValueError):
            if self._denied.deny(host):
                raise AddressDeniedError("the address is denied")

    def _tls(self) -> ssl.SSLContext:
        return self._system_tls if self._tls_context is None else self._tls_context.current()

    def _next_batch(self) -> list[Event]:
        batch: list[Event] = []
        size = 0
        while self._queue and len(batch) < _BATCH and size < _BATCH_BYTES:
            event = self._queue.popleft()
            size += len(event.payload)
            batch.append(event)
        self._queued_bytes -= size
        return batch

    async def _deliver(self, session: aiohttp.ClientSession, body: bytes, count: int) -> bool:
        """Send until it is done with; True for a request that the endpoint finds bad, which is not counted yet."""
        pause = _FIRST_PAUSE_S
        while True:
            answer: float | bool = 0.0
            try:
                headers = self._headers()
            except allowed_hosts.HostNotAllowedError as error:
                _LOG.warning("not forwarded", extra={"hop": self.hop.name, "detail": str(error)})
                self.hop.drop("host_not_allowed", count)
                return False
            except (OSError, ValueError) as error:
                # A Secret that is being changed, or not there yet: what is queued waits for it.
                detail = f"{self.config.headers_file}: {type(error).__name__}"
                _LOG.warning("the headers cannot be read", extra={"hop": self.hop.name, "detail": detail})
            else:
                answer = await self._post(session, body, headers, count)
            if isinstance(answer, bool):
                return answer
            await asyncio.sleep(max(answer, pause * random.uniform(0.5, 1.5)))  # noqa: S311 - spreading, not secrecy
            pause = min(pause * 2, _LONGEST_PAUSE_S)

    def _headers(self) -> dict[str, str]:
        headers = dict(_HEADERS)
        if self.config.headers_file:
            address = address_of(self.config.endpoint)
            allowed_hosts.check([address], self.config.hosts_file, self.config.hosts, f"forward {self.config.name}")
            for line in Path(self.config.headers_file).read_text().splitlines():
                name, separator, value = line.partition(":")
                if separator:
                    headers[name.strip()] = value.strip()
        return headers

    async def _post(
        self, session: aiohttp.ClientSession, body: bytes, headers: dict[str, str], count: int
    ) -> float | bool:
        """Send once; returns the pause in seconds that the endpoint requests, or as `_deliver` does."""
        try:
            self._check_address()
            # A redirect could carry the headers to a host that the Secret does not name.
            async with session.post(
                self.config.endpoint, data=body, headers=headers, ssl=self._tls(), allow_redirects=False
            ) as answer:
                if answer.status in _RETRYABLE:
                    after = answer.headers.get("Retry-After", "")
                    return min(float(after), _LONGEST_PAUSE_S) if after.isdecimal() else 0.0
                # The answer is small; what a hostile one sends beyond the first piece does not matter.
                content = await answer.content.readany()
                status = answer.status
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            if isinstance(error, AddressDeniedError) or isinstance(error.__cause__, AddressDeniedError):
                _LOG.warning("not forwarded to a denied address", extra={"hop": self.hop.name})
                self.hop.drop("address_denied", count)
                return False
            # A CA certificate that cannot be read is repaired like an endpoint that is away: by waiting.
            return 0.0
        if status == 200:  # noqa: PLR2004 - the one status of success that OTLP knows
            self._count_partial_success(content)
            self.hop.deliver(count)
            return False
        detail = _detail(content, [value for name, value in headers.items() if name not in _HEADERS])
        _LOG.warning(
            "the endpoint refused a batch",
            extra={"hop": self.hop.name, "status": status, "pushes": count, "detail": detail},
        )
        if status in _BAD:
            return True
        self.hop.drop("refused", count)
        return False

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
