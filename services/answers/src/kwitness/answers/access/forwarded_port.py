"""A port of a pod, brought here by the API server as `kubectl port-forward` does it, or dialled at an address."""

from __future__ import annotations

import functools
import importlib
import json
import socket
import threading
from collections.abc import Sequence
from typing import Any, Final

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.failure import CommandFailedError
from kwitness.answers.permissions import Permission, not_permitted

__all__ = ["dial", "forward"]

_FORBIDDEN: Final = 403
_TIMEOUT_S: Final = 30
_THREAD: Final = "Kubernetes port forward proxy"
"""What the library calls it."""


def dial(address: str, option: str, port: int) -> socket.socket:
    """Connect to a HOST:PORT that an option gives; ``port`` is the one of an example.

    Raises
    ------
    OSError
        It cannot be reached.
    CommandFailedError
        It is no address.
    """
    host, _, given = address.rpartition(":")
    if not host or not given.isdecimal():
        raise CommandFailedError(f"{address} is no address such as 127.0.0.1:{port} ({option})")
    return socket.create_connection((host.strip("[]"), int(given)), timeout=_TIMEOUT_S)


def forward(
    access: ClusterAccess, namespace: str, pods: Sequence[str], port: int, option: str = "--collector-address"
) -> socket.socket:
    """Connect to ``port`` of the first of ``pods`` that runs; ``option`` gives an address instead.

    Raises
    ------
    NotPermittedError
        Ports of it may not be forwarded.
    CommandFailedError
        None of them runs, or the API server does not reach its node.
    """
    from kubernetes.client import ApiException  # noqa: PLC0415 - see cluster_access

    # Not kubernetes.stream.portforward: it wants a method of CoreV1Api, which imports the models of all of Kubernetes.
    stream: Any = importlib.import_module("kubernetes.stream.ws_client")  # without types
    _quiet_when_closed()
    configuration = access.api_client.configuration
    headers = {entry["key"]: entry["value"] for entry in configuration.auth_settings().values()}
    why = "there is none"
    for pod in pods:
        url = f"{configuration.host}/api/v1/namespaces/{namespace}/pods/{pod}/portforward"
        try:
            forwarded = stream.portforward_call(
                configuration, "GET", url, query_params=[("ports", str(port))], headers=headers
            )
        except ApiException as error:
            status, why = _refusal(error)
            if status == _FORBIDDEN:
                raise not_permitted(Permission("create", "pods/portforward", namespace, pod), why) from error
            continue
        # The library's own socket stands around it, for options that one of this kind does not have.
        found: socket.socket = socket.socket(fileno=forwarded.socket(port).detach())
        return found
    raise CommandFailedError(
        f"no port of {', '.join(pods)} in namespace {namespace} can be forwarded ({why}): see `kubectl get pods "
        f"--namespace {namespace}`, or give an address of the port by {option}"
    )


@functools.cache
def _quiet_when_closed() -> None:
    """Keep the library's thread from printing a stack trace for a connection that was closed on our side."""
    before = threading.excepthook

    def told(failed: threading.ExceptHookArgs) -> None:
        its = failed.thread is not None and failed.thread.name.startswith(_THREAD)
        if not (its and isinstance(failed.exc_value, OSError)):
            before(failed)

    threading.excepthook = told


def _refusal(error: Any) -> tuple[int, str]:
    """HTTP status and message of a connection that was not upgraded; the library tells them in its context alone."""
    cause = error.__context__
    body = getattr(cause, "resp_body", b"") or b""
    status = int(getattr(cause, "status_code", 0) or error.status or 0)
    try:
        return status, str(json.loads(body)["message"])
    except (KeyError, TypeError, ValueError):
        return status, str(error.reason)
