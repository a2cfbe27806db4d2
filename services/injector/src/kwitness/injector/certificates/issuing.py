"""Making a certificate and the authority that signs it and nothing else."""

from __future__ import annotations

import datetime as dt
import ipaddress
from collections.abc import Sequence
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from typing_extensions import override

__all__ = ["BACKDATED", "Pair", "issue"]

BACKDATED: Final = dt.timedelta(minutes=5)
"""Clocks differ."""


class Pair(NamedTuple):
    """PEM: a certificate, its key (PKCS#8, not encrypted), and the authority that signed it."""

    certificate: str
    key: str
    authority: str

    @override
    def __repr__(self) -> str:
        return "Pair(...)"


def issue(names: Sequence[str], now: dt.datetime, lifetime: dt.timedelta) -> Pair:
    """Make a pair for a server that is called by these names or addresses."""
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority_name = _named(f"kwitness-injector {now:%Y-%m-%dT%H:%M:%SZ}")

    def builder(subject: x509.Name, public: ec.EllipticCurvePublicKey, *, authority: bool) -> x509.CertificateBuilder:
        usage = {"digital_signature": not authority, "key_cert_sign": authority, "crl_sign": authority}
        others = ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement")
        none = dict.fromkeys((*others, "encipher_only", "decipher_only"), False)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(authority_name)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - BACKDATED)
            .not_valid_after(now + lifetime)
            .add_extension(x509.BasicConstraints(ca=authority, path_length=0 if authority else None), critical=True)
            .add_extension(x509.KeyUsage(**usage, **none), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        )

    authority = builder(authority_name, authority_key.public_key(), authority=True).sign(authority_key, hashes.SHA256())
    certificate = (
        builder(_named("kwitness-injector"), key.public_key(), authority=False)
        .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    return Pair(
        certificate=_pem(certificate),
        key=key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode(),
        authority=_pem(authority),
    )


def _named(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()
