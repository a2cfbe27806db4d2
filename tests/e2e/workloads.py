"""Deployments and StatefulSets that tests wait for, or have for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kwitness.demo import waiting
from kwitness.demo.platform import APPS, NAMESPACE, Platform

from tests.e2e.client_pods import pods_of
from tests.e2e.eventually import eventually


def wait_until_ready(platform: Platform, kind: str, name: str, namespace: str = NAMESPACE) -> None:
    """Wait until every replica is the present one and ready."""
    eventually(
        lambda: waiting.workload(platform.cluster, kind=kind, name=name, namespace=namespace),
        lambda missing: missing is None,
    )


def restart(platform: Platform, *workloads: str) -> None:
    """Have clients of the demo make their connections from the beginning, in new processes."""
    platform.cluster.restart(*workloads, namespace=APPS)
    for workload in workloads:
        wait_until_ready(platform, "deployment", workload, APPS)


@contextmanager
def running(platform: Platform, deployment: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A client's Deployment for the length of a block; gives its pod. It ends in good order."""
    name = deployment["metadata"]["name"]
    platform.cluster.apply_objects(deployment, namespace=APPS)
    try:
        wait_until_ready(platform, "deployment", name, APPS)
        yield pods_of(platform, name)[0]
    finally:
        platform.cluster.delete("deployment", name, namespace=APPS)
        eventually(lambda: pods_of(platform, name), lambda pods: not pods)
