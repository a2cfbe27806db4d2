"""What tells the items of a list apart, by the Kubernetes API's own declarations of the kinds that we make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["Path", "item_key"]

Path = tuple[str, ...]
"""Names of fields from the object's root; a list adds nothing to it."""

_NONE: Final = object()

_NAME: Final = {"name": _NONE}
_LIST_MAPS: Final[Mapping[tuple[str, str], Mapping[str, object]]] = {
    ("metadata", "ownerReferences"): {"uid": _NONE},
    ("spec", "containers"): _NAME,
    ("spec", "initContainers"): _NAME,
    ("spec", "volumes"): _NAME,
    ("spec", "imagePullSecrets"): _NAME,
    ("spec", "hostAliases"): {"ip": _NONE},
    ("spec", "topologySpreadConstraints"): {"topologyKey": _NONE, "whenUnsatisfiable": _NONE},
    ("spec", "ports"): {"port": _NONE, "protocol": "TCP"},
    **{
        (containers, field): keys
        for containers in ("containers", "initContainers")
        for field, keys in {
            "env": _NAME,
            "ports": {"containerPort": _NONE, "protocol": "TCP"},
            "volumeMounts": {"mountPath": _NONE},
            "volumeDevices": {"devicePath": _NONE},
        }.items()
    },
}
"""Keys of an item, with what the API server puts for one that is left out, by the last two names of the list's path.

Lists that are not here (tolerations, args, sources of a projected volume, rules of a NetworkPolicy) are atomic.
"""


def item_key(path: Path, item: Any) -> tuple[Any, ...] | None:
    """What tells ``item`` of the list at ``path`` from the others; None where the list is one value as a whole."""
    keys = _LIST_MAPS.get((path[-2], path[-1])) if len(path) > 1 else None
    if keys is None or not isinstance(item, dict):
        return None
    return tuple(item.get(name, default) for name, default in keys.items())
