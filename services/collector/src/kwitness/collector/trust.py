"""Whom the collector trusts when it connects to somebody; the file is followed while it changes."""

from __future__ import annotations

import ssl


def trusting(authorities: bytes) -> ssl.SSLContext:
    """Make the context of a client that trusts the authorities of a PEM file and nobody else.

    Raises
    ------
    ValueError
        If the file holds no certificate.
    """
    try:
        context = ssl.create_default_context(cadata=authorities.decode())
    except (ssl.SSLError, UnicodeDecodeError) as error:
        raise ValueError(f"no certificate authority that can be read: {error}") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
