"""Finds the pods of pushing clients by their addresses, from tables that the operator lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from kwitness.collector.events import is_of_broker
from kwitness.collector.inventory.client_record import ClientRecord
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.turns import Turns
from kwitness.contracts.envelopes import ClientPods, ClusterState, PodPlace

CLOCKS_MS: Final = 2_000
"""Difference of the clocks of brokers and operator that does no harm, in milliseconds."""
_LONGEST_GAP_MS: Final = 180_000
"""Two lists that are farther apart prove nothing about the time between them."""
_PER_TURN: Final = 200

_NOTHING: Final[Mapping[str, str]] = {}


class _Table(NamedTuple):
    listed_at_ms: int
    places: Mapping[str, PodPlace]


_NONE: Final = _Table(0, {})


class PodsOfClients:
    """Binds a client instance to a pod once two lists in a row prove it, and never to another one after that.

    The proof: the instance pushed between the lists, the later one has its address as that of exactly one pod, and in
    the earlier one the address was that pod's or free. Thus a pod that took over an address gets no client of the
    former one. Pods in their node's network and pods that have ended are in no list.
    """

    def __init__(self) -> None:
        self._listeners: frozenset[str] = frozenset()
        self._earlier = self._later = _NONE
        self._is_due = False
        self._bound: dict[str, Mapping[str, str]] = {}

    def __len__(self) -> int:
        return len(self._bound)

    @property
    def listed_at_ms(self) -> int:
        """Return the time of the newest list, in milliseconds since 1970; 0 if there is none."""
        return self._later.listed_at_ms

    def with_pods(self, part: ClusterState) -> ClusterState:
        """Add how much of this replica's is known by addresses."""
        return part.model_copy(update={"clients_in_pods": len(self), "pods_listed_at_ms": self.listed_at_ms})

    def follow(self, table: ClientPods) -> None:
        """Take in the newest list; one that is older than the last is left out."""
        if table.listed_at_ms <= self._later.listed_at_ms:
            return
        holders = Counter(place.address for place in table.pods)
        places = {place.address: place for place in table.pods if holders[place.address] == 1}
        self._listeners = frozenset(table.listeners)
        self._earlier, self._later = self._later, _Table(table.listed_at_ms, places)
        self._is_due = True

    def place_of(self, client: str) -> Mapping[str, str]:
        """Return the identity keys of the client's pod by their names; none while it is not known."""
        return self._bound.get(client, _NOTHING)

    async def bind(self, clients: Clients) -> None:
        """Bind the clients that the newest list proves, and forget those that are gone."""
        if not self._is_due:
            return
        self._is_due = False
        turns = Turns()
        bound: dict[str, Mapping[str, str]] = {}
        for number, (key, record) in enumerate(list(clients.items())):
            if number % _PER_TURN == 0:
                await turns.pause_when_due()
            if record.who.get("listener") in self._listeners and is_of_broker(key):
                place = self._bound.get(key) or self._proven(record)
                if place:
                    bound[key] = place
        self._bound = bound

    def _proven(self, record: ClientRecord) -> Mapping[str, str] | None:
        earlier, later = self._earlier, self._later
        begin_ms, end_ms = earlier.listed_at_ms + CLOCKS_MS, later.listed_at_ms - CLOCKS_MS
        # Not the last push alone: that of a client which pushes in step with the lists may always be too new.
        pushes_ms = (record.last_received_ms, *record.apart_ms)
        if later.listed_at_ms - earlier.listed_at_ms > _LONGEST_GAP_MS or not any(
            begin_ms <= received_ms <= end_ms for received_ms in pushes_ms
        ):
            return None
        address = record.who.get("client_address", "")
        place = later.places.get(address)
        if place is None or earlier.places.get(address, place)[:3] != place[:3]:
            return None
        known = {"k8s_namespace": place.namespace, "k8s_pod": place.pod, "k8s_workload": place.workload}
        return {key: text for key, text in known.items() if text}
