"""The certificate in use; a new one counts for connections made from then on."""

from __future__ import annotations

import logging
import ssl

from kwitness.runtime.memory_files import in_memory

__all__ = ["ServingCertificate"]

_LOG = logging.getLogger(__name__)


class ServingCertificate:
    """A server's TLS context, `ready` once it has a certificate.

    Parameters
    ----------
    client_ca_file
        CA certificates of which each client must have a certificate; None lets everybody connect.

    Raises
    ------
    OSError
        If that file cannot be read, or holds no certificate (`ssl.SSLError`).
    """

    def __init__(self, client_ca_file: str | None = None) -> None:
        self.context = _context()
        if client_ca_file is not None:
            self.context.load_verify_locations(client_ca_file)
            self.context.verify_mode = ssl.CERT_REQUIRED
        self._used: tuple[str, str] | None = None

    @property
    def ready(self) -> bool:
        """Whether connections can be made."""
        return self._used is not None

    def use(self, certificate: str, key: str) -> None:
        """Serve with these, PEM; texts that do not fit together change nothing."""
        if (certificate, key) == self._used:
            return
        with in_memory(certificate) as certificate_file, in_memory(key) as key_file:
            try:
                _context().load_cert_chain(certificate_file, key_file)
                self.context.load_cert_chain(certificate_file, key_file)
            except ssl.SSLError as error:
                _LOG.warning("The new certificate is not used", extra={"detail": str(error)})
                return
        self._used = (certificate, key)
        _LOG.info("The certificate is used")


def _context() -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
