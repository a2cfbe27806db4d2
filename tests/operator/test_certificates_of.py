"""What of a CA file is put where everybody can read it."""

from __future__ import annotations

from kwitness.operator.model.certificates import certificates_of

ONE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
ANOTHER = "-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n"


def test_only_certificates_are_taken() -> None:
    assert certificates_of(f"subject=CN=ca\n{ONE}{KEY}{ANOTHER}password: x") == ONE + ANOTHER


def test_a_text_without_certificates_gives_none() -> None:
    assert certificates_of(KEY) is None
