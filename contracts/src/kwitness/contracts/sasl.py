"""SASL mechanisms: the words of our resources (`authentication.type`) and Kafka's names for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

__all__ = ["MECHANISMS", "SaslMechanism"]

SaslMechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]

MECHANISMS: Mapping[str, SaslMechanism] = {
    "plain": "PLAIN",
    "scram-sha-256": "SCRAM-SHA-256",
    "scram-sha-512": "SCRAM-SHA-512",
}
"""Those that take a user name and a password from a Secret."""
