"""What Kafka's own metrics are told by, for whoever needs nothing of the registry's entries."""

from __future__ import annotations

from typing import Final

__all__ = ["PREFIX"]

PREFIX: Final = "org.apache.kafka."
"""What the names of all standard metrics start with."""
