"""Users of the development Kafka, as clients sign in."""

from __future__ import annotations

import base64

from kwitness.demo.platform import NAMESPACE, Platform

ADMIN = "admin"
"""May do everything."""


def password_of(platform: Platform, user: str = ADMIN) -> str:
    """The user's password."""
    return _entry(platform, "kwitness-dev-kafka-users", user)


def signing_in(platform: Platform, user: str = ADMIN) -> dict[str, str]:
    """librdkafka's settings for a listener with PLAIN and without TLS."""
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanisms": "PLAIN",
        "sasl.username": user,
        "sasl.password": password_of(platform, user),
    }


def authority(platform: Platform) -> str:
    """Who signed the brokers' certificate, PEM."""
    return _entry(platform, "kwitness-kafka-ca", "ca.crt")


def _entry(platform: Platform, secret: str, key: str) -> str:
    found = platform.cluster.find("secret", secret, NAMESPACE)
    return base64.b64decode(found["data"][key]).decode()
