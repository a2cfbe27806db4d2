"""What collectors say is wrong with record headers, as the owner of a register wants to know it: by key, not by pod."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from typing_extensions import override

from kwitness.contracts import envelopes
from kwitness.contracts.envelopes import ClusterState
from kwitness.contracts.resources.header_registry import HeaderFinding

__all__ = ["MOST_FINDINGS", "RegisterFindings", "findings_of"]

MOST_FINDINGS: Final = 50
_UNREGISTERED: Final = "unregistered"


@dataclass(frozen=True, slots=True)
class RegisterFindings:
    """What is wrong with the keys of a register and with keys that no register has, and how many of the latter."""

    keys: tuple[HeaderFinding, ...] = ()
    left_out: int = 0
    unregistered_seen: int = 0


class _Client(NamedTuple):
    """A pod that sends or gets a header, or a client id whose pod is not known."""

    namespace: str
    name: str

    @override
    def __str__(self) -> str:
        """Return <namespace>/<pod>, or the client id."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


_Topics = dict[_Client, set[str]]


def findings_of(
    states: Iterable[ClusterState],
    namespace: str,
    registers: Callable[[str], bool],
    are_known: Callable[[str], bool],
) -> RegisterFindings:
    """Sum up what collectors say of some clusters, for a register of ``namespace``, whose pods alone are named.

    ``registers`` says whether the register has a key, ``are_known`` whether any register has it: who judges by another
    register, or by none, calls a key unregistered that has an owner. Keys that were too many have no name, and are left
    out. Nothing says how many headers there were, since a status that said so would never be the same twice.
    """
    groups: dict[tuple[bool, str, str], _Topics] = {}
    for finding in (one for state in states for one in state.headers):
        if finding.key is None:
            continue
        is_unregistered = finding.problem == _UNREGISTERED
        if (not are_known(finding.key)) if is_unregistered else registers(finding.key):
            # What is wrong with the register's own keys comes first.
            _add(groups.setdefault((is_unregistered, finding.key, finding.problem), {}), finding)
    found = [_summed(key, problem, groups[others, key, problem], namespace) for others, key, problem in sorted(groups)]
    unregistered = sum(others for others, _, _ in groups)
    return RegisterFindings(tuple(found[:MOST_FINDINGS]), max(0, len(found) - MOST_FINDINGS), unregistered)


def _add(topics_by_client: _Topics, finding: envelopes.HeaderFinding) -> None:
    if finding.k8s_pod:
        client = _Client(finding.k8s_namespace or "", finding.k8s_pod)
    else:
        client = _Client("", finding.client_id or "unknown")
    topics = topics_by_client.setdefault(client, set())
    if finding.topic is not None:
        topics.add(finding.topic)


def _summed(key: str, problem: str, topics_by_client: _Topics, namespace: str) -> HeaderFinding:
    own = [client for client in topics_by_client if client.namespace == namespace]
    named = own or [client for client in topics_by_client if not client.namespace]
    example = min(named, default=None)
    topics = topics_by_client[example] if example is not None else set().union(*topics_by_client.values())
    return HeaderFinding(
        key=key,
        problem="".join(word.capitalize() for word in problem.split("_")),
        clients_total=len(topics_by_client),
        example=str(example) if example is not None else None,
        topic=min(topics, default=None),
    )
