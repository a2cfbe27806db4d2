"""Pods of the demo's AnalyticsJobs: drivers and their executors."""

from __future__ import annotations

from kwitness.demo.platform import NAMESPACE, Platform

from tests.eventually import eventually


def wait_until_gone(platform: Platform, job: str) -> None:
    """Wait for the pods of a job: a driver and its executors say much while they end."""
    selector = f"app.kubernetes.io/part-of=kwitness,app.kubernetes.io/instance={job}"
    eventually(lambda: platform.cluster.pods(NAMESPACE, selector), lambda pods: not pods, seconds=180)
