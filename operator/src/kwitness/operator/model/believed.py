"""What is believed of a gateway: whose word its rows are marked as."""

from __future__ import annotations

from kwitness.contracts.observers import ReportedBy

__all__ = ["gateway_speaks_as"]


def gateway_speaks_as(gateway_namespace: str, collector_namespace: str) -> ReportedBy:
    """Return ``gateway`` beside the collector, else ``pod``.

    Elsewhere, others than the owner of the cluster may run pods with the gateway's account, which can claim any
    principal.
    """
    return "gateway" if gateway_namespace == collector_namespace else "pod"
