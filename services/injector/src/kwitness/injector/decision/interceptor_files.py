"""Interceptors in a pod: an init container that brings their files, and two volumes, one with settings and a token.

Settings are annotations of the pod, as an observer's are, so nothing has to be made in the pod's namespace, and Pod
Security `restricted` admits it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kwitness.contracts.interceptor_injections import (
    INTERCEPTORS_CONTAINER,
    INTERCEPTORS_FILES,
    INTERCEPTORS_FOLDER,
    INTERCEPTORS_SETTINGS,
    InterceptorInjection,
)
from kwitness.contracts.interceptor_settings import InterceptorSettings
from kwitness.contracts.interceptors import InterceptorRuntime

from .pod_files import annotations_of_files, files_volume, restricted
from .pods import Json

__all__ = ["FILES_VOLUME", "files_container", "interceptor_files", "interceptor_mounts", "interceptor_volumes"]

FILES_VOLUME: Final = f"{INTERCEPTORS_CONTAINER}-files"
"""Name of the volume with the interceptors' files."""

_FOLDERS: Final[Mapping[InterceptorRuntime, str]] = {"python": "python", "java": "java", "librdkafka": "lib"}
_TARGET: Final = f"{INTERCEPTORS_FILES}-files"
_FILES_SIZE: Final = "64Mi"
_PREFIX: Final = "interceptors.kwitness.dev/"
"""Of the annotations that are files."""


def interceptor_files(injection: InterceptorInjection, settings: InterceptorSettings) -> dict[str, str]:
    """Annotations, each named after the file that it becomes."""
    files = {INTERCEPTORS_SETTINGS: settings.model_dump_json()}
    collector = settings.collector
    if collector is not None and collector.ca_file is not None and injection.collector_ca is not None:
        files[collector.ca_file] = injection.collector_ca
    return annotations_of_files(_PREFIX, files)


def interceptor_volumes(injection: InterceptorInjection, settings: InterceptorSettings) -> tuple[Json, Json]:
    """Settings with the token that says which pod reports; and room for the interceptors' files."""
    annotations = interceptor_files(injection, settings)
    return (
        files_volume(
            INTERCEPTORS_CONTAINER,
            _PREFIX,
            annotations,
            settings.collector,
            injection.token_audience,
            identity_key_file=settings.identity.key_file if settings.identity is not None else None,
        ),
        {"name": FILES_VOLUME, "emptyDir": {"sizeLimit": _FILES_SIZE}},
    )


def interceptor_mounts() -> tuple[Json, Json]:
    """Where a container whose clients are meant finds both; it can write neither."""
    return (
        {"name": INTERCEPTORS_CONTAINER, "mountPath": INTERCEPTORS_FOLDER, "readOnly": True},
        {"name": FILES_VOLUME, "mountPath": INTERCEPTORS_FILES, "readOnly": True},
    )


def files_container(injection: InterceptorInjection, runtimes: frozenset[InterceptorRuntime], *, bounded: bool) -> Json:
    """The init container.

    A program in Python runs as well without our folder, so what goes wrong here does not keep the pod from starting. A
    JVM ends where its agent is missing, and librdkafka refuses a client without its plugin: there the step is tried
    again. ``bounded`` says whether the container has bounds of its own.
    """
    files = injection.files
    sources = [f"{INTERCEPTORS_FILES}/{_FOLDERS[runtime]}" for runtime in sorted(runtimes)]
    copying = f"cp -R {' '.join(sources)} {_TARGET}/"
    container: Json = {
        "name": INTERCEPTORS_CONTAINER,
        "image": files.image,
        "imagePullPolicy": files.pull_policy,
        "command": ["/bin/sh", "-c", f"{copying} || true" if runtimes == {"python"} else copying],
        "securityContext": restricted(files),
        "volumeMounts": [{"name": FILES_VOLUME, "mountPath": _TARGET}],
    }
    if bounded:
        container["resources"] = {part: dict(amounts) for part, amounts in files.resources.items()}
    return container
