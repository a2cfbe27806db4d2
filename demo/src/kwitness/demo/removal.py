"""Taking the demo down: everything it made, nothing else; caches stay."""

from __future__ import annotations

from kwitness.demo import namespaces, releases
from kwitness.demo.cluster import DemoCluster
from kwitness.demo.platform import APPS, NAMESPACE, RELEASE
from kwitness.images.commands import Progress
from kwitness.sandbox.waiting import wait_until


def remove_from(cluster: DemoCluster, progress: Progress) -> None:
    """Remove the demo from a cluster that is not ours: releases, namespaces, definitions that nobody else uses."""
    definitions = releases.definitions(cluster, of=f"{NAMESPACE}/{RELEASE}")
    for name in (APPS, NAMESPACE):
        found = cluster.find("namespace", name)
        if not found:
            continue
        if not namespaces.is_ours(found):
            progress(f"namespace {name} was not made by the demo and stays")
            continue
        if name == NAMESPACE:
            progress("helm uninstall kwitness-demo, kwitness")
            releases.uninstall(cluster)
        progress(f"removing namespace {name} and what is in it")
        cluster.kubectl("delete", "namespace", name, "--wait=false")
        # Its conditions name what is still in it.
        wait_until(lambda: cluster.find("namespace", name), lambda found: not found, what=f"the end of {name}")  # noqa: B023
    left = [item for kind in sorted(definitions) for item in cluster.items(kind)]
    if left:
        progress(f"{len(left)} custom resources of others remain, so the definitions of our kinds stay")
    elif definitions:
        progress("removing the definitions of our kinds")
        cluster.kubectl("delete", "crd", *sorted(definitions))
