"""What the collector answers about clients that do not push, as it is read here."""

from __future__ import annotations

from kwitness.contracts.envelopes.envelope_model import Envelope, ReplicasAnswer

__all__ = ["SILENT_PATH", "Silent", "SilentClients"]

SILENT_PATH = "/v1/silent"


class Silent(Envelope):
    """A client, or the clients of one software, that does not push; `detail` says in one sentence what to do."""

    client_id: str | None = None
    client_instance_id: str | None = None
    principal: str | None = None
    client_address: str | None = None
    client_software_name: str = "unknown"
    client_software_version: str = "unknown"
    connections: int | None = None
    ours: bool = False
    seen_by: str | None = None
    reason: str
    detail: str = ""


class SilentClients(ReplicasAnswer):
    """`GET /v1/silent`."""

    items: tuple[Silent, ...] = ()
