"""Defines how a request reaches an OTLP endpoint, and the answers to it that matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, Protocol

from kwitness.contracts.denied_addresses import DeniedAddresses

TIMEOUT_S: Final = 10
"""Longest time for one request."""


class AddressDeniedError(OSError):
    """An endpoint leads to a denied address."""


class Answer(NamedTuple):
    """The answer to a request.

    Attributes
    ----------
    outcome
        accepted; again: later, with the same bytes; bad: something in the request is, or it is too large, and nothing
        of it was accepted; refused: for another reason; denied: the address is, so nothing was sent.
    after_s
        For how long the endpoint asks to wait.
    content
        The response message, or what a refusal says.
    status
        The endpoint's own code.
    """

    outcome: Literal["accepted", "again", "bad", "refused", "denied"]
    after_s: float = 0.0
    content: bytes = b""
    status: str = ""


class Transport(Protocol):
    """A connection to one endpoint, which is opened when it is needed."""

    async def export(self, request: bytes, headers: Mapping[str, str]) -> Answer:
        """Send an ``ExportMetricsServiceRequest`` once."""
        ...

    async def close(self) -> None:
        """Close the connection."""
        ...


def check_address(host: str, denied: DeniedAddresses) -> None:
    """Refuse a denied address; names are no addresses.

    Raises
    ------
    AddressDeniedError
        If it is one.
    """
    try:
        is_denied = denied.deny(host)
    except ValueError:
        return
    if is_denied:
        raise AddressDeniedError("the address is denied")
