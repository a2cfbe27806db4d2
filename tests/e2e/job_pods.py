"""Pods of AnalyticsJobs: drivers and their executors, and one driver that runs several jobs in turn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from kwitness.demo.platform import NAMESPACE, Platform

from tests.e2e import subscriptions
from tests.e2e.eventually import eventually

_IN_TURN = "kwitness-job-in-turn"
_MEMORY_LIMIT = "2400Mi"
_HEAP = "896m"
"""Of a session that serves several types one after the other and keeps of each."""


def wait_until_gone(platform: Platform, job: str) -> None:
    """Wait for the pods of a job: a driver and its executors say much while they end."""
    selector = f"app.kubernetes.io/part-of=kwitness,app.kubernetes.io/instance={job}"
    eventually(lambda: platform.cluster.pods(NAMESPACE, selector), lambda pods: not pods)


def run_in_turn(platform: Platform, jobs: Sequence[str], stack: ExitStack) -> dict[str, dict[str, Any]]:
    """Run suspended AnalyticsJobs that run once in one driver; return the last status of each by its name.

    The pod is that of the first one's runner, with the configurations of all of them. It is removed with the stack.
    """
    stack.enter_context(subscriptions.applied(platform, _job_of(_runner(platform, jobs[0]), jobs)))
    ended = eventually(
        lambda: subscriptions.found(platform, _IN_TURN, "job").get("status", {}),
        lambda status: status.get("succeeded") or status.get("failed"),
    )
    said = platform.cluster.kubectl("logs", f"job/{_IN_TURN}", f"--namespace={NAMESPACE}", "--tail=-1")
    assert ended.get("succeeded"), said[-5000:]
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return {line["name"]: line for line in lines if "phase" in line}


def _runner(platform: Platform, job: str) -> dict[str, Any]:
    selector = f"--selector=app.kubernetes.io/part-of=kwitness,app.kubernetes.io/instance={job}"
    read = ("get", "jobs", f"--namespace={NAMESPACE}", selector, "--output=json")
    found = eventually(lambda: json.loads(platform.cluster.kubectl(*read))["items"])
    runner: dict[str, Any] = found[0]
    return runner


def _job_of(runner: dict[str, Any], jobs: Sequence[str]) -> dict[str, Any]:
    """A Job that nobody else has anything to do with, with the pod of another one and more configurations."""
    pod = runner["spec"]["template"]["spec"]
    (driver,) = pod["containers"]
    folders = {job: f"/etc/kwitness/jobs/{job}" for job in jobs}
    driver["args"] = ["--config", *(f"{folder}/job.json" for folder in folders.values())]
    driver["volumeMounts"] += [
        {"name": f"job-{at}", "mountPath": folder, "readOnly": True} for at, folder in enumerate(folders.values())
    ]
    pod["volumes"] += [
        {"name": f"job-{at}", "configMap": {"name": f"kwitness-job-{job}"}} for at, job in enumerate(jobs)
    ]
    driver["resources"]["limits"]["memory"] = _MEMORY_LIMIT
    for variable in driver["env"]:
        if variable["name"] == "KWITNESS_SPARK_DRIVER_MEMORY":
            variable["value"] = _HEAP
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": _IN_TURN, "namespace": NAMESPACE},
        "spec": {
            "backoffLimit": 0,
            "template": {"metadata": {"labels": {"app.kubernetes.io/part-of": "kwitness"}}, "spec": pod},
        },
    }
