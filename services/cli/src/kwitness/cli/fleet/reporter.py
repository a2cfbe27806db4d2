"""Interceptors in a consumer that is not there: what their reporter numbers and seals, as the true one does."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Sequence

from kwitness.contracts.topics import INTERCEPTIONS, SCHEMAS, SEALS

from . import rows
from .clients import Client
from .fleet import Fleet
from .record import FleetRecord

__all__ = ["Reporter", "reporters"]

_STARTED_BEFORE_MS = 60_000
#: The clock of one consumer in so many is behind.
_BEHIND = 7
_MOST_RECORDS = 500


def reporters(fleet: Fleet, clients: Iterable[Sequence[Client]]) -> list[Reporter]:
    """One for each consumer."""
    consumers = sorted((one for own in clients for one in own if one.group is not None), key=lambda one: one.number)
    return [Reporter(fleet, consumer, place) for place, consumer in enumerate(consumers)]


class Reporter:
    """The reporter of one consumer; windows are asked for in their order. It is never started again."""

    def __init__(self, fleet: Fleet, client: Client, place: int) -> None:
        self._client = client
        self._window_ms = fleet.window_ms
        self._is_behind = place % _BEHIND == 1
        self._dice = random.Random(f"{fleet.seed}/reporter/{client.number}")  # noqa: S311 - it must be the same again
        known = json.loads(f"{{{client.identity[:-1]}}}")
        name, epoch_ms = known["client_id"], max(0, fleet.start_ms - _STARTED_BEFORE_MS)
        drawn = hashlib.blake2b(f"{fleet.seed}/reporter/{client.number}".encode(), digest_size=8).hexdigest()
        pod = f"{name}-{client.number}"
        source = f"fleet/{pod}/{drawn}"
        self._next = 1
        numbered = f'"event_source":{json.dumps(source)},"event_epoch":{epoch_ms},"event_seq":'
        self._before = {kind: f'{{"schema":"{SCHEMAS[kind]}",{numbered}' for kind in (INTERCEPTIONS, SEALS)}
        who = {
            "cluster_id": fleet.cluster_id,
            "client_id": name,
            "group_id": known["group_id"],
            "k8s_namespace": "fleet",
            "k8s_workload": f"Deployment/{name}",
            "k8s_pod": pod,
            "instance": f"{drawn}/1",
            "runtime": "python",
            "side": "consumer",
        }
        self._who = json.dumps(who, separators=(",", ":"))[1:-1] + ","
        self._key = source.encode()
        self._headers = (
            ("event_source", source.encode()),
            ("event_epoch", str(epoch_ms).encode()),
            ("reported_by", b"pod"),
            ("cluster_id", fleet.cluster_id.encode()),
            ("k8s_namespace", b"fleet"),
            ("k8s_pod", pod.encode()),
        )

    def window(self, start_ms: int, arrives_ms: int) -> list[FleetRecord]:
        """Return the records of a window, its seal last."""
        within = f'"window_start_ms":{start_ms},"window_end_ms":{start_ms + self._window_ms},'
        found, first = [], self._next
        for topic, partitions in self._client.uses:
            if not partitions:
                continue
            read = 1 + int(self._dice.random() * _MOST_RECORDS)
            row = rows.interception_row(topic, read, is_behind=self._is_behind, dice=self._dice)
            found.append(self._record(INTERCEPTIONS, f",{self._who}{within}{row}", arrives_ms))
        if found:
            seal = rows.seal_row(INTERCEPTIONS, first, self._next - 1, len(found), 0)
            found.append(self._record(SEALS, f',"reported_by":"pod",{within}{seal}', arrives_ms))
        return found

    def _record(self, kind: str, rest: str, arrives_ms: int) -> FleetRecord:
        value = f"{self._before[kind]}{self._next}{rest}"
        headers = (("schema", SCHEMAS[kind].encode()), ("event_seq", b"%d" % self._next), *self._headers)
        self._next += 1
        return FleetRecord(kind, self._key, value.encode(), headers, arrives_ms, "")
