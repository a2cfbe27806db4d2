"""Makes previews of what would be written: the API server checks it without doing it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import yaml

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.risk_bounds import risk_warnings
from kwitness.answers.access.serving_collector import find_cluster, parsed
from kwitness.answers.failure import CommandFailedError
from kwitness.answers.subscription_request import Request, metric_warnings, subscription
from kwitness.contracts.resources.client_metrics_subscription import ClientMetricsSubscription

__all__ = ["Addition", "Ending", "already_there", "is_there", "preview_addition", "preview_ending"]

_KIND: Final = ClientMetricsSubscription.__name__
_READ_ONLY: Final = ("creationTimestamp", "managedFields", "uid", "resourceVersion", "generation")


class Addition(NamedTuple):
    """A subscription that would be made.

    Attributes
    ----------
    body
        The resource, as it is sent.
    warnings
        What to know before it is applied.
    digest
        Stands for all that the preview shows: one that differs is another preview.
    """

    body: Mapping[str, Any]
    warnings: Sequence[str]
    digest: str

    @property
    def text(self) -> str:
        """The resource as YAML."""
        return yaml.safe_dump(self.body, sort_keys=False)


class Ending(NamedTuple):
    """A subscription that would be deleted; ``only`` is what it must still be then."""

    body: Mapping[str, Any]
    digest: str
    only: Mapping[str, str]

    @property
    def text(self) -> str:
        """The resource as YAML, without what the API server wrote."""
        metadata = {name: value for name, value in self.body["metadata"].items() if name not in _READ_ONLY}
        body = {name: value for name, value in self.body.items() if name != "status"}
        return yaml.safe_dump({**body, "metadata": metadata}, sort_keys=False)


def preview_addition(access: ClusterAccess, request: Request) -> Addition:
    """Have the API server check a new subscription, and return its preview.

    Raises
    ------
    AlreadyThereError
        There is one of that name.
    CommandFailedError
        The API server refuses it, in its own words, or a permission is missing.
    """
    body = subscription(request)
    cluster = find_cluster(access, f"{request.cluster_namespace}/{request.cluster}")
    created = access.create(body, dry_run=True)
    warnings = metric_warnings(request.metrics)
    if request.accept_risk:
        warnings += risk_warnings(access, cluster, created)
    return Addition(body, warnings, _digest(body, created["spec"], warnings))


def preview_ending(access: ClusterAccess, namespace: str, name: str) -> Ending | None:
    """Have the API server check that a subscription may be deleted, and return its preview; None where there is none.

    Raises
    ------
    CommandFailedError
        A permission is missing, or the API server refuses it.
    """
    body = access.get(_KIND, name, namespace)
    if body is None or not access.delete(_KIND, name, namespace, dry_run=True):
        return None
    metadata = body["metadata"]
    only = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}
    # Not of the status, which the operator writes every minute.
    return Ending(body, _digest(metadata["uid"], body["spec"]), only)


def is_there(access: ClusterAccess, request: Request) -> bool:
    """Return whether a subscription of that name is the same as the requested one: the form was sent twice."""
    existing = access.get(_KIND, request.name, request.namespace)
    if existing is None:
        return False
    return (
        parsed(ClientMetricsSubscription, existing).spec
        == parsed(ClientMetricsSubscription, subscription(request)).spec
    )


def already_there(request: Request) -> CommandFailedError:
    """Make the error for a name that is in use."""
    return CommandFailedError(
        f"there is a subscription {request.name} in namespace {request.namespace} already: take another name, or end "
        "it first"
    )


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
