"""Writes the trust store of Java: the system's CA certificates and those of the file that SSL_CERT_FILE names.

Java has a store of its own and reads neither. Usage: `python -m kwitness.jobs.driver.trust_store FILE`.
"""

from __future__ import annotations

import hashlib
import os
import re
import ssl
import struct
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

_SYSTEM: Final = Path("/etc/ssl/certs/ca-certificates.crt")
_CERTIFICATE: Final = re.compile(r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----", re.ASCII)
_PASSWORD: Final = "changeit"  # noqa: S105 - Java's default; a trust store holds no secret
_MAGIC, _VERSION, _TRUSTED = 0xFEEDFEED, 2, 2


def trust_store(certificates: Iterable[str]) -> bytes:
    """Return a store in the format JKS with PEM certificates. Source: `sun.security.provider.JavaKeyStore`."""
    entries = [
        struct.pack(">I", _TRUSTED) + _text(str(number)) + struct.pack(">Q", 0) + _text("X.509") + _sized(der)
        for number, der in enumerate(dict.fromkeys(map(ssl.PEM_cert_to_DER_cert, certificates)))
    ]
    content = struct.pack(">III", _MAGIC, _VERSION, len(entries)) + b"".join(entries)
    digest = hashlib.sha1(_PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite" + content, usedforsecurity=False)
    return content + digest.digest()


def _text(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode("ascii")


def _sized(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def main(arguments: Sequence[str]) -> None:
    """Write the store."""
    files = (_SYSTEM, Path(os.environ["SSL_CERT_FILE"]))
    found = [text for file in files for text in _CERTIFICATE.findall(file.read_text(encoding="utf-8"))]
    Path(arguments[0]).write_bytes(trust_store(found))


if __name__ == "__main__":
    main(sys.argv[1:])
