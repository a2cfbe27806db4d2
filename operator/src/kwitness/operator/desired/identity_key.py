"""The Secret with the key that identities are hashed with, as a volume of pods, and settings that name its file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from kwitness.contracts.identity_hashing import KEY_FIELD, KEY_SECRET
from kwitness.contracts.resources.privacy import InterceptedIdentity, ObservedIdentity, treated

from .kafka_client_files import SECRETS
from .pods import secret_volume

__all__ = ["IDENTITY_KEY_FILE", "dropped_and_hashed", "identity_key_volume"]

_VOLUME: Final = "identity-key"
IDENTITY_KEY_FILE: Final = f"{SECRETS}/{_VOLUME}/{KEY_FIELD}"
"""The file of the key in pods."""


def dropped_and_hashed(identity: Iterable[InterceptedIdentity | ObservedIdentity], key_file: str) -> dict[str, Any]:
    """Return the fields of `HashingSettings`, for a process that finds the key in this file."""
    chosen = treated(identity)
    hashed = [key for key, action in chosen.items() if action == "Hash"]
    return {
        "drop": [key for key, action in chosen.items() if action == "Drop"],
        "hash": hashed,
        "key_file": key_file if hashed else None,
    }


def identity_key_volume() -> dict[str, Any]:
    """The volume, which is empty while there is no Secret: pods start without, and say so."""
    volume = secret_volume(_VOLUME, KEY_SECRET, KEY_FIELD)
    return {**volume, "secret": {**volume["secret"], "optional": True}}
