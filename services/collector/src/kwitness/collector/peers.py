"""The other replicas of this collector: parts of batches go to their owner, questions about everybody to everybody."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import aiohttp
from pydantic import ValidationError

from kwitness.collector import events as batches
from kwitness.collector.compression import compress
from kwitness.collector.configuration import Settings
from kwitness.collector.events import Event, ForwardedAnswer, Outcome, together
from kwitness.collector.failures import BodyTooLargeError, UnavailableError
from kwitness.collector.scope_headers import write_scope
from kwitness.collector.sharding import ordinal_of, owner_of
from kwitness.collector.tls import client_context
from kwitness.contracts.collector_config import CollectorConfig
from kwitness.contracts.endpoints import EVENTS_PATH, GAUGES_PATH, PUSHES_PATH
from kwitness.contracts.envelopes import GaugeSnapshot, Rejection
from kwitness.contracts.reader_rights import ReaderScope
from kwitness.runtime.child_names import collector_name, collector_peer_host
from kwitness.runtime.reloading import ReloadingFile

FORWARDED: Final = "Kwitness-Forwarded"
CLUSTER: Final = "Kwitness-Cluster"
POD: Final = "Kwitness-Pod"
REPORTED_BY: Final = "Kwitness-Reported-By"
INTERCEPTS: Final = "Kwitness-Intercepts"
_TIMEOUT_S: Final = 15
_QUESTION_S: Final = 3
_CONNECT_S: Final = 1
_OTLP: Final = aiohttp.ClientTimeout(total=3, connect=1)
"""OTLP clients wait for few seconds, and ask again."""
_AWAY_S: Final = 5
"""How long a replica that did not answer an export is not tried again by others (docs/decisions/0115)."""
_PASS_ON_S: Final = 45
"""A body may take 30 s to arrive, and its rows 8 s to be written."""
_MAX_ANSWER: Final = 32 * 1024 * 1024
_CHUNK: Final = 64 * 1024
_MAX_PART: Final = 4 * 1024 * 1024
"""Bytes of a part before compression: less than a replica takes even of what cannot be compressed."""
_TOO_LARGE: Final = 413


class PeerAwayError(UnavailableError):
    """Another replica does not answer."""

    def __init__(self, message: str) -> None:
        super().__init__("PeerUnavailable", message)


class Peers:
    """Implements `pipeline.Replicas` by HTTP; the addresses follow from the StatefulSet's name."""

    def __init__(self, config: CollectorConfig, settings: Settings) -> None:
        self._settings = settings
        self._token = ReloadingFile(settings.token_file, lambda content: content.decode().strip())
        self._session: aiohttp.ClientSession | None = None
        self._away_until: dict[int, float] = {}
        self.configure(config)

    def configure(self, config: CollectorConfig) -> None:
        """Take a new configuration, which may name another number of replicas."""
        self.replicas = config.replicas
        ingest = config.ingest
        scheme = "https" if ingest.tls_cert_file else "http"
        self._url = f"{scheme}://{{host}}:{self._settings.port}"
        self._name, self._namespace = config.name, config.namespace
        self._tls_context = ReloadingFile(Path(ingest.ca_file), client_context) if ingest.ca_file else None

    def _tls(self) -> ssl.SSLContext | bool:
        try:
            return True if self._tls_context is None else self._tls_context.current()
        except (OSError, ValueError) as error:
            raise UnavailableError("NoPeerAuthority", "the CA certificate of the replicas cannot be read") from error

    def _address(self, ordinal: int) -> str:
        if self._settings.peer_url:
            return self._settings.peer_url.format(ordinal=ordinal)
        return self._url.format(host=collector_peer_host(self._name, self._namespace, ordinal))

    @property
    def own(self) -> int:
        """The ordinal of this one."""
        return ordinal_of(self._settings.pod_name, collector_name(self._name))

    def owner(self, key: str) -> int:
        """Return the ordinal that owns ``key``; a replica beyond the configured number keeps nothing."""
        return owner_of(key, self.replicas)

    def others(self) -> list[int]:
        """Return the ordinals of all other replicas."""
        return [ordinal for ordinal in range(self.replicas) if ordinal != self.own]

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_TIMEOUT_S))
        return self._session

    def _headers(self) -> dict[str, str]:
        try:
            token = self._token.current()
        except (OSError, ValueError) as error:
            raise UnavailableError("NoPeerToken", "the token towards the other replicas cannot be read") from error
        return {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Content-Encoding": "gzip"}

    async def _post(self, ordinal: int, path: str, body: bytes, within: aiohttp.ClientTimeout | None = None) -> bytes:
        return await self._send("POST", ordinal, path, body, within)

    async def _send(
        self, method: str, ordinal: int, path: str, body: bytes, within: aiohttp.ClientTimeout | None = None
    ) -> bytes:
        url = self._address(ordinal) + path
        headers = {**self._headers(), FORWARDED: "1"}
        data = await asyncio.to_thread(compress, body)
        try:
            async with self._client().request(
                method,
                url,
                data=data,
                headers=headers,
                ssl=self._tls(),
                allow_redirects=False,
                timeout=within or self._client().timeout,
            ) as answer:
                content = await _read(answer)
                if answer.status == _TOO_LARGE:
                    raise BodyTooLargeError("TooLarge", f"replica {ordinal} does not take {len(data)} bytes at once")
                if answer.status != 200:  # noqa: PLR2004 - the one status of success
                    raise UnavailableError("PeerRefused", f"replica {ordinal} answered {answer.status}; try again")
                return content
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise PeerAwayError(f"replica {ordinal} cannot be reached; try again") from error

    async def hand_over(self, ordinal: int, events: Sequence[Event]) -> Outcome:
        """Give events to their owner, one request after the other; raises `UnavailableError`.

        An event that is too large to be handed over, even alone, is rejected.
        """
        groups: dict[tuple[str, int, str], list[Event]] = {}
        for event in events:
            groups.setdefault((event.source, event.epoch, event.identity.get("cluster_id", "")), []).append(event)
        answers: list[ForwardedAnswer] = []
        for group in groups.values():
            for part, body in batches.to_bodies(group, _MAX_PART):
                answers.append(await self._hand_over_part(ordinal, part, body))
        return together([Outcome(one.accepted, one.duplicates, one.rejected, one.left_out) for one in answers])

    async def _post_part(self, ordinal: int, part: list[Event], body: bytes) -> bytes:
        if not part[0].is_plain_otlp:
            return await self._post(ordinal, PUSHES_PATH, body)
        if time.monotonic() < self._away_until.get(ordinal, 0):
            raise PeerAwayError(f"replica {ordinal} did not answer just now; try again")
        try:
            return await self._post(ordinal, PUSHES_PATH, body, _OTLP)
        except PeerAwayError:
            self._away_until[ordinal] = time.monotonic() + _AWAY_S
            raise

    async def _hand_over_part(self, ordinal: int, part: list[Event], body: bytes) -> ForwardedAnswer:
        try:
            return ForwardedAnswer.model_validate_json(await self._post_part(ordinal, part, body))
        except BodyTooLargeError as error:
            if len(part) > 1:
                raise UnavailableError("PeerRefused", error.message) from error
            alone = Rejection(seq=part[0].seq, reason=error.reason, message=error.message)
            return ForwardedAnswer(accepted=0, duplicates=0, rejected=(alone,))
        except ValidationError as error:
            raise UnavailableError("PeerRefused", f"replica {ordinal} gave no answer that can be read") from error

    async def hand_over_gauges(self, ordinal: int, snapshot: GaugeSnapshot) -> None:
        """Give a heartbeat to the owner of its cluster; raises `UnavailableError`."""
        body = snapshot.model_dump_json(by_alias=True, exclude_none=True).encode()
        await self._post(ordinal, GAUGES_PATH, body)

    async def pass_on_events(
        self, ordinal: int, body: AsyncIterable[bytes], headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        """Stream an observer's request to the owner of its source as it comes; returns status and body of the answer.

        ``headers`` say what the body is and whose. Raises `UnavailableError`.
        """
        url = self._address(ordinal) + EVENTS_PATH
        sent = {"Authorization": self._headers()["Authorization"], **headers, FORWARDED: "1"}
        timeout = aiohttp.ClientTimeout(total=_PASS_ON_S, connect=_CONNECT_S)
        try:
            async with self._client().post(
                url, data=body, headers=sent, ssl=self._tls(), allow_redirects=False, timeout=timeout
            ) as answer:
                return answer.status, await _read(answer)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise UnavailableError("PeerUnavailable", f"replica {ordinal} cannot be reached; try again") from error

    async def tell_all(self, path: str, body: bytes) -> None:
        """Give all other replicas something to remember, at once; raises `UnavailableError` if one does not take it."""
        await asyncio.gather(*(self._send("PUT", ordinal, path, body) for ordinal in self.others()))

    async def ask_all(self, path: str, scope: ReaderScope | None = None) -> dict[int, bytes | None]:
        """Ask all other replicas a question at once; answers by ordinal, None of those that gave none in time.

        ``scope`` is that of the reader who asks.
        """
        others = self.others()
        answers = await asyncio.gather(*(self._ask(ordinal, path, scope) for ordinal in others))
        return dict(zip(others, answers, strict=True))

    async def _ask(self, ordinal: int, path: str, scope: ReaderScope | None) -> bytes | None:
        url = self._address(ordinal) + path
        try:
            headers = [*self._headers().items(), *(() if scope is None else write_scope(scope))]
            async with (
                asyncio.timeout(_QUESTION_S),
                self._client().get(url, headers=headers, ssl=self._tls(), allow_redirects=False) as answer,
            ):
                content = await _read(answer)
                return content if answer.status == 200 else None  # noqa: PLR2004 - the one status of success
        except (aiohttp.ClientError, TimeoutError, OSError, UnavailableError):
            return None

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()


async def _read(answer: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    async for chunk in answer.content.iter_chunked(_CHUNK):
        content += chunk
        if len(content) > _MAX_ANSWER:
            raise UnavailableError("PeerRefused", f"a replica answered more than {_MAX_ANSWER} bytes")
    return bytes(content)
