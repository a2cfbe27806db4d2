"""Which PEM private keys every component reads: PKCS#8, since Kafka's Java clients take no other."""

from __future__ import annotations

from typing import Final

__all__ = ["PrivateKeyError", "check_private_key"]

_OTHER_FORMATS: Final = ("-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN EC PRIVATE KEY-----")
"""PKCS#1 and SEC 1."""


class PrivateKeyError(ValueError):
    """The key is in a format that not every component reads; the message says what to do."""


def check_private_key(pem: str) -> None:
    """Refuse a key that is not PKCS#8.

    Raises
    ------
    PrivateKeyError
        If `pem` holds a key in the format PKCS#1 or SEC 1.
    """
    if any(head in pem for head in _OTHER_FORMATS):
        raise PrivateKeyError(
            "the private key is PKCS#1, and PKCS#8 is needed: have cert-manager write it so (in the Certificate,"
            " spec.privateKey.encoding: PKCS8), or convert it with openssl pkcs8 -topk8 -nocrypt"
        )
