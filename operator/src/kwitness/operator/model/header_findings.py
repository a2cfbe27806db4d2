"""What collectors say is wrong with record headers, as the owner of a register wants to know it: by key, not by pod."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from kwitness.contracts.envelopes import ClusterState, HeaderFinding

__all__ = ["KeyFinding", "RegisterFindings", "findings_of"]

_MOST_LINES: Final = 20
_UNREGISTERED: Final = "unregistered"


@dataclass(frozen=True, slots=True)
class KeyFinding:
    """One thing that is wrong with one key, wherever it is.

    Attributes
    ----------
    headers
        How many such headers there were within the last hour.
    clients
        How many pods, or clients whose pods are not known.
    example
        One of them, the one with the most: namespace/pod, or a client id.
    topic
        A topic of that one.
    last_seen_ms
        When a collector heard of it last, in milliseconds since 1970.
    """

    key: str
    problem: str
    headers: int
    clients: int
    example: str
    topic: str | None
    last_seen_ms: int


@dataclass(frozen=True, slots=True)
class RegisterFindings:
    """What is wrong with the keys of a register, worst first, and how many keys were seen that no register has."""

    keys: tuple[KeyFinding, ...] = ()
    left_out: int = 0
    unregistered_seen: int = 0


@dataclass(slots=True)
class _Group:
    clients: dict[str, int] = field(default_factory=dict)
    topics: dict[str, str | None] = field(default_factory=dict)
    headers: int = 0
    last_seen_ms: int = 0


def findings_of(states: Iterable[ClusterState], registers: Callable[[str], bool]) -> RegisterFindings:
    """Sum up what collectors say of all clusters; ``registers`` says whether the register has a key.

    A header that both an observer and interceptors saw is in both's counts; keys that were too many have no name, and
    are left out.
    """
    groups: dict[tuple[str, str], _Group] = {}
    unregistered: set[str] = set()
    for finding in (one for state in states for one in state.headers):
        if finding.key is None:
            continue
        if finding.problem == _UNREGISTERED:
            unregistered.add(finding.key)
        elif registers(finding.key):
            _add(groups.setdefault((finding.key, finding.problem), _Group()), finding)
    found = sorted(
        (_summed(key, problem, group) for (key, problem), group in groups.items()),
        key=lambda one: (-one.headers, one.key, one.problem),
    )
    return RegisterFindings(tuple(found[:_MOST_LINES]), max(0, len(found) - _MOST_LINES), len(unregistered))


def _add(group: _Group, finding: HeaderFinding) -> None:
    client = f"{finding.k8s_namespace}/{finding.k8s_pod}" if finding.k8s_pod else finding.client_id or "unknown"
    group.clients[client] = group.clients.get(client, 0) + finding.headers
    group.topics.setdefault(client, finding.topic)
    group.headers += finding.headers
    group.last_seen_ms = max(group.last_seen_ms, finding.last_seen_ms)


def _summed(key: str, problem: str, group: _Group) -> KeyFinding:
    example = min(group.clients, key=lambda one: (-group.clients[one], one))
    return KeyFinding(
        key, problem, group.headers, len(group.clients), example, group.topics[example], group.last_seen_ms
    )
