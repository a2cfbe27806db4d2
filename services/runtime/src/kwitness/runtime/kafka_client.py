"""How a librdkafka client of ours connects: decided from the files that the operator writes."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

from typing_extensions import override

from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.contracts.private_keys import check_private_key
from kwitness.contracts.sasl import MECHANISMS
from kwitness.runtime import allowed_hosts

__all__ = ["connection_settings", "credential_files", "librdkafka_log"]


class _AsWarning(logging.Filter):
    """librdkafka calls every lost connection an error, although it goes on by itself; what fails is counted by us."""

    @override
    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno > logging.WARNING:
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


def librdkafka_log(name: str) -> logging.Logger:
    """Return the log that a client is given: it has no errors."""
    log = logging.getLogger(name)
    log.addFilter(_AsWarning())
    return log


def credential_files(kafka: KafkaConnection) -> tuple[str, ...]:
    """Return the files whose change needs a new connection."""
    login = kafka.authentication
    files = (
        kafka.ca_file,
        kafka.certificate_file,
        kafka.key_file,
        login.username_file,
        login.password_file,
        login.hosts_file,
    )
    return tuple(file for file in files if file)


def connection_settings(kafka: KafkaConnection) -> dict[str, Any]:
    """Decide what librdkafka is told of the connection and of who we are, whether it reads or writes.

    Raises
    ------
    HostNotAllowedError
        If a bootstrap server is not among the hosts that the credential's Secret names.
    PrivateKeyError
        If the certificate's key is not PKCS#8.
    OSError
        If a file of the connection cannot be read.
    """
    login = kafka.authentication
    sasl = MECHANISMS.get(login.type)
    chosen: dict[str, Any] = {
        "bootstrap.servers": ",".join(kafka.bootstrap_servers),
        "enable.metrics.push": False,
        "reconnect.backoff.max.ms": 2_000,
        "topic.metadata.refresh.interval.ms": 60_000,
        "log.connection.close": False,
        "security.protocol": ("SASL_" if sasl else "") + ("SSL" if kafka.tls else "PLAINTEXT"),
    }
    bundle, system = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if kafka.ca_file:
        chosen["ssl.ca.location"] = kafka.ca_file
    elif kafka.tls and bundle and system:
        # OpenSSL's own defaults, which librdkafka does not read: both are trusted.
        chosen |= {"ssl.ca.location": system, "ssl.ca.pem": Path(bundle).read_text(encoding="utf-8")}
    if kafka.certificate_file and kafka.key_file:
        allowed_hosts.check(kafka.bootstrap_servers, login.hosts_file, login.hosts, "Kafka")
        check_private_key(Path(kafka.key_file).read_text(encoding="utf-8"))
        chosen["ssl.certificate.location"] = kafka.certificate_file
        chosen["ssl.key.location"] = kafka.key_file
    if sasl:
        allowed_hosts.check(kafka.bootstrap_servers, login.hosts_file, login.hosts, "Kafka")
        chosen["sasl.mechanism"] = sasl
        chosen["sasl.username"] = login.username or Path(login.username_file or "").read_text().strip()
        chosen["sasl.password"] = Path(login.password_file or "").read_text().strip()
    return chosen
