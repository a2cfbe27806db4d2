"""The observer in a pod: a native sidecar, a volume with what it starts from, and one that outlives its process.

Its files are annotations of the pod, which the kubelet shows it, beside a token for the collector: so nothing has to be
made in the pod's namespace, and Pod Security `restricted` admits it.
"""

from __future__ import annotations

from typing import Final

from kwitness.contracts.endpoints import HEALTH_PATH
from kwitness.contracts.injections import (
    OBSERVER_CONTAINER,
    OBSERVER_FOLDER,
    OBSERVER_SETTINGS,
    POD_VOLUME_FOLDER,
    REDIRECT_CONTAINER,
    Injection,
)
from kwitness.contracts.observer_settings import ObserverSettings

from .pod_files import annotations_of_files, files_volume, restricted
from .pods import Json

__all__ = ["MARKER_VOLUME", "OURS", "observer_container", "observer_files", "observer_volumes", "redirect_container"]

OURS: Final = frozenset({OBSERVER_CONTAINER, REDIRECT_CONTAINER})
"""Names of the containers that are made here."""

MARKER_VOLUME: Final = "kwitness-observer-marker"
"""Files by which a process knows that the one before was killed, and which ports it gave to brokers.

In memory: a node that restarts leaves none.
"""

_MARKER_FOLDER: Final = "/var/run/kwitness/observer"
_MARKER_SIZE: Final = "1Mi"
_REDIRECTION: Final = f"{_MARKER_FOLDER}/redirection"
"""By this file the observer knows what became of the redirection."""
_NODES: Final = f"{_MARKER_FOLDER}/nodes"
"""In this file the observer keeps the ports that it gave to brokers."""
_DRAIN_SECONDS: Final = 5
"""The application has ended by then: native sidecars are told last."""
_PREFIX: Final = "observer.kwitness.dev/"
"""Of the annotations that are files."""


def observer_files(injection: Injection, settings: ObserverSettings) -> dict[str, str]:
    """Annotations, each named after the file that it becomes."""
    files = {OBSERVER_SETTINGS: settings.model_dump_json()}
    tls, collector = settings.upstream.tls, settings.collector
    if tls is not None and tls.ca_file is not None and injection.upstream_ca is not None:
        files[tls.ca_file] = injection.upstream_ca
    if collector is not None and collector.ca_file is not None and injection.collector_ca is not None:
        files[collector.ca_file] = injection.collector_ca
    return annotations_of_files(_PREFIX, files)


def observer_volumes(injection: Injection, settings: ObserverSettings) -> tuple[Json, Json]:
    """The files, with the token that says which pod reports; and the marker's."""
    annotations = observer_files(injection, settings)
    return (
        files_volume(
            OBSERVER_CONTAINER,
            _PREFIX,
            annotations,
            settings.collector,
            injection.token_audience,
            identity_key_file=settings.identity.key_file,
        ),
        {"name": MARKER_VOLUME, "emptyDir": {"medium": "Memory", "sizeLimit": _MARKER_SIZE}},
    )


def observer_container(injection: Injection, settings: ObserverSettings, *, probed: bool) -> Json:
    """The container. It has no readiness: an application is not taken out of service because of us."""
    observer = injection.observer
    # Redirected clients see the ports of brokers themselves.
    kept = ("--redirection", _REDIRECTION) if injection.redirects else ("--nodes", _NODES)
    container: Json = {
        "name": OBSERVER_CONTAINER,
        "image": observer.image,
        "imagePullPolicy": observer.pull_policy,
        "args": [
            *("run", "--settings", OBSERVER_SETTINGS),
            *("--drain-seconds", str(_DRAIN_SECONDS)),
            *("--marker", f"{_MARKER_FOLDER}/marker"),
            *kept,
        ],
        "env": [
            {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}
            for name, path in (
                ("POD_NAME", "metadata.name"),
                ("POD_NAMESPACE", "metadata.namespace"),
                ("POD_IP", "status.podIP"),
            )
        ],
        "resources": {part: dict(amounts) for part, amounts in observer.resources.items()},
        "restartPolicy": "Always",
        "securityContext": restricted(observer),
        "volumeMounts": [
            {"name": OBSERVER_CONTAINER, "mountPath": OBSERVER_FOLDER, "readOnly": True},
            {"name": MARKER_VOLUME, "mountPath": _MARKER_FOLDER},
        ],
    }
    if injection.pod_volume is not None:
        mount = {"name": injection.pod_volume, "mountPath": POD_VOLUME_FOLDER, "readOnly": True}
        container["volumeMounts"].append(mount)
    if probed:
        # What starts after it finds it listening.
        container["startupProbe"] = {
            "httpGet": {"path": HEALTH_PATH, "port": settings.metrics_port},
            "periodSeconds": 1,
            "failureThreshold": 60,
        }
    return container


def redirect_container(injection: Injection) -> Json:
    """The init container that makes the rules; it comes after the observer, whose user id they spare beside a client.

    It ends without an error whatever happens, since a pod whose init container fails does not start.
    """
    observer = injection.observer
    user = () if injection.is_beside_broker else ("--user", str(observer.run_as_user))
    return {
        "name": REDIRECT_CONTAINER,
        "image": observer.image,
        "imagePullPolicy": observer.pull_policy,
        "args": [
            *("redirect", "--settings", OBSERVER_SETTINGS),
            *user,
            *("--redirection", _REDIRECTION),
        ],
        "resources": {part: dict(amounts) for part, amounts in observer.resources.items()},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"add": ["NET_ADMIN"], "drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            # The kernel gives the capability to no other user of a container.
            "runAsNonRoot": False,
            "runAsUser": 0,
            "runAsGroup": 0,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumeMounts": [
            {"name": OBSERVER_CONTAINER, "mountPath": OBSERVER_FOLDER, "readOnly": True},
            {"name": MARKER_VOLUME, "mountPath": _MARKER_FOLDER},
        ],
    }
