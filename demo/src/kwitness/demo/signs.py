"""Shows that a cluster works on what is waited for: its pods change, or one of them computes."""

from __future__ import annotations

from typing import Final

from kwitness.demo.cluster import DemoCluster
from kwitness.sandbox.waiting import Sign

_STEP_NS: Final = 10_000_000_000
"""Ten seconds of a processor. An idle pod needs many minutes for them, a driver that starts less than one."""


def signs_of(cluster: DemoCluster, *, namespace: str, workload: str) -> tuple[Sign, ...]:
    """Signs that something moves in a namespace.

    Parameters
    ----------
    workload
        What the names of the pods begin with whose processor time counts.
    """

    def pods() -> dict[str, str]:
        return {pod["metadata"]["name"]: pod["metadata"]["resourceVersion"] for pod in cluster.pods(namespace)}

    def processor_time() -> dict[str, int]:
        found = [pod for pod in cluster.pods(namespace) if pod["metadata"]["name"].startswith(workload)]
        steps = {}
        for node in sorted({pod["spec"]["nodeName"] for pod in found if "nodeName" in pod["spec"]}):
            summary = cluster.objects.ask("GET", f"/api/v1/nodes/{node}/proxy/stats/summary")
            for pod in summary["pods"]:
                name, place = pod["podRef"]["name"], pod["podRef"]["namespace"]
                if place == namespace and name.startswith(workload):
                    steps[name] = pod.get("cpu", {}).get("usageCoreNanoSeconds", 0) // _STEP_NS
        return steps

    return pods, processor_time
