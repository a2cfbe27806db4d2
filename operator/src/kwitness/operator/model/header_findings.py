"""What collectors say is wrong with record headers, as the owner of a register wants to know it: by key, not by pod."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from kwitness.contracts.envelopes import ClusterState, HeaderFinding

__all__ = ["MOST_FINDINGS", "KeyFinding", "RegisterFindings", "findings_of"]

MOST_FINDINGS: Final = 50
_UNREGISTERED: Final = "unregistered"


@dataclass(frozen=True, slots=True)
class KeyFinding:
    """One thing that was wrong with one key within the last hour, wherever it was.

    Attributes
    ----------
    problem
        As statuses spell it, such as WrongType.
    clients
        How many pods, or clients whose pods are not known.
    example
        The first of them by name: namespace/pod, or a client id. It says nothing of how many headers there were,
        since a status that said so would never be the same twice.
    topic
        A topic of that one; None where topics and keys of the client are too many.
    """

    key: str
    problem: str
    clients: int
    example: str
    topic: str | None


@dataclass(frozen=True, slots=True)
class RegisterFindings:
    """What is wrong with the keys of a register and with keys that no register has, and how many of the latter."""

    keys: tuple[KeyFinding, ...] = ()
    left_out: int = 0
    unregistered_seen: int = 0


@dataclass(slots=True)
class _Group:
    topics: dict[str, set[str]] = field(default_factory=dict)


def findings_of(
    states: Iterable[ClusterState], registers: Callable[[str], bool], are_known: Callable[[str], bool]
) -> RegisterFindings:
    """Sum up what collectors say of some clusters.

    ``registers`` says whether the register has a key, ``are_known`` whether any register has it: who judges by another
    register, or by none, calls a key unregistered that has an owner. Keys that were too many have no name, and are left
    out.
    """
    groups: dict[tuple[bool, str, str], _Group] = {}
    for finding in (one for state in states for one in state.headers):
        if finding.key is None:
            continue
        is_unregistered = finding.problem == _UNREGISTERED
        if registers(finding.key) if not is_unregistered else not are_known(finding.key):
            # What is wrong with the register's own keys comes first.
            _add(groups.setdefault((is_unregistered, finding.key, finding.problem), _Group()), finding)
    found = [_summed(key, problem, groups[others, key, problem]) for others, key, problem in sorted(groups)]
    unregistered = sum(others for others, _, _ in groups)
    return RegisterFindings(tuple(found[:MOST_FINDINGS]), max(0, len(found) - MOST_FINDINGS), unregistered)


def _add(group: _Group, finding: HeaderFinding) -> None:
    client = f"{finding.k8s_namespace}/{finding.k8s_pod}" if finding.k8s_pod else finding.client_id or "unknown"
    topics = group.topics.setdefault(client, set())
    if finding.topic is not None:
        topics.add(finding.topic)


def _summed(key: str, problem: str, group: _Group) -> KeyFinding:
    example = min(group.topics)
    spelled = "".join(word.capitalize() for word in problem.split("_"))
    return KeyFinding(key, spelled, len(group.topics), example, min(group.topics[example], default=None))
