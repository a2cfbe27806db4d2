"""The ledger in a status: at each hop, accepted = delivered + queued + dropped."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from .contract_model import Contract

__all__ = ["HOPS", "HopLedger"]

HOPS: Final = "receive, prometheus, topic, forward:<name>, events, events_topic, table, report, pushes"


class HopLedger(Contract):
    """One hop within the current epoch, in events, summed over replicas."""

    hop: str = Field(description=f"The hop: {HOPS}.", min_length=1, max_length=64)
    accepted: int = Field(0, description="Events taken in.", ge=0)
    delivered: int = Field(0, description="Events handed on.", ge=0)
    queued: int = Field(0, description="Events waiting.", ge=0)
    dropped: dict[str, Annotated[int, Field(ge=0, description="How many.")]] = Field(
        default_factory=dict, description="Events given up, by reason.", max_length=32
    )
