"""How a value of an identity key is replaced by a hash: the same for everybody who has the key of the installation.

`contracts/vectors/identity_hashes.json` holds examples that every language reads.
"""

from __future__ import annotations

import hmac
import re
from typing import Final

from .identity import IdentityKey

__all__ = ["HASHED_PREFIX", "KEY_FIELD", "KEY_SECRET", "LEAST_KEY_BYTES", "MAX_HASHED_VALUE", "identity_hash"]

KEY_SECRET: Final = "kwitness-identity-key"  # noqa: S105 - a name
"""Secret with the installation's key, in the namespace of who hashes."""
KEY_FIELD: Final = "key"
"""Its key."""
LEAST_KEY_BYTES: Final = 16
"""A shorter key could be guessed."""
HASHED_PREFIX: Final = "hash-"
"""What a hash begins with, so that nobody takes it for a value."""
MAX_HASHED_VALUE: Final = 32_767
"""Characters of a value that are hashed: as long as Kafka's strings may be."""
_DIGITS: Final = 32
_HASH: Final = re.compile(rf"{HASHED_PREFIX}[0-9a-f]{{{_DIGITS}}}")


def identity_hash(key: bytes, field: IdentityKey, value: str) -> str:
    """Return what stands for a value: ``hash-`` and 32 hex digits of HMAC-SHA-256 over field, a zero byte and value.

    The field is part of it: a client id and a group of the same name have different hashes. A value that is a hash
    already stays: observers and interceptors hash before the collector does.
    """
    if _HASH.fullmatch(value):
        return value
    text = f"{field}\0{value[:MAX_HASHED_VALUE]}".encode("utf-8", "surrogatepass")
    return HASHED_PREFIX + hmac.digest(key, text, "sha256").hex()[:_DIGITS]
