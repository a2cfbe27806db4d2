"""What of a PEM text may be shown to everybody."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["certificates_of"]

_CERTIFICATE: Final = re.compile(
    r"-----BEGIN (?P<kind>(?:TRUSTED |X509 )?CERTIFICATE)-----[^-]+-----END (?P=kind)-----", re.ASCII
)


def certificates_of(text: str) -> str | None:
    """Return the certificates in ``text`` and nothing that someone may have put beside them; None where it has none."""
    found = [match.group(0) for match in _CERTIFICATE.finditer(text)]
    return "\n".join((*found, "")) if found else None
