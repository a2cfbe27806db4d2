"""The files of a gateway's own listener, which a test may exchange, and clients of it."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path

from kwitness.e2e.certificates import Authority, Certificate


class ListenerCertificates:
    """Certificate and key of a listener on loopback, and an authority of clients; all in one folder."""

    def __init__(self, folder: Path, hosts: tuple[str, ...] = ("127.0.0.1",)) -> None:
        folder.mkdir()
        self._hosts = hosts
        self.authority = Authority("servers of the test")
        self.clients = Authority("clients of the test")
        self.certificate = folder / "tls.crt"
        self.key = folder / "tls.key"
        self.client_ca = folder / "clients.crt"
        self.client_ca.write_text(self.clients.certificate)
        self._folder = folder
        self.renew()

    def renew(self, authority: Authority | None = None) -> Certificate:
        """Write another certificate with its key."""
        issued = (authority or self.authority).issue("gateway", self._hosts)
        self.key.write_text(issued.key)
        self.certificate.write_text(issued.certificate)
        return issued

    def settings(self, *, mutual: bool = False) -> dict[str, str | None]:
        """What `listener.tls` of the settings is."""
        return {
            "certificate_file": str(self.certificate),
            "key_file": str(self.key),
            "client_ca_file": str(self.client_ca) if mutual else None,
        }

    def trusted(self, authority: Authority | None = None) -> Path:
        """A file with the authority of the servers."""
        file = self._folder / "servers.crt"
        file.write_text((authority or self.authority).certificate)
        return file

    def client_files(self, name: str = "shop", authority: Authority | None = None) -> tuple[Path, Path]:
        """Certificate and key of a client."""
        issued = (authority or self.clients).issue(name)
        certificate, key = self._folder / f"{name}.crt", self._folder / f"{name}.key"
        certificate.write_text(issued.certificate)
        key.write_text(issued.key)
        return certificate, key

    def connect(
        self,
        port: int,
        *,
        trusted: Authority | None = None,
        client: tuple[Path, Path] | None = None,
        suppress_ragged_eofs: bool = True,
    ) -> ssl.SSLSocket:
        """A client that has finished its part of the handshake."""
        context = ssl.create_default_context(cadata=(trusted or self.authority).certificate)
        if client is not None:
            context.load_cert_chain(*client)
        stream = socket.create_connection(("127.0.0.1", port), timeout=30)
        return context.wrap_socket(stream, server_hostname="127.0.0.1", suppress_ragged_eofs=suppress_ragged_eofs)
