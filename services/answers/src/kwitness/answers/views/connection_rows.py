"""Makes a line for each open connection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kwitness.contracts.envelopes import ConnectionItem

from .client_rows import pod_of, software_of, team_of
from .elapsed import ago

__all__ = ["CONNECTION_HEADINGS", "connection_cells"]

CONNECTION_HEADINGS: Final = (
    "CLIENT ID",
    "SOFTWARE",
    "PRINCIPAL",
    "ADDRESS",
    "POD",
    "OWNER",
    "GROUP",
    "BROKER",
    "STATE",
    "OPENED",
    "OBSERVER",
)


def connection_cells(connection: ConnectionItem, now_ms: int) -> Sequence[Any]:
    """Return a line for `CONNECTION_HEADINGS`."""
    return (
        connection.client_id,
        software_of(connection),
        connection.principal,
        connection.client_address,
        pod_of(connection),
        team_of(connection.owner),
        connection.group_id,
        connection.broker_id,
        f"opaque ({connection.opaque})" if connection.opaque else connection.state,
        ago(connection.opened_at_ms, now_ms),
        connection.observer,
    )
