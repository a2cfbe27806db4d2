"""Namespaces that enforce Pod Security `restricted`, and to whom they belong."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from kwitness.contracts.injections import INJECTION
from kwitness.demo.cluster import DemoCluster
from kwitness.demo.progress import DemoError

OWNER = "kwitness.dev/demo"
"""Label of what the demo made, so that `demo-down` removes nothing else on a cluster that is not ours."""


def ensure(cluster: DemoCluster, *names: str, observed: Collection[str] = ()) -> None:
    """Make namespaces, or go on with those that an earlier demo made; none is made when one is another's.

    Parameters
    ----------
    observed
        Those of them that let their pods get observers.

    Raises
    ------
    DemoError
        One of them is there and was not made by the demo, which would mix with what is in it.
    """
    for name in names:
        found = cluster.find("namespace", name)
        if found and not is_ours(found):
            reason = (
                f"there is one already, and no demo made it: take another cluster, or remove it if nobody needs it"
                f" (kubectl delete namespace {name})"
            )
            raise DemoError(component=f"namespace {name}", reason=reason, log=f"kubectl get all --namespace {name}")
    cluster.apply_objects(*(restricted(name, observed=name in observed) for name in names))


def is_ours(namespace: Mapping[str, Any]) -> bool:
    """Whether a demo made it."""
    return bool(namespace["metadata"].get("labels", {}).get(OWNER) == "true")


def restricted(name: str, *, observed: bool = False) -> dict[str, Any]:
    """A namespace whose pods must be restricted, and may get observers if it says so, marked as the demo's."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": name,
            "labels": {
                OWNER: "true",
                "pod-security.kubernetes.io/enforce": "restricted",
                "pod-security.kubernetes.io/warn": "restricted",
                **({INJECTION: "enabled"} if observed else {}),
            },
        },
    }
