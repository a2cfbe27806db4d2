"""Certificates of a development Kafka, made anew for each broker or cluster, never reused."""

from __future__ import annotations

import datetime as dt
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


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
    """Write a fresh set of certificates, valid for a year, into a folder.

    Parameters
    ----------
    folder
        Created when absent; holds private keys, so only the user can read it.
    hosts
        Names and addresses the server's certificate is valid for.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    authority = _Authority("kwitness development authority")
    server_key, server_certificate = authority.issue("kafka", hosts)
    client_key, client_certificate = authority.issue("kafka-client", ())
    return KafkaCertificates(
        ca_file=_write(folder / "ca.crt", authority.pem),
        server_keystore=_write(folder / "server.pem", server_key + server_certificate),
        server_certificate=_write(folder / "server.crt", server_certificate),
        server_key=_write(folder / "server.key", server_key),
        client_certificate=_write(folder / "client.crt", client_certificate),
        client_key=_write(folder / "client.key", client_key),
        other_ca_file=_write(folder / "other-ca.crt", _Authority("unrelated authority").pem),
    )


class _Authority:
    """A certificate authority that lives as long as this object."""

    def __init__(self, name: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _common_name(name)
        key_usage = x509.KeyUsage(
            digital_signature=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            key_cert_sign=True,
            crl_sign=True,
            encipher_only=False,
            decipher_only=False,
        )
        identifier = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        builder = _builder(self._name, self._name, self._key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        builder = builder.add_extension(key_usage, critical=True).add_extension(identifier, critical=False)
        self.pem = builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def issue(self, name: str, hosts: tuple[str, ...]) -> tuple[bytes, bytes]:
        """A new key and a certificate for it, both PEM."""
        key = ec.generate_private_key(ec.SECP256R1())
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = _builder(_common_name(name), self._name, key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = builder.add_extension(issuer, critical=False)
        if hosts:
            builder = builder.add_extension(x509.SubjectAlternativeName([_host(h) for h in hosts]), critical=False)
        certificate = builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return private, certificate


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        # Clocks of two machines differ a little.
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(days=365))
    )


def _common_name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    path.chmod(0o600)
    return path
