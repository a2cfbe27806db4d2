"""The metrics that say who is behind a metric, and who was: a series for each client instance, within a bound."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator
from typing import Final

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.inventory.client_record import ClientRecord
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.observed_info import NAME, ObservedInfo, owner_labels, without_pod
from kwitness.collector.inventory.window_tables import CLIENT_KEY
from kwitness.collector.prometheus.budget import Key
from kwitness.collector.prometheus.exposition import heading, sample
from kwitness.collector.prometheus.labels import label_value, render
from kwitness.contracts.collector_config import PrometheusConfig
from kwitness.contracts.own_metrics import own_metric

SILENT: Final = "kwitness_client_silent_since_seconds"
_INSTANCE: Final = "client_instance_id"
_ADDRESS: Final = "client_address"
_LINES_PER_PIECE: Final = 2_000


class ClientInfo:
    """Keeps a client's series while the client is known; ``max_client_info`` at most have one, those that push first.

    ``owners`` finds the owners of now, ``observed`` the clients that observers see.
    """

    def __init__(
        self,
        config: PrometheusConfig,
        owners: Callable[[], ClientOwners],
        observed: Callable[[], Collection[Key]] = tuple,
    ) -> None:
        self._overflowed = 0
        self._find_observed = observed
        self._observed = ObservedInfo()
        self._lines: dict[str, tuple[int, str]] = {}
        self._refused: set[str] = set()
        self._find_owners = owners
        self._owners: ClientOwners | None = None
        self.configure(config)

    def configure(self, config: PrometheusConfig) -> None:
        """Follow how many clients have a series, and with which labels."""
        self._most = config.max_client_info
        hidden = () if config.client_addresses else (_ADDRESS,)
        self._names = [label for label in own_metric(NAME).labels if label not in hidden]
        self._write_again()

    @property
    def overflowed(self) -> int:
        """Clients that found no room, each once."""
        return self._overflowed + self._observed.overflowed

    def render(self, clients: Clients, *, openmetrics: bool) -> Iterator[bytes]:
        """Write the family in pieces of some thousand lines; nothing where there are no clients."""
        known, owners = dict(clients.items()), self._find_owners()
        self._forget(known, owners)
        entry = own_metric(NAME)
        piece = [heading(NAME, entry.type, entry.help, openmetrics=openmetrics)]
        written = False
        for line in itertools.chain(self._of_pushing(known, owners), self._of_observed(known, owners)):
            piece.append(line)
            written = True
            if len(piece) >= _LINES_PER_PIECE:
                yield "".join(piece).encode("utf-8", "replace")
                piece.clear()
        if written:
            yield "".join(piece).encode("utf-8", "replace")
        yield from self._silent(clients, owners, openmetrics=openmetrics)

    def _of_pushing(self, known: dict[str, ClientRecord], owners: ClientOwners) -> Iterator[str]:
        for key, record in known.items():
            line = self._line(key, record, owners)
            if line is not None:
                yield line

    def _of_observed(self, known: dict[str, ClientRecord], owners: ClientOwners) -> Iterator[str]:
        observed, room = self._find_observed(), self._most - len(self._lines)
        if observed and self._most:
            pushing = {_client(record) for record in known.values()}
            yield from self._observed.lines(observed, pushing, room, owners)

    def _silent(self, clients: Clients, owners: ClientOwners, *, openmetrics: bool) -> Iterator[bytes]:
        entry = own_metric(SILENT)
        lines = [
            sample(SILENT, self._labels(key, record, owners), record.last_push_ms / 1000)
            for key, record in itertools.islice(clients.silent.items(), self._most)
        ]
        if lines:
            text = heading(SILENT, entry.type, entry.help, openmetrics=openmetrics) + "".join(lines)
            yield text.encode("utf-8", "replace")

    def _forget(self, known: dict[str, ClientRecord], owners: ClientOwners) -> None:
        if owners is not self._owners:
            self._owners = owners
            self._write_again()
        gone = self._lines.keys() - known.keys()
        for key in gone:
            del self._lines[key]
        for key in list(self._lines)[self._most :]:
            del self._lines[key]
        self._refused &= known.keys()

    def _write_again(self) -> None:
        self._lines = dict.fromkeys(self._lines, (-1, ""))  # a client that has a series keeps it

    def _line(self, key: str, record: ClientRecord, owners: ClientOwners) -> str | None:
        written = self._lines.get(key)
        if written is None and len(self._lines) >= self._most:
            if self._most and key not in self._refused:
                self._refused.add(key)
                self._overflowed += 1
            return None
        if written is None or written[0] != record.revision:
            written = self._lines[key] = (record.revision, sample(NAME, self._labels(key, record, owners), 1))
            self._refused.discard(key)
        return written[1]

    def _labels(self, key: str, record: ClientRecord, owners: ClientOwners) -> str:
        # Plain OTLP may name no instance: what the client is told from others by here keeps its series apart.
        known = {_INSTANCE: key.rpartition("/")[2], **record.identity, **owner_labels(record.owner(owners))}
        return render((label, label_value(known[label])[0]) for label in self._names if known.get(label))


def _client(record: ClientRecord) -> Key:
    return without_pod(tuple(label_value(record.identity.get(name, ""))[0] for name in CLIENT_KEY))
