"""Certificates for demo and tests: one authority, one certificate for each server, one for a client."""

from __future__ import annotations

import datetime as dt
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFETIME = dt.timedelta(days=30)
"""A demo that is older should be recreated."""


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """A certificate and its key, both PEM text (key: PKCS#8, not encrypted)."""

    certificate: str
    key: str


class Authority:
    """A certificate authority that lives as long as this object; its key is written nowhere.

    Parameters
    ----------
    has_key_identifiers
        Certificates name keys by identifiers. RFC 5280 requires them, and many CA certificates in use have none.
    """

    def __init__(self, name: str, *, has_key_identifiers: bool = True) -> None:
        self._has_key_identifiers = has_key_identifiers
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        public = self._key.public_key()
        builder = (
            _builder(self._name, self._name, public)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(authority=True), critical=True)
        )
        if has_key_identifiers:
            builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        self._certificate = builder.sign(self._key, hashes.SHA256())

    @property
    def certificate(self) -> str:
        """The authority's certificate, PEM."""
        return self._certificate.public_bytes(serialization.Encoding.PEM).decode()

    def issue(self, common_name: str, names: Sequence[str] = ()) -> Certificate:
        """Sign a certificate for servers reached as `names` (DNS names or addresses) and for use as a client."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(
            x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)]), self._name, key.public_key()
        )
        builder = (
            builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(authority=False), critical=True)
            .add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]),
                critical=False,
            )
        )
        if self._has_key_identifiers:
            issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
            builder = builder.add_extension(issuer, critical=False)
        if names:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False
            )
        return Certificate(
            certificate=builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode(),
            key=key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            ).decode(),
        )


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(minutes=5))
        .not_valid_after(now + LIFETIME)
    )


def _key_usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
