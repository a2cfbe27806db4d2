"""What to do next about the certificate in the Secret: a pure decision, one step at a time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from .issuing import BACKDATED, Pair

__all__ = ["Bundle", "Keep", "Plan", "Rules", "expiry", "next_step", "read_pair", "serving_pair"]

_RENEWED_AFTER: Final = 2 / 3
"""Of its life."""
_SERVING: Final = ("tls.crt", "tls.key", "ca.crt")
_NEXT: Final = ("next.crt", "next.key", "next-ca.crt")
_FORMER: Final = "former-ca.crt"


@dataclass(frozen=True, slots=True)
class Rules:
    """How long and for whom; ``issue`` makes a pair that is valid from now on."""

    names: Sequence[str]
    overlap: dt.timedelta
    issue: Callable[[dt.datetime], Pair]


@dataclass(frozen=True, slots=True)
class Keep:
    """Write the Secret's data."""

    data: Mapping[str, str]
    why: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """Tell API servers these CA certificates, PEM."""

    ca_certificates: str


Plan = Keep | Bundle | None
"""None: all is as it must be."""


def next_step(data: Mapping[str, str], told: str, now: dt.datetime, rules: Rules) -> Plan:
    """Decide from the data of the Secret and from the CA certificates that API servers were told."""
    serving, coming = read_pair(data, _SERVING, now, rules.names), read_pair(data, _NEXT, now, rules.names)
    if serving is None:
        return Keep(_data(_SERVING, rules.issue(now)), "there was no good one")
    if coming is None and now >= _renewal(serving):
        kept = {**_data(_SERVING, serving), **_data(_NEXT, rules.issue(now)), **_former(data, now)}
        return Keep(kept, "it is to be renewed")
    if coming is not None and coming.authority in told and now >= _made(coming) + rules.overlap:
        return Keep({**_data(_SERVING, coming), _FORMER: serving.authority}, "the next one is known by now")
    wanted = serving.authority + (coming.authority if coming else "") + "".join(_former(data, now).values())
    return Bundle(wanted) if told != wanted else None


def serving_pair(data: Mapping[str, str], now: dt.datetime, names: Sequence[str]) -> Pair | None:
    """The pair to serve now; None where the Secret holds no good one."""
    return read_pair(data, _SERVING, now, names)


def read_pair(data: Mapping[str, str], keys: Sequence[str], now: dt.datetime, names: Sequence[str]) -> Pair | None:
    """The pair under these keys if it fits together, is valid now and has the names; else None."""
    pair = Pair(*(data.get(key, "") for key in keys))
    try:
        certificate = x509.load_pem_x509_certificate(pair.certificate.encode())
        authority = x509.load_pem_x509_certificate(pair.authority.encode())
        certificate.verify_directly_issued_by(authority)
        key = load_pem_private_key(pair.key.encode(), None)
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm, x509.ExtensionNotFound):
        return None
    shape = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    if key.public_key().public_bytes(*shape) != certificate.public_key().public_bytes(*shape):
        return None
    if not certificate.not_valid_before_utc <= now < certificate.not_valid_after_utc:
        return None
    return pair if {str(name.value) for name in found} >= set(names) else None


def expiry(pair: Pair) -> dt.datetime:
    """When the certificate ends."""
    return _certificate(pair).not_valid_after_utc


def _certificate(pair: Pair) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pair.certificate.encode())


def _made(pair: Pair) -> dt.datetime:
    return _certificate(pair).not_valid_before_utc + BACKDATED


def _renewal(pair: Pair) -> dt.datetime:
    return _made(pair) + (expiry(pair) - _made(pair)) * _RENEWED_AFTER


def _data(keys: Sequence[str], pair: Pair) -> dict[str, str]:
    return dict(zip(keys, pair, strict=True))


def _former(data: Mapping[str, str], now: dt.datetime) -> dict[str, str]:
    """The authority of the certificate before this one, for as long as a replica might still serve that."""
    try:
        authority = x509.load_pem_x509_certificate(data.get(_FORMER, "").encode())
    except ValueError:
        return {}
    return {_FORMER: data[_FORMER]} if now < authority.not_valid_after_utc else {}
