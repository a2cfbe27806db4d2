"""Files of ours in a pod: annotations that the kubelet shows its containers, beside a token for the collector.

So nothing has to be made in the pod's namespace, and Pod Security `restricted` admits it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from kwitness.contracts.identity_hashing import KEY_FIELD, KEY_SECRET
from kwitness.contracts.injections import InjectedContainer

from .patch import Operation, listed
from .pods import Json

__all__ = ["annotations_of_files", "files_volume", "pull_secrets", "restricted"]

_TOKEN_SECONDS: Final = 3600


class _Collector(Protocol):
    @property
    def token_file(self) -> str: ...


def _name(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


def annotations_of_files(prefix: str, files: Mapping[str, str]) -> dict[str, str]:
    """Annotations with these contents, each named after the file of this path that it becomes."""
    return {prefix + _name(path): content for path, content in files.items()}


def files_volume(
    name: str,
    prefix: str,
    annotations: Mapping[str, str],
    collector: _Collector | None,
    audience: str | None,
    *,
    identity_key_file: str | None,
) -> Json:
    """The volume of this name with the annotations as files, and with the token that says which pod reports.

    ``identity_key_file`` gets the key that identities are hashed with, where the pod's namespace has the Secret.
    """
    items = [
        {
            "path": annotation.removeprefix(prefix),
            "fieldRef": {"apiVersion": "v1", "fieldPath": f"metadata.annotations['{annotation}']"},
        }
        for annotation in annotations
    ]
    sources: list[Json] = [{"downwardAPI": {"items": items}}]
    if collector is not None:
        path = _name(collector.token_file)
        token = {"audience": audience, "expirationSeconds": _TOKEN_SECONDS, "path": path}
        sources.append({"serviceAccountToken": token})
    if identity_key_file is not None:
        items = [{"key": KEY_FIELD, "path": _name(identity_key_file)}]
        sources.append({"secret": {"name": KEY_SECRET, "items": items, "optional": True}})
    return {"name": name, "projected": {"defaultMode": 0o444, "sources": sources}}


def restricted(container: InjectedContainer) -> dict[str, Any]:
    """A security context that Pod Security `restricted` admits."""
    security: dict[str, Any] = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    if container.run_as_user is not None:
        security |= {"runAsUser": container.run_as_user, "runAsGroup": container.run_as_user}
    return security


def pull_secrets(pod: Json, names: Sequence[str]) -> list[Operation]:
    """Name the Secrets with which our image is pulled, beside the pod's own."""
    operations: list[Operation] = []
    present = list(pod["spec"].get("imagePullSecrets") or [])
    for name in names:
        operations += listed("/spec/imagePullSecrets", present, {"name": name})
        present.append({"name": name})
    return operations
