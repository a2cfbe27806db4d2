"""Tokens of those who may read a collector's inventory."""

from __future__ import annotations

import time
from typing import Final

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.failure import CommandFailedError, NotPermittedError
from kwitness.contracts.audiences import inventory_audience
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector

__all__ = ["ReaderTokens"]

_USED_S: Final = 300
"""Half of what a token is good for."""


class ReaderTokens:
    """A token for one collector, asked for again when half of its time is over."""

    def __init__(self, access: ClusterAccess, collector: TelemetryCollector) -> None:
        self._access = access
        self._collector = collector
        self._token = ""
        self._until = 0.0

    def current(self) -> str:
        """Return a token that is good.

        Raises
        ------
        NotPermittedError
            Tokens of no reader may be had.
        CommandFailedError
            The collector has no readers, or they do not exist.
        """
        if time.monotonic() >= self._until:
            self._token = self._new_token()
            self._until = time.monotonic() + _USED_S
        return self._token

    def _new_token(self) -> str:
        """Ask for a token of the first reader whose token may be had, of those without a scope before others."""
        metadata = self._collector.metadata
        readers = sorted(self._collector.spec.ingest.readers, key=lambda reader: reader.scope is not None)
        audience = inventory_audience(metadata.namespace, metadata.name)
        refused: NotPermittedError | None = None
        for reader in readers:
            try:
                token = self._access.token(reader.service_account, reader.namespace or metadata.namespace, audience)
            except NotPermittedError as error:
                refused = refused or error
                continue
            if token is not None:
                return token
        if refused is not None:
            raise NotPermittedError(f"no token of a reader of collector {metadata.name} can be had: {refused}")
        if readers:
            names = ", ".join(f"{one.namespace or metadata.namespace}/{one.service_account}" for one in readers)
            raise CommandFailedError(
                f"the readers of collector {metadata.name} do not exist ({names}): create such a service account"
            )
        raise CommandFailedError(
            f"spec.ingest.readers of TelemetryCollector {metadata.name} names nobody who may read: create a service "
            f"account, and name it there\n"
            f"  kubectl create serviceaccount kwitness-readers --namespace {metadata.namespace}\n"
            f"  kubectl patch ktc {metadata.name} --namespace {metadata.namespace} --type merge "
            """--patch '{"spec":{"ingest":{"readers":[{"serviceAccount":"kwitness-readers"}]}}}'"""
        )
