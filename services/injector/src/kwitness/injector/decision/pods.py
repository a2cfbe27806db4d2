"""What is asked of a pod as the API server sends it: JSON, with absent lists."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

__all__ = [
    "Json",
    "all_containers",
    "annotations_of",
    "has_volume",
    "in_a_mesh",
    "init_containers",
    "is_mirror",
    "labels_of",
    "main_containers",
    "on_windows",
    "ports_in_use",
    "security_level",
    "takes_name",
    "user_of",
    "users_of",
    "without_nftables",
]

Json = dict[str, Any]

_MIRROR: Final = "kubernetes.io/config.mirror"
_MESH_CONTAINERS: Final = frozenset(
    {
        "consul-dataplane",
        "istio-init",
        "istio-proxy",
        "istio-validation",
        "kuma-sidecar",
        "linkerd-init",
        "linkerd-proxy",
    }
)
_MESH_MARKS: Final[Mapping[str, frozenset[str]]] = {
    "consul.hashicorp.com/connect-inject": frozenset({"true"}),
    "istio-injection": frozenset({"enabled"}),
    "istio.io/dataplane-mode": frozenset({"ambient"}),
    "kuma.io/sidecar-injection": frozenset({"enabled", "true"}),
    "linkerd.io/inject": frozenset({"enabled", "ingress"}),
    "sidecar.istio.io/inject": frozenset({"true"}),
}
"""Labels and annotations, of pods or namespaces, by which meshes are asked to inject their own proxy."""
_MESH_REVISION: Final = "istio.io/rev"
_ENFORCED: Final = "pod-security.kubernetes.io/enforce"
_WITHOUT_NFTABLES: Final = frozenset({"gvisor", "runsc"})
"""Names that runtime classes of gVisor usually have; its network stack is its own."""


def labels_of(thing: Json) -> dict[str, str]:
    """Labels of an object."""
    return (thing.get("metadata") or {}).get("labels") or {}


def annotations_of(thing: Json) -> dict[str, str]:
    """Annotations of an object."""
    return (thing.get("metadata") or {}).get("annotations") or {}


def main_containers(pod: Json) -> list[Json]:
    """The containers that run together."""
    return pod["spec"].get("containers") or []


def init_containers(pod: Json) -> list[Json]:
    """Init containers, native sidecars among them."""
    return pod["spec"].get("initContainers") or []


def all_containers(pod: Json) -> list[Json]:
    """Both."""
    return [*init_containers(pod), *main_containers(pod)]


def is_mirror(pod: Json) -> bool:
    """Whether the kubelet made it from a file: what the API server is told of it changes nothing."""
    return _MIRROR in annotations_of(pod)


def on_windows(pod: Json) -> bool:
    """Whether it asks for a Windows node."""
    named = (pod["spec"].get("os") or {}).get("name")
    return "windows" in (named, (pod["spec"].get("nodeSelector") or {}).get("kubernetes.io/os"))


def in_a_mesh(pod: Json, namespace: Json) -> bool:
    """Whether a service mesh redirects its connections, or will once its own webhook was asked."""
    if any(container["name"] in _MESH_CONTAINERS for container in all_containers(pod)):
        return True
    # What a pod says of itself overrides what its namespace says.
    marks = {**labels_of(namespace), **annotations_of(namespace), **labels_of(pod), **annotations_of(pod)}
    if marks.get("sidecar.istio.io/inject") == "false":
        marks = {name: value for name, value in marks.items() if not name.startswith("istio")}
    return _MESH_REVISION in marks or any(marks.get(name) in values for name, values in _MESH_MARKS.items())


def security_level(namespace: Json, default: str) -> str:
    """Which Pod Security Standard is enforced there; ``default`` where the namespace has no label."""
    return labels_of(namespace).get(_ENFORCED, default)


def without_nftables(pod: Json) -> bool:
    """Whether its runtime class is one in which no rules of nftables can be made, as far as its name tells."""
    return pod["spec"].get("runtimeClassName") in _WITHOUT_NFTABLES


def users_of(pod: Json, *, without: Collection[str]) -> frozenset[int]:
    """The user ids that the pod and its containers name, but for the containers called ``without``."""
    places = [pod["spec"], *(one for one in all_containers(pod) if one["name"] not in without)]
    named = ((place.get("securityContext") or {}).get("runAsUser") for place in places)
    return frozenset(user for user in named if user is not None)


def user_of(pod: Json) -> int | None:
    """The user id that the pod gives containers which name none."""
    return (pod["spec"].get("securityContext") or {}).get("runAsUser")


def takes_name(pod: Json, names: Collection[str], volumes: Collection[str]) -> bool:
    """Whether a container that is no init container has such a name, or one of another name one of those volumes."""
    return any(container["name"] in names for container in main_containers(pod)) or any(
        mount["name"] in volumes
        for container in all_containers(pod)
        if container["name"] not in names
        for mount in container.get("volumeMounts") or []
    )


def has_volume(pod: Json, name: str) -> bool:
    """Whether the pod has a volume of that name."""
    return any(volume["name"] == name for volume in pod["spec"].get("volumes") or [])


def ports_in_use(pod: Json, *, without: Collection[str]) -> frozenset[int]:
    """Ports that containers say they listen on, but for the containers called ``without``."""
    return frozenset(
        port["containerPort"]
        for container in all_containers(pod)
        if container["name"] not in without
        for port in container.get("ports") or []
    )
