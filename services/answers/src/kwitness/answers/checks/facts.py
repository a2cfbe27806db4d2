"""What is known of an installation when it is looked at. What could not be asked is None, with a reason beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kwitness.contracts.envelopes import ClusterState

__all__ = ["CollectorFacts", "DeploymentFacts", "InstallationFacts", "Permission", "Refused"]


@dataclass(frozen=True, slots=True)
class Refused:
    """Something that could not be asked: what, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class DeploymentFacts:
    """A Deployment of the chart.

    Attributes
    ----------
    version
        Its label app.kubernetes.io/version, which the chart gives it.
    wanted, ready
        Replicas.
    message
        Why it is not available, as Kubernetes says.
    """

    name: str
    namespace: str
    version: str | None = None
    wanted: int = 1
    ready: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class CollectorFacts:
    """A TelemetryCollector, as it answers.

    Attributes
    ----------
    version
        Tag of its image.
    cluster
        What it knows of its cluster; None where it did not answer, or where nothing was asked since it is suspended.
    failure
        Why it did not answer.
    """

    namespace: str
    name: str
    suspended: bool = False
    version: str | None = None
    cluster: ClusterState | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Permission:
    """Something that this command does for the caller, and whether the caller may.

    Attributes
    ----------
    needed_for
        Which command needs it.
    name
        Of the one object that is meant; None: any of the namespace.
    """

    verb: str
    resource: str
    group: str
    namespace: str | None
    needed_for: str
    allowed: bool
    name: str | None = None


@dataclass(frozen=True, slots=True)
class InstallationFacts:
    """All facts.

    Attributes
    ----------
    version
        Of this program; None where it is not known, as in images.
    now_s
        When it was looked, in seconds since 1970.
    definitions
        CustomResourceDefinitions by name; None where they may not be read.
    operators, injectors
        Deployments of the chart, in all namespaces that may be looked into; None where none may be.
    resources
        Our resources, as the API server gave them.
    collectors
        What collectors answer.
    certificate_expiry_s
        When the injector's certificate ends, in seconds since 1970; None where it was not told.
    permissions
        What the caller needs.
    refused
        What could not be asked.
    by_person
        Whether a person looked. A pod has few permissions on purpose.
    """

    version: str | None
    now_s: float
    definitions: Mapping[str, Mapping[str, Any]] | None = None
    operators: tuple[DeploymentFacts, ...] | None = None
    injectors: tuple[DeploymentFacts, ...] | None = None
    resources: tuple[Mapping[str, Any], ...] = ()
    collectors: tuple[CollectorFacts, ...] = ()
    certificate_expiry_s: float | None = None
    permissions: tuple[Permission, ...] = ()
    refused: tuple[Refused, ...] = field(default=())
    by_person: bool = True

    def of_kind(self, kind: str) -> list[Mapping[str, Any]]:
        """Resources of one kind."""
        return [one for one in self.resources if one.get("kind") == kind]
