"""Taking the demo down: everything it made, nothing else; caches stay."""

from __future__ import annotations

from kwitness.e2e.demo import namespaces, releases
from kwitness.e2e.demo.cluster import DemoCluster
from kwitness.e2e.demo.platform import APPS, NAMESPACE


def remove_from(cluster: DemoCluster) -> None:
    """Remove the demo from a cluster that is not ours: release, namespaces, CRDs that nobody else uses."""
    for name in (APPS, NAMESPACE):
        found = cluster.find("namespace", name)
        if found and found["metadata"].get("labels", {}).get(namespaces.OWNER) != "true":
            print(f"namespace {name} was not made by the demo and stays", flush=True)
            continue
        if name == NAMESPACE and found:
            releases.uninstall(cluster)
        if found:
            cluster.kubectl("delete", "namespace", name, "--wait", "--timeout=180s")
    left = [item for kind in _kinds(cluster) for item in cluster.items(kind, "--all-namespaces")]
    if left:
        print(f"{len(left)} custom resources of others remain, so the CRDs stay", flush=True)
    elif kinds := _kinds(cluster):
        cluster.kubectl("delete", "crd", *kinds)


def _kinds(cluster: DemoCluster) -> list[str]:
    names = cluster.kubectl("get", "crd", "-o", "name").split()
    return [name.partition("/")[2] for name in names if name.endswith(".kwitness.dev")]
