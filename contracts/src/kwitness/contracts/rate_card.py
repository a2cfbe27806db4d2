"""What traffic and storage cost, as the ConfigMap says that a CostAttribution names in its parameters."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["MICRO_UNITS", "RateCard"]

MICRO_UNITS = 1_000_000
"""Micro-units of a unit of the currency."""

Rate = Annotated[int, Field(ge=0, le=10**15)]
"""Micro-units; the bound keeps a rate times a number of bytes below 38 digits."""


class RateCard(BaseModel):
    """Prices in micro-units, 1e-6 of the currency; what has no rate costs nothing, and is in `holes`."""

    # A misspelled rate would be one without effect.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)

    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = Field(description="Code of the currency, such as EUR.")
    bytes_in_per_gib: Rate | None = Field(
        None, alias="bytesInPerGiB", description="Micro-units for each GiB (2^30 bytes) that producers send."
    )
    bytes_out_per_gib: Rate | None = Field(
        None, alias="bytesOutPerGiB", description="Micro-units for each GiB that consumers are sent."
    )
    requests_per_million: Rate | None = Field(
        None, alias="requestsPerMillion", description="Micro-units for each million requests."
    )
    stored_per_gib_month: Rate | None = Field(
        None, alias="storedPerGiBMonth", description="Micro-units for each GiB that is stored for a month."
    )

    @property
    def holes(self) -> tuple[str, ...]:
        """Rates that are not there, by their names in the file: what they are for costs nothing."""
        fields = type(self).model_fields.items()
        return tuple(str(field.alias) for name, field in fields if getattr(self, name) is None)
