"""Pods of AnalyticsJobs: drivers and their executors, and one driver that runs several jobs in turn."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

from kwitness.demo.platform import NAMESPACE, Platform
from kwitness.demo.summary import table_rows
from kwitness.e2e.api_objects import ApiRefusedError

from tests.e2e import subscriptions
from tests.e2e.eventually import eventually

_IN_TURN = "kwitness-job-in-turn"
_MEMORY_LIMIT = "2400Mi"
_HEAP = "896m"
"""Of a session that serves several types one after the other and keeps of each."""
_SETTINGS: Final = (Path(__file__).parents[1] / "spark" / "spark-defaults.conf").read_text().splitlines()
_FASTER: Final = {
    # As every other Spark of tests: to compile a plan costs more than to run it as it is.
    "PYSPARK_SUBMIT_ARGS": " ".join(
        [*(f"--conf {'='.join(line.split())}" for line in _SETTINGS if line.startswith("spark.")), "pyspark-shell"]
    ),
    # What the first compiler makes for one job fits into 48 MB; here it would be thrown away and made again.
    "JAVA_TOOL_OPTIONS": "-XX:ReservedCodeCacheSize=240m",
}
"""Variables of that session."""
_ENDED: Final = "the driver has ended"


class Found(NamedTuple):
    """What a job had found: the rows of its table, and the last status of its driver."""

    rows: list[dict[str, Any]]
    status: dict[str, Any]


def wait_until_gone(platform: Platform, job: str) -> None:
    """Wait for the pods of a job: a driver and its executors say much while they end."""
    selector = f"app.kubernetes.io/part-of=kwitness,app.kubernetes.io/instance={job}"
    eventually(lambda: platform.cluster.pods(NAMESPACE, selector), lambda pods: not pods)


def run_in_turn(platform: Platform, jobs: Mapping[str, dict[str, Any]], stack: ExitStack) -> dict[str, Found]:
    """Run suspended AnalyticsJobs that run once in one driver; what each found, by its type.

    The pod is that of the first one's runner, with the configurations of all of them, and stays for a look at the
    tables when the driver has ended. It is removed with the stack.
    """
    names = {job_type: job["metadata"]["name"] for job_type, job in jobs.items()}
    runner = _runner(platform, next(iter(names.values())))
    stack.enter_context(subscriptions.applied(platform, _job_of(runner, tuple(names.values()))))

    def log(**options: int) -> str:
        [pod] = platform.cluster.pods(NAMESPACE, f"job-name={_IN_TURN}")
        return platform.cluster.log(pod["metadata"]["name"], NAMESPACE, **options)

    def ended() -> bool:
        if subscriptions.found(platform, _IN_TURN, "job").get("status", {}).get("failed"):
            return True
        try:
            return _ENDED in log(tailLines=1)
        except (ApiRefusedError, ValueError):
            return False  # there is no pod yet, or no container

    eventually(ended, every=3)
    lines = log().splitlines()
    assert lines[-1] == _ENDED, "\n".join(lines)[-5000:]
    reported = [json.loads(line) for line in lines if line.startswith("{")]
    statuses = {line["name"]: line for line in reported if "phase" in line}
    rows = {job_type: _rows(platform, job_type, job["spec"]["analyses"][0]["table"]) for job_type, job in jobs.items()}
    return {job_type: Found(rows[job_type], statuses[name]) for job_type, name in names.items()}


def _rows(platform: Platform, job_type: str, name: str) -> list[dict[str, Any]]:
    path = f"file:///var/lib/kwitness/tables/{NAMESPACE}/{name}/table"
    return table_rows(platform.cluster, job_type, f"--table={path}", namespace=NAMESPACE, pod=f"job/{_IN_TURN}")


def _runner(platform: Platform, job: str) -> dict[str, Any]:
    selector = f"app.kubernetes.io/part-of=kwitness,app.kubernetes.io/instance={job}"
    return eventually(lambda: platform.cluster.items("jobs", NAMESPACE, selector))[0]


def _job_of(runner: dict[str, Any], jobs: Sequence[str]) -> dict[str, Any]:
    """A Job that nobody else has anything to do with, with the pod of another one and more configurations."""
    pod = runner["spec"]["template"]["spec"]
    (driver,) = pod["containers"]
    folders = {job: f"/etc/kwitness/jobs/{job}" for job in jobs}
    run = ["python3", "-m", "kwitness.jobs", "--config", *(f"{folder}/job.json" for folder in folders.values())]
    driver["args"] = ["sh", "-ec", f"{shlex.join(run)}\necho {_ENDED}\nexec sleep infinity"]
    driver["volumeMounts"] += [
        {"name": f"job-{at}", "mountPath": folder, "readOnly": True} for at, folder in enumerate(folders.values())
    ]
    pod["volumes"] += [
        {"name": f"job-{at}", "configMap": {"name": f"kwitness-job-{job}"}} for at, job in enumerate(jobs)
    ]
    driver["resources"]["limits"]["memory"] = _MEMORY_LIMIT
    driver["env"] += [{"name": name, "value": value} for name, value in _FASTER.items()]
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
