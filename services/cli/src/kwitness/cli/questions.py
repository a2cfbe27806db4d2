"""What the commands that look at clients ask the collector."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple
from urllib.parse import quote

from kwitness.cli.collector_access import CollectorAccess, CollectorRefusedError, CollectorRoute
from kwitness.cli.failure import CommandFailedError
from kwitness.cli.options import Options
from kwitness.contracts.endpoints import CLIENT_METRICS_PATH, CLIENTS_PATH, CONNECTIONS_PATH, SILENT_PATH
from kwitness.contracts.envelopes import (
    ClientItem,
    ClientMetrics,
    ClientPage,
    ConnectionItem,
    ConnectionPage,
    SilentClients,
    SilentItem,
)
from kwitness.sandbox.session import find_session

__all__ = ["FoundClients", "FoundSilent", "Questions", "questions_to"]

_PAGE: Final = 1000
_NOT_FOUND: Final = 404
_UNKNOWN_CLIENT: Final = "UnknownClient"
_LISTING_S: Final = 7.0
"""Observers list their connections with their next heartbeat, within five seconds."""
_LISTING_AGAIN_S: Final = 0.5


class FoundClients(NamedTuple):
    """Client instances, and the ordinals of replicas that did not answer."""

    items: Sequence[ClientItem]
    missing: Sequence[int]


class FoundSilent(NamedTuple):
    """Clients that do not push, ordinals of replicas that did not answer, and how many clients are not listed."""

    items: Sequence[SilentItem]
    missing: Sequence[int]
    left_out: int


class Questions:
    """Asks one collector; all methods raise `CommandFailedError` when it does not answer."""

    def __init__(self, collector: CollectorAccess) -> None:
        self._collector = collector

    def clients(self, wanted: Mapping[str, str | None]) -> FoundClients:
        """All instances that fit `wanted`: identity keys and their values, None for those that do not matter.

        What an older collector does not filter is filtered here.
        """
        items: list[ClientItem] = []
        missing: set[int] = set()
        after: str | None = None
        while True:
            parameters: dict[str, str | int | None] = {**wanted, "limit": _PAGE, "continue": after}
            page = self._collector.get(CLIENTS_PATH, ClientPage, **parameters)
            items.extend(one for one in page.items if _fits(one, wanted))
            missing.update(page.missing)
            after = page.continue_
            if not after:
                return FoundClients(items, sorted(missing))

    def silent(self, *, ours: bool = False) -> FoundSilent:
        """Clients that do not push."""
        try:
            answer = self._collector.get(SILENT_PATH, SilentClients, ours="true" if ours else None)
        except CollectorRefusedError as error:
            if error.answered == _NOT_FOUND:
                raise CommandFailedError(
                    f"collector {self._collector.name} does not know who is silent: it is of an older release than "
                    "this command"
                ) from error
            raise
        return FoundSilent(answer.items, answer.missing, answer.left_out)

    def metrics(self, instance: str) -> ClientMetrics | None:
        """What one instance sends; None when it is gone.

        Raises
        ------
        CommandFailedError
            Also when the replica that knows it did not answer, or the collector is of an older release.
        """
        path = CLIENT_METRICS_PATH.format(client_instance_id=quote(instance, safe=""))
        try:
            return self._collector.get(path, ClientMetrics)
        except CollectorRefusedError as error:
            if error.reason == _UNKNOWN_CLIENT:
                return None
            if error.answered == _NOT_FOUND:
                raise CommandFailedError(
                    f"collector {self._collector.name} does not show metrics of single clients: it is of an older "
                    "release than this command"
                ) from error
            raise

    def connections(self, client_id: str) -> Sequence[ConnectionItem]:
        """Open connections of a client id that observers list; waits some seconds for those that are asked first."""
        deadline = time.monotonic() + _LISTING_S
        while True:
            page = self._collector.get(CONNECTIONS_PATH, ConnectionPage, client_id=client_id, limit=_PAGE)
            awaited = any(one.answer == "awaited" for one in page.observers)
            if not awaited or time.monotonic() > deadline:
                return page.items
            time.sleep(_LISTING_AGAIN_S)


@contextmanager
def questions_to(options: Options, cluster: str | None) -> Iterator[Questions]:
    """Find the collector of a KafkaCluster, or of a running `kwitness try`, and ask it until the block ends.

    Raises
    ------
    CommandFailedError
        There is no such cluster, or nobody collects for it.
    """
    with CollectorAccess(_route(options, cluster)) as collector:
        yield Questions(collector)


def _route(options: Options, cluster: str | None) -> CollectorRoute:
    """To the collector of a running `kwitness try`, unless an option names something of a Kubernetes cluster."""
    named = (options.kubeconfig, options.context, options.namespace, options.collector, cluster)
    if all(option is None for option in named) and (session := find_session()) is not None:
        from kwitness.cli.local_route import LocalRoute  # noqa: PLC0415 - no library of Kubernetes is needed

        return LocalRoute(session)
    from kwitness.cli.cluster_access import connect  # noqa: PLC0415 - likewise
    from kwitness.cli.kubernetes_route import route_to  # noqa: PLC0415
    from kwitness.cli.serving_collector import find_cluster  # noqa: PLC0415

    access = connect(options)
    return route_to(access, find_cluster(access, cluster), options.collector)


def _fits(client: ClientItem, wanted: Mapping[str, str | None]) -> bool:
    return all(value is None or getattr(client, key) == value for key, value in wanted.items())
