"""What is reported at once."""

from __future__ import annotations

from typing import NamedTuple, Optional

from kwitness_interceptors.measures.client_counts import ClientCounts, Window

from .identity_policy import IdentityPolicy

__all__ = ["ClientWindow"]


class ClientWindow(NamedTuple):
    """A closed window of one client, with what is reported of who it is."""

    client: ClientCounts
    window: Window
    client_id: Optional[str]
    group_id: Optional[str]

    @classmethod
    def from_counts(cls, client: ClientCounts, window: Window, policy: IdentityPolicy) -> ClientWindow:
        """Return the window with identity keys as the policy has them."""
        client_id = policy.value("client_id", client.client_id)
        return cls(client, window, client_id, policy.value("group_id", client.group_id))
