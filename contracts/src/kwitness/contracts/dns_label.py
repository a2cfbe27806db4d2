"""Names of RFC 1123's form, which namespaces, containers, volumes and many resources have."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

__all__ = ["DNS_LABEL", "DnsLabel"]

DNS_LABEL: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"

DnsLabel = Annotated[str, Field(min_length=1, max_length=63, pattern=DNS_LABEL)]
