"""TLS that trusts what a text of certificates holds, and nothing else."""

from __future__ import annotations

import re
import ssl
from typing import Final

__all__ = ["NoCertificateError", "trusting"]

_CERTIFICATE: Final = re.compile(r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----", re.ASCII)


class NoCertificateError(ValueError):
    """The text holds no PEM certificate."""


def trusting(ca_certificates: str | None) -> ssl.SSLContext:
    """Make the client's side of TLS 1.2 or newer; ``ca_certificates`` is PEM text, None means the system's.

    Raises
    ------
    NoCertificateError
        There is text, and no certificate in it.
    """
    try:
        context = ssl.create_default_context(cadata=None if ca_certificates is None else _certificates(ca_certificates))
    except ssl.SSLError as error:
        raise NoCertificateError from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _certificates(text: str) -> str:
    # Bundles have names in every language between their certificates; ssl reads nothing but ASCII. And what holds
    # no certificate is not "the system's".
    found = _CERTIFICATE.findall(text)
    if not found:
        raise NoCertificateError
    return "\n".join(found)
