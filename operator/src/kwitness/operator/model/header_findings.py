"""What collectors say is wrong with record headers, as the owner of a register wants to know it: by key, not by pod."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

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


def findings_of(
    states: Iterable[ClusterState], registers: Callable[[str], bool], are_known: Callable[[str], bool]
) -> RegisterFindings:
    """Sum up what collectors say of some clusters.

    ``registers`` says whether the register has a key, ``are_known`` whether any register has it: who judges by another
    register, or by none, calls a key unregistered that has an owner. Keys that were too many have no name, and are left
    out. Nothing says how many headers there were, since a status that said so would never be the same twice.
    """
    groups: dict[tuple[bool, str, str], dict[str, set[str]]] = {}
    for finding in (one for state in states for one in state.headers):
        if finding.key is None:
            continue
        is_unregistered = finding.problem == _UNREGISTERED
        if (not are_known(finding.key)) if is_unregistered else registers(finding.key):
            # What is wrong with the register's own keys comes first.
            _add(groups.setdefault((is_unregistered, finding.key, finding.problem), {}), finding)
    found = [_summed(key, problem, groups[others, key, problem]) for others, key, problem in sorted(groups)]
    unregistered = sum(others for others, _, _ in groups)
    return RegisterFindings(tuple(found[:MOST_FINDINGS]), max(0, len(found) - MOST_FINDINGS), unregistered)


def _add(topics_by_client: dict[str, set[str]], finding: envelopes.HeaderFinding) -> None:
    client = f"{finding.k8s_namespace}/{finding.k8s_pod}" if finding.k8s_pod else finding.client_id or "unknown"
    topics = topics_by_client.setdefault(client, set())
    if finding.topic is not None:
        topics.add(finding.topic)


def _summed(key: str, problem: str, topics_by_client: Mapping[str, set[str]]) -> HeaderFinding:
    example = min(topics_by_client)
    return HeaderFinding(
        key=key,
        problem="".join(word.capitalize() for word in problem.split("_")),
        clients=len(topics_by_client),
        example=example,
        topic=min(topics_by_client[example], default=None),
    )
