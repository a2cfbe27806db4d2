"""The files that the operator writes, read again when they change; a bad new one never replaces a good old one."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.known_subscriptions import KnownSubscriptions, ToldSubscriptions
from kwitness.collector.time_limits import TimeLimits
from kwitness.contracts.broker_configs import BrokerSubscriptionConfig
from kwitness.contracts.collector_config import CollectorConfig, SubscriptionsFile
from kwitness.contracts.envelopes import ClusterSubscriptions
from kwitness.contracts.owners import OwnerList
from kwitness.runtime.reloading import ReloadingFile
from kwitness.subscriptions.broker_subscription import BrokerSubscription

_LOG = logging.getLogger(__name__)
_NOBODYS: Final = OwnerList()


class ConfigurationError(ValueError):
    """The configuration cannot be used; names the file and the field."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line decides: where to listen and where things are.

    ``peer_url`` holds ``{ordinal}``; ``token_file`` is this replica's own token towards the others.
    """

    config: Path
    pod_name: str
    host: str
    port: int
    otlp_http_port: int
    otlp_grpc_port: int
    metrics_port: int
    peer_url: str | None
    token_file: Path
    api_server: str | None
    time_limits: TimeLimits = field(default_factory=TimeLimits)


def _parse_config(content: bytes) -> CollectorConfig:
    try:
        return CollectorConfig.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(f"config.json: {place}: {first['msg']}") from error


_NONE = KnownSubscriptions.of(())


def _parse_subscriptions(content: bytes) -> KnownSubscriptions:
    try:
        file = SubscriptionsFile.model_validate_json(content)
    except ValidationError as error:
        raise ConfigurationError(f"subscriptions.json: {error.errors()[0]['msg']}") from error
    return KnownSubscriptions.of(file.subscriptions)


def _parse_owners(content: bytes) -> OwnerList:
    try:
        return OwnerList.model_validate_json(content)
    except ValidationError as error:
        raise ConfigurationError(f"owners.json: {error.errors()[0]['msg']}") from error


class Configuration:
    """All files; a bad one is told in the log."""

    def __init__(self, path: Path) -> None:
        self._config = ReloadingFile(path, _parse_config)
        self._subscriptions = ReloadingFile(path.with_name("subscriptions.json"), _parse_subscriptions)
        self._told = ToldSubscriptions()
        self._owners = ReloadingFile(path.with_name("owners.json"), _parse_owners)
        self._client_owners = ClientOwners(_NOBODYS, "", 0)
        self._reported: str | None = None

    def current(self) -> CollectorConfig:
        """Return the newest good configuration; raises OSError or ValueError when there was never one."""
        config = self._config.current()
        self._report(self._config.failure or self._subscriptions.failure or self._failure_of_owners())
        return config

    def subscriptions(self) -> tuple[BrokerSubscription, ...]:
        """Return all subscriptions of the broker; none while the file is missing."""
        return self._all().read

    def cluster_subscriptions(self) -> ClusterSubscriptions:
        """Return the same as observers are told them, with their hash."""
        return self._all().written

    def tell_subscriptions(self, subscriptions: tuple[BrokerSubscriptionConfig, ...]) -> None:
        """Take these for those of the broker before the file says so."""
        self._told.tell(KnownSubscriptions.of(subscriptions), self._of_file())

    def _all(self) -> KnownSubscriptions:
        return self._told.newest(self._of_file())

    def _of_file(self) -> KnownSubscriptions:
        try:
            return self._subscriptions.current()
        except FileNotFoundError:
            return _NONE
        except (OSError, ValueError) as error:
            self._report(error)
            return _NONE

    def owners(self) -> ClientOwners:
        """Return the owners of clients now; none while the file is missing."""
        try:
            owners = self._owners.current()
        except FileNotFoundError:
            owners = _NOBODYS
        except (OSError, ValueError) as error:
            self._report(error)
            owners = _NOBODYS
        cluster_id, now_ms = self._config.current().cluster_id, time.time_ns() // 1_000_000
        known = self._client_owners
        if known.owners is not owners or known.cluster_id != cluster_id:
            known = ClientOwners(owners, cluster_id, now_ms)
        self._client_owners = known.at(now_ms)
        return self._client_owners

    def _failure_of_owners(self) -> Exception | None:
        failure = self._owners.failure
        return None if isinstance(failure, FileNotFoundError) else failure

    def _report(self, failure: Exception | None) -> None:
        text = str(failure) if failure else None
        if text is not None and text != self._reported:
            _LOG.error("the new configuration is not used", extra={"detail": text})
        self._reported = text
