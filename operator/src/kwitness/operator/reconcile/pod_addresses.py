"""Lists addresses of pods."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.envelopes import MAX_CLIENT_PODS, PodPlace
from kwitness.contracts.workloads import workload_of
from kwitness.operator.context import Context

__all__ = ["pod_addresses"]

_WITH_OWN_ADDRESS: Final = "status.phase=Running,spec.hostNetwork=false"
_ADDRESS: Final = "IP"
"""Column of the table that the API server makes of pods."""


async def pod_addresses(context: Context, namespace: str | None) -> tuple[PodPlace, ...]:
    """Return running pods with addresses of their own, sorted by address.

    Raises
    ------
    OperatorError
        The API server could not be asked, or does not allow it.
    """
    found: list[PodPlace] = []
    async for cells, metadata in context.kubernetes.rows("Pod", namespace, fields=_WITH_OWN_ADDRESS):
        address = str(cells.get(_ADDRESS) or "")
        if not address or address == "<none>":
            continue
        workload = workload_of(metadata)
        found.append(
            PodPlace(address, metadata["namespace"], metadata["name"], "" if workload is None else workload.name)
        )
        if len(found) > MAX_CLIENT_PODS:
            break
    return tuple(sorted(found))
