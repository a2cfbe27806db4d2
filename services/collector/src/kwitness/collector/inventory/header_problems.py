"""What was wrong with record headers within the last hour: which key, in which topic, and who sends it or gets it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kwitness.collector.origin import Origin
from kwitness.contracts.envelopes import HeaderTotals
from kwitness.contracts.envelopes.header_totals import HeaderWitness
from kwitness.contracts.interceptors import Side

_PERIOD_MS: Final = 300_000
_PERIODS: Final = 12
FORGET_AFTER_MS: Final = _PERIODS * _PERIOD_MS
"""An hour, which is also what counts are of, to a twelfth."""
MAX_PROBLEMS: Final = 1_000
MAX_OF_CLIENT: Final = 100
"""So that one client that makes up keys does not take the room of all others."""
_LONGEST: Final = 256
"""Characters of a client id that are kept: a client may call itself anything."""


class Client(NamedTuple):
    """A pod, or a client id where the pod is not the client's; an empty text is not known."""

    cluster_id: str
    k8s_namespace: str
    k8s_pod: str
    client_id: str


class Problem(NamedTuple):
    """One thing that is wrong with one key; topic and key are None of those that are too many."""

    client: Client
    seen_by: HeaderWitness
    side: Side
    topic: str | None
    key: str | None
    problem: str


@dataclass(slots=True)
class Occurrences:
    """When it was heard of, in milliseconds since 1970; headers and removed ones by period of 5 minutes."""

    workload: str
    first_ms: int
    last_ms: int
    periods: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add(self, headers: int, removed: int, now_ms: int) -> None:
        """Count some that are heard of now."""
        self.last_ms = max(self.last_ms, now_ms)
        period = self.last_ms // _PERIOD_MS
        before = self.periods.get(period, (0, 0))
        self.periods = {one: counts for one, counts in self.periods.items() if one > period - _PERIODS}
        self.periods[period] = (before[0] + headers, before[1] + removed)

    def within_an_hour(self, now_ms: int) -> tuple[int, int]:
        """Return the counts of the last hour."""
        counts = [count for one, count in self.periods.items() if one > now_ms // _PERIOD_MS - _PERIODS]
        return sum(headers for headers, _ in counts), sum(removed for _, removed in counts)


class HeaderProblems:
    """All of them, as many as there is room for; ``left_out`` counts by cluster id what found none.

    What is known stays when there is no more room: a register's owner sees the same names from one look to the next.
    """

    def __init__(self, max_problems: int = MAX_PROBLEMS, max_of_client: int = MAX_OF_CLIENT) -> None:
        self._max, self._max_of_client = max_problems, max_of_client
        self._known: dict[Problem, Occurrences] = {}
        self._of_client: Counter[Client] = Counter()
        self.left_out: Counter[str] = Counter()

    def record(self, origin: Origin, seen_by: HeaderWitness, totals: HeaderTotals, now_ms: int) -> None:
        """Take what is new of one key."""
        client_id = "" if origin.k8s_pod else (totals.client_id or "")[:_LONGEST]
        client = Client(origin.cluster_id, origin.k8s_namespace, origin.k8s_pod, client_id)
        for name, count in totals.problems.items():
            if not count:
                continue
            problem = Problem(client, seen_by, totals.side, totals.topic, totals.key, name)
            found = self._known.get(problem) or self._begun(problem, origin.k8s_workload, now_ms)
            if found is not None:
                found.add(count, totals.removed, now_ms)

    def _begun(self, problem: Problem, workload: str, now_ms: int) -> Occurrences | None:
        client = problem.client
        if len(self._known) >= self._max or self._of_client[client] >= self._max_of_client:
            self.left_out[client.cluster_id] += 1
            return None
        self._of_client[client] += 1
        found = self._known[problem] = Occurrences(workload, now_ms, now_ms)
        return found

    def expire(self, now_ms: int) -> None:
        """Forget what was not heard of for an hour, and make room."""
        for problem in [one for one, held in self._known.items() if now_ms - held.last_ms >= FORGET_AFTER_MS]:
            del self._known[problem]
            self._of_client[problem.client] -= 1
        self._of_client = +self._of_client

    def of_cluster(self, cluster_id: str) -> Iterator[tuple[Problem, Occurrences]]:
        """Yield those of a cluster."""
        yield from ((one, held) for one, held in self._known.items() if one.client.cluster_id == cluster_id)
