"""Warnings in a status: what somebody should know though the resource works."""

from __future__ import annotations

from pydantic import Field

from .contract_model import Contract

__all__ = ["StatusWarning"]


class StatusWarning(Contract):
    """Something to know that does not stop the work."""

    type: str = Field(description="One stable CamelCase word.", max_length=64, pattern="^[A-Z][A-Za-z0-9]*$")
    message: str = Field(description="What is the case and what to do.", max_length=1024)
