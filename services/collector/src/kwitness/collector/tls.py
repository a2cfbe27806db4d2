"""TLS of the collector's outgoing connections; the file of CA certificates is followed while it changes."""

from __future__ import annotations

import ssl


def client_context(ca_certificates: bytes) -> ssl.SSLContext:
    """Make the context of a client that trusts the CAs of a PEM file and nobody else.

    Raises
    ------
    ValueError
        If the file holds no certificate.
    """
    try:
        context = ssl.create_default_context(cadata=ca_certificates.decode())
    except (ssl.SSLError, UnicodeDecodeError) as error:
        raise ValueError(f"no CA certificate that can be read: {error}") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
