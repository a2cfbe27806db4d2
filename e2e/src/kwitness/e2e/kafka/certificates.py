"""Certificates of a development Kafka, made new for each broker or cluster, never reused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kwitness.e2e.certificates import Authority


@dataclass(frozen=True)
class KafkaCertificates:
    """Paths of PEM files: an authority, a server's and a client's certificate under it, and an unrelated authority."""

    ca_file: Path
    #: Key (PKCS 8) and certificate of the server in one file, as Kafka's PEM key store wants it.
    server_keystore: Path
    server_certificate: Path
    server_key: Path
    client_certificate: Path
    client_key: Path
    #: An authority that signed nothing here: a client that trusts it must refuse the broker.
    other_ca_file: Path


def make_certificates(folder: Path, *, hosts: tuple[str, ...] = ("localhost", "127.0.0.1")) -> KafkaCertificates:
    """Write a fresh set of certificates into a folder.

    Parameters
    ----------
    folder
        Created when absent; holds private keys, so only the user can read it.
    hosts
        Names and addresses the server's certificate is valid for.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    authority = Authority("kwitness development authority")
    server = authority.issue("kafka", hosts)
    client = authority.issue("kafka-client")
    return KafkaCertificates(
        ca_file=_write(folder / "ca.crt", authority.certificate),
        server_keystore=_write(folder / "server.pem", server.key + server.certificate),
        server_certificate=_write(folder / "server.crt", server.certificate),
        server_key=_write(folder / "server.key", server.key),
        client_certificate=_write(folder / "client.crt", client.certificate),
        client_key=_write(folder / "client.key", client.key),
        other_ca_file=_write(folder / "other-ca.crt", Authority("unrelated authority").certificate),
    )


def _write(path: Path, content: str) -> Path:
    path.write_text(content)
    path.chmod(0o600)
    return path
