"""Pods by address, as the operator hands them to a collector."""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple

from pydantic import Field

from .envelope_model import Envelope, Milliseconds

__all__ = ["MAX_CLIENT_PODS", "MAX_CLIENT_PODS_BYTES", "ClientPods", "PodPlace"]

MAX_CLIENT_PODS: Final = 50_000
"""Pods of one table."""
MAX_CLIENT_PODS_BYTES: Final = 16 * 1024 * 1024
"""Bytes of one table."""

_Name = Annotated[str, Field(max_length=253)]


class PodPlace(NamedTuple):
    """A running pod with an address of its own; ``workload`` is empty for a pod by itself."""

    address: Annotated[str, Field(max_length=64)]
    namespace: _Name
    pod: _Name
    workload: _Name


class ClientPods(Envelope):
    """All pods whose clients may use the listeners, as the API server listed them at one time."""

    listed_at_ms: Milliseconds = Field(description="Time of the list, in milliseconds since 1970.")
    listeners: tuple[Annotated[str, Field(max_length=64)], ...] = Field(
        description="Listeners of the brokers whose clients come with the addresses of their pods.", max_length=16
    )
    pods: tuple[PodPlace, ...] = Field(
        description="Each pod as [address, namespace, pod, workload].", max_length=MAX_CLIENT_PODS
    )
