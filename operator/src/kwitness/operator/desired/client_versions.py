"""Connected clients whose version is below the least one of a KafkaCluster's ``clientPolicy``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kwitness.contracts.envelopes import SoftwareState
from kwitness.contracts.resources.client_policy import ClientPolicy
from kwitness.contracts.spelling import quantity
from kwitness.contracts.versions import below_least

__all__ = ["ClientVersions", "Outdated", "client_versions", "version_warnings"]

_MOST = 10
"""Versions that a warning names."""


@dataclass(frozen=True, slots=True)
class Outdated:
    """A client software, its open connections, and the least version, as ``<software> <version>``."""

    name: str
    version: str
    connections: int
    least: str


@dataclass(frozen=True, slots=True)
class ClientVersions:
    """Software below its least version, and software of which that cannot be told; most connections first."""

    below: tuple[Outdated, ...] = ()
    unreadable: tuple[Outdated, ...] = ()


def client_versions(policy: ClientPolicy, software: Iterable[SoftwareState]) -> ClientVersions:
    """Compare what is connected now with the policy; the platform's own clients are left out."""
    least = {one.client_software_name: one.version for one in policy.minimum_versions}
    found: dict[str, list[Outdated]] = {"yes": [], "unknown": [], "no": []}
    for one in software if least else ():
        if one.connections and not one.ours:
            name, version = one.client_software_name, one.client_software_version
            answer, which = below_least(name, version, least)
            found[answer].append(Outdated(name, version, one.connections, which))
    return ClientVersions(*(tuple(sorted(found[answer], key=_most_first)) for answer in ("yes", "unknown")))


def version_warnings(versions: ClientVersions) -> dict[str, str]:
    """Messages by type of warning."""
    found: dict[str, str] = {}
    if versions.below:
        found["ClientsBelowMinimum"] = (
            f"below spec.clientPolicy.minimumVersions: {_listed(versions.below)}: have them upgraded, or lower the"
            " least version"
        )
    if versions.unreadable:
        found["ClientVersionsUnreadable"] = (
            f"cannot be compared with spec.clientPolicy.minimumVersions: {_listed(versions.unreadable)}: look at these"
            " clients yourself; they are not counted as below it"
        )
    return found


def _most_first(one: Outdated) -> tuple[int, str, str]:
    return -one.connections, one.name, one.version


def _listed(found: Sequence[Outdated]) -> str:
    # Names and versions are up to 256 characters each, and what to do about them must still be read.
    named = [
        f"{one.name[:40]} {one.version[:40]} ({quantity(one.connections, 'connection')}; least: {one.least[:80]})"
        for one in found[:_MOST]
    ]
    rest = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return ", ".join(named)[:800] + rest
