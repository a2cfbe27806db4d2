"""The owner of a client or topic, in answers."""

from __future__ import annotations

from pydantic import Field

from kwitness.contracts.owners import OwnerSource

from .envelope_model import Envelope

__all__ = ["ClientOwner"]


class ClientOwner(Envelope):
    """Owner of a client or topic, by the owners of its KafkaCluster."""

    team: str = Field(description="Name of the team.")
    source: OwnerSource | None = Field(
        None, description="Source that names the team; absent in answers of releases without sources."
    )
    contact: str | None = Field(None, description="How to reach it.")
