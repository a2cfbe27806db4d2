"""What is reported at once."""

from __future__ import annotations

from typing import NamedTuple

from kwitness_interceptors.measures.client_counts import ClientCounts, Window

__all__ = ["ClientWindow"]


class ClientWindow(NamedTuple):
    """A closed window of one client."""

    client: ClientCounts
    window: Window
