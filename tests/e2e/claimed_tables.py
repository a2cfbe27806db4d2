"""A table on the claim of the demo's analyses, written by a pod with the user of Spark; no driver runs for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import yaml

from kwitness.demo import releases
from kwitness.demo.platform import NAMESPACE, Platform

from tests.e2e import subscriptions
from tests.e2e.eventually import eventually

WRITER: Final = "console-test-writer"
_MOUNTED_AT: Final = "/var/lib/kwitness"


@contextmanager
def claimed_table(platform: Platform, job: str, write: Callable[[Path], Path], folder: Path) -> Iterator[None]:
    """Have a table of Traffic where the operator says that of a suspended AnalyticsJob is, until the block ends.

    Parameters
    ----------
    job
        The AnalyticsJob's name.
    write
        Writes the table below a folder of this machine; returns its path.
    """
    document = yaml.safe_load((releases.RESOURCES / "41-traffic.yaml").read_text())
    document["metadata"] = {"name": job, "namespace": NAMESPACE}
    document["spec"] |= {"suspend": True}
    [analysis] = document["spec"]["analyses"]
    analysis["table"] = job.replace("-", "_")
    with subscriptions.applied(platform, document):
        [entry] = eventually(
            lambda: subscriptions.found(platform, job, "analyticsjob").get("status", {}).get("analyses", []),
            lambda analyses: any("tablePath" in entry for entry in analyses),
        )
        path = Path(urlsplit(entry["tablePath"]).path)
        with _writer(platform) as run:
            run("mkdir", "-p", str(path.parent))
            platform.cluster.kubectl("cp", str(write(folder)), f"{NAMESPACE}/{WRITER}:{path}")
            try:
                yield
            finally:
                run("rm", "-r", str(path.parent))


@contextmanager
def _writer(platform: Platform) -> Iterator[Callable[..., str]]:
    """Run a pod that has the claim; gives what runs a command in it."""
    claim = yaml.safe_load((releases.VALUES / "kwitness.yaml").read_text())["analytics"]["tableClaim"]
    platform.cluster.apply_objects(_pod(platform.images["spark"], claim), namespace=NAMESPACE)
    try:
        eventually(lambda: platform.cluster.find("pod", WRITER, NAMESPACE).get("status", {}).get("phase") == "Running")
        yield lambda *command: platform.cluster.kubectl("exec", WRITER, f"--namespace={NAMESPACE}", "--", *command)
    finally:
        platform.cluster.delete("pod", WRITER, namespace=NAMESPACE)


def _pod(image: str, claim: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": WRITER},
        "spec": {
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 0,
            "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
            "volumes": [{"name": "tables", "persistentVolumeClaim": {"claimName": claim}}],
            "containers": [
                {
                    "name": "writer",
                    "image": image,
                    "imagePullPolicy": "IfNotPresent",
                    "command": ["sleep", "infinity"],
                    "volumeMounts": [{"name": "tables", "mountPath": _MOUNTED_AT}],
                    "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
                    "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
                }
            ],
        },
    }
