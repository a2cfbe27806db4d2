"""How long senders may take: who owes something and does not send it is ended, and holds nobody else up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """In seconds.

    ``silent_s`` is for the TLS handshake, and again until the headers of the first request are complete; ``body_s`` is
    for a request's body.
    """

    silent_s: float = 10.0
    body_s: float = 30.0
