"""To which host and port a URL leads."""

from __future__ import annotations

from yarl import URL

from kwitness.contracts.allowed_hosts import join_address


def address_of(url: str) -> str:
    """Return the address of a URL, with the scheme's port where none is written, as the HTTP client will read it."""
    parsed = URL(url)
    return join_address(parsed.raw_host or "", parsed.port or 0)
