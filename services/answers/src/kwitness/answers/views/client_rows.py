"""One line for each client instance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kwitness.contracts.envelopes import ClientItem, ClientOwner, TrafficItem
from kwitness.contracts.identity import Identity

from .client_state import interval_of, state_of
from .elapsed import ago, span

__all__ = ["CLIENT_HEADINGS", "client_cells", "pod_of", "software_of", "team_of"]

CLIENT_HEADINGS: Final = (
    "CLIENT ID",
    "INSTANCE",
    "SOFTWARE",
    "PRINCIPAL",
    "ADDRESS",
    "POD",
    "OWNER",
    "INTERVAL",
    "LAST PUSH",
    "METRICS",
    "STATE",
)


def client_cells(client: ClientItem, instance: str | None, now_ms: int) -> Sequence[str | None]:
    """A line for `CLIENT_HEADINGS`; `instance` is how its instance id is shown, None what is not known."""
    interval = interval_of(client)
    return (
        client.client_id,
        instance,
        software_of(client),
        client.principal,
        client.client_address,
        pod_of(client),
        team_of(client.owner),
        None if interval is None else span(interval),
        ago(client.last_push_ms, now_ms),
        str(len(client.metrics)),
        "Ours" if client.ours else state_of(client, now_ms),
    )


def software_of(client: Identity | TrafficItem) -> str | None:
    """Name and version of its library."""
    parts = [one for one in (client.client_software_name, client.client_software_version) if one]
    return " ".join(parts) or None


def pod_of(client: Identity | TrafficItem) -> str | None:
    """Its pod, else its workload, behind the namespace."""
    what = client.k8s_pod or client.k8s_workload
    return "/".join(one for one in (client.k8s_namespace, what) if one) or None


def team_of(owner: ClientOwner | None) -> str | None:
    """Return the name of the team."""
    return None if owner is None else owner.team
