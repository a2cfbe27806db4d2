"""The Secret with the key that identities are hashed with, as a volume of pods that the operator makes."""

from __future__ import annotations

from typing import Any, Final

from kwitness.contracts.identity_hashing import KEY_FIELD, KEY_SECRET

from .kafka_client_files import SECRETS
from .pods import secret_volume

__all__ = ["IDENTITY_KEY_FILE", "identity_key_volume"]

_VOLUME: Final = "identity-key"
IDENTITY_KEY_FILE: Final = f"{SECRETS}/{_VOLUME}/{KEY_FIELD}"
"""The file of the key in pods."""


def identity_key_volume() -> dict[str, Any]:
    """The volume, which is empty while there is no Secret: pods start without, and say so."""
    volume = secret_volume(_VOLUME, KEY_SECRET, KEY_FIELD)
    return {**volume, "secret": {**volume["secret"], "optional": True}}
