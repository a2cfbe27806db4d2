"""Pods of the demo's clients: found, their logs, and labelled for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kwitness.demo.platform import APPS, Platform


def pods_of(platform: Platform, workload: str) -> list[dict[str, Any]]:
    """All of a Deployment."""
    return platform.cluster.pods(APPS, f"app.kubernetes.io/name={workload}")


def log_of(platform: Platform, workload: str) -> str:
    """What the client of its one pod has said."""
    [pod] = pods_of(platform, workload)
    return platform.cluster.log(pod["metadata"]["name"], APPS, container="client")


@contextmanager
def labelled(platform: Platform, workload: str, **labels: str) -> Iterator[str]:
    """Labels on the pods of a Deployment that run, for the length of a block; gives the name of one."""
    pods = ("label", "pods", f"--selector=app.kubernetes.io/name={workload}", f"--namespace={APPS}")
    platform.cluster.kubectl(*pods, *(f"{name}={value}" for name, value in labels.items()))
    try:
        yield pods_of(platform, workload)[0]["metadata"]["name"]
    finally:
        platform.cluster.kubectl(*pods, *(f"{name}-" for name in labels))
