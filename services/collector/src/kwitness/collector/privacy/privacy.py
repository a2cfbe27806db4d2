"""What a collector's settings leave of each push, and whether it may take pushes at all."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import hmac
import json
import secrets
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from kwitness.collector.events import Event
from kwitness.collector.failures import UnavailableError
from kwitness.collector.otlp.decode import MalformedPayloadError
from kwitness.collector.privacy.identities import IdentityTreater
from kwitness.collector.privacy.names import keys_by_name
from kwitness.collector.privacy.payloads import PayloadRewriter, Rewritten
from kwitness.contracts.collector_config import CollectorConfig, FilterConfig
from kwitness.contracts.envelopes import GaugeSnapshot, OpenConnection
from kwitness.contracts.identity_hashing import KEY_FIELD, KEY_SECRET, LEAST_KEY_BYTES
from kwitness.runtime.reloading import times_of_change

SECRET_NOT_FOUND: Final = "SecretNotFound"  # noqa: S105 - a reason
_DIGITS: Final = 16
_LARGE_BYTES: Final = 32 * 1024
"""Payloads above it are rewritten aside: a millisecond for 4 KiB is what the slowest take."""
_ASIDE: Final = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rewriting")
"""One for the process: it is work for the processor, of which several at once are no faster. What waits is bounded by
the budget of bodies."""


class Privacy:
    """Treats pushes and heartbeats by one configuration and one key; `Privacy.of` makes the one that is due.

    ``active`` says whether there is anything to do; where there is not, nothing here is called for a push. ``refusing``
    is the reason for which no push may be taken.
    """

    def __init__(self, config: CollectorConfig) -> None:
        self.active = config.filter is not None or bool(config.identity)
        self._file = config.identity_key_file if config.identity else None
        self._seen = self._state()
        key = _key(self._file)
        self.refusing = SECRET_NOT_FOUND if config.identity and key is None else None
        # Without a key nothing is told; what heartbeats list is counted all the same.
        self._identities = IdentityTreater(config.identity, key or secrets.token_bytes())
        self._rewriter = _rewriter(config, self._identities)
        # One remembers what it saw, so each thread has its own.
        self._rewriter_aside = _rewriter(config, self._identities)
        self._treated = frozenset(config.identity)
        self._settings = _digest(config) if self.active else ""
        self._key = hmac.digest(key, b"fingerprint", "sha256").hex()[:_DIGITS] if key else ""
        self.points = self.attributes = 0

    @property
    def mark(self) -> str:
        """What state is marked with that holds what was treated by this; empty where nothing is."""
        return f"{self._settings}:{self._key}" if self.active else ""

    def made(self, mark: str) -> bool:
        """Whether state with a mark holds nothing that this would treat in another way."""
        settings, _, key = mark.partition(":")
        return settings == self._settings and (self.refusing is not None or key == self._key)

    def is_stale(self) -> bool:
        """Whether the file with the key changed, came or went."""
        return self._state() != self._seen

    def _state(self) -> tuple[int, ...]:
        return times_of_change([self._file] if self._file else [])

    def check(self) -> None:
        """Raise `UnavailableError` while no push may be taken."""
        if self.refusing is not None:
            raise UnavailableError(
                self.refusing,
                f"spec.identity of this TelemetryCollector takes the Secret {KEY_SECRET} with the key {KEY_FIELD}, "
                f"at least {LEAST_KEY_BYTES} bytes long, and it is not there; send it again",
            )

    def instance(self, event: Event) -> str:
        """Return by what the client of a push is told from others, which decides its owner."""
        return self._identities.key(event) if self._treated else event.instance

    async def treat(self, event: Event) -> Event:
        """Return a push as it may be written; what it was is in memory alone, for who matches subscriptions.

        A large one is rewritten in a thread, so that others have their turn meanwhile.
        """
        if len(event.payload) <= _LARGE_BYTES:
            return self._treated_as(event, _rewritten(self._rewriter, event.payload))
        loop = asyncio.get_running_loop()
        return self._treated_as(
            event, await loop.run_in_executor(_ASIDE, _rewritten, self._rewriter_aside, event.payload)
        )

    def _treated_as(self, event: Event, rewritten: Rewritten | str) -> Event:
        malformed, payload = None, b""
        if isinstance(rewritten, str):
            malformed = rewritten
        else:
            payload = rewritten.payload
            self.points += rewritten.points
            self.attributes += rewritten.attributes
        if not self._treated:
            return dataclasses.replace(event, payload=payload, filtered=True, malformed=malformed)
        return dataclasses.replace(
            event,
            payload=payload,
            filtered=True,
            malformed=malformed,
            identity=self._identities.identity(event.identity),
            known_as=self._identities.key(event),
            raw=event.identity,
            treated=self._treated,
        )

    def heartbeat(self, snapshot: GaugeSnapshot) -> GaugeSnapshot:
        """Return a heartbeat that names instances as their pushes do."""
        if "client_instance_id" not in self._treated:
            return snapshot
        told = self._identities.asking
        update: dict[str, object] = {"asking": tuple(map(told, snapshot.asking))}
        if snapshot.sensors is not None:
            worst = tuple(
                one.model_copy(update={"client_instance_id": told(one.client_instance_id)})
                for one in snapshot.sensors.worst
            )
            update["sensors"] = snapshot.sensors.model_copy(update={"worst": worst})
        return snapshot.model_copy(update=update)

    def connection(self, one: OpenConnection) -> OpenConnection:
        """Return a connection that an observer lists as its client's pushes are told, to be compared with them."""
        if not self._treated:
            return one
        told: dict[str, str | None] = {}
        for field in self._treated:
            value = getattr(one, field)
            if value is not None:
                told[field] = self._identities.value(field, str(value))
        if one.client_instance_id is not None:
            told["client_instance_id"] = self._identities.asking(one.client_instance_id)
        return one.model_copy(update=told)


def _rewriter(config: CollectorConfig, identities: IdentityTreater) -> PayloadRewriter:
    return PayloadRewriter(config.filter or FilterConfig(), keys_by_name(config.identity), identities.value)


def _rewritten(rewriter: PayloadRewriter, payload: bytes) -> Rewritten | str:
    """What may be passed on of a payload, or why it cannot be read."""
    try:
        return rewriter.rewrite(payload)
    except MalformedPayloadError as error:
        return str(error)


def _key(file: str | None) -> bytes | None:
    try:
        key = Path(file).read_bytes().rstrip(b"\r\n") if file else b""
    except OSError:
        return None
    return key if len(key) >= LEAST_KEY_BYTES else None


def _digest(config: CollectorConfig) -> str:
    settings = [config.filter.model_dump(mode="json") if config.filter else None, sorted(config.identity.items())]
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:_DIGITS]
