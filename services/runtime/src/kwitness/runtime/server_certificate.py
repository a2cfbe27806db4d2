"""Serves with a certificate of files, which others renew while connections go on."""

from __future__ import annotations

import logging
import ssl

from kwitness.runtime.reloading import times_of_change

__all__ = ["ServerCertificate"]

_LOG = logging.getLogger(__name__)


class ServerCertificate:
    """The server's certificate; `refresh` loads a new one for connections made from then on.

    Parameters
    ----------
    certificate
        File with the certificate, PEM.
    key
        File with its private key, PEM.

    Raises
    ------
    OSError
        The files cannot be read, or do not fit together (`ssl.SSLError`).
    """

    def __init__(self, certificate: str, key: str) -> None:
        self.files = (certificate, key)
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self._seen = self._state()
        self.context.load_cert_chain(*self.files)

    def _state(self) -> tuple[int, ...]:
        return times_of_change(self.files)

    def refresh(self) -> None:
        """Load the files again if they changed; files that do not fit together change nothing."""
        state = self._state()
        if state == self._seen:
            return
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(*self.files)
            self.context.load_cert_chain(*self.files)
        except (ssl.SSLError, OSError) as error:
            _LOG.warning("the new certificate is not used", extra={"detail": str(error)})
            return
        self._seen = state
        _LOG.info("the certificate was renewed")
