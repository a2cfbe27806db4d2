"""The collector's own Kafka producer: how it is configured from the files that the operator writes."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any, Final

from confluent_kafka import Producer
from typing_extensions import override

from kwitness.collector.sinks import allowed_hosts
from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.contracts.private_keys import check_private_key
from kwitness.contracts.sasl import MECHANISMS

DELIVERY_MS: Final = 8_000
"""How long a write may take before the sender is told to try again."""
_QUEUE_KBYTES: Final = 32 * 1024
_MAX_MESSAGE: Final = 8 * 1024 * 1024


class _AsWarning(logging.Filter):
    """librdkafka calls every lost connection an error, although it goes on by itself; what fails is counted by us."""

    @override
    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno > logging.WARNING:
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


_LOG: Final = logging.getLogger("kwitness.collector.librdkafka")
_LOG.addFilter(_AsWarning())


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


def settings(kafka: KafkaConnection, client_id: str) -> dict[str, Any]:
    """Decide librdkafka's configuration.

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
        "client.id": client_id,
        "client.software.name": "kwitness-collector",
        "enable.metrics.push": False,
        "acks": "all",
        "enable.idempotence": True,
        "compression.type": "zstd",
        "linger.ms": 5,
        "message.timeout.ms": DELIVERY_MS,
        "message.max.bytes": _MAX_MESSAGE,
        "queue.buffering.max.kbytes": _QUEUE_KBYTES,
        "reconnect.backoff.max.ms": 2_000,
        "topic.metadata.refresh.interval.ms": 60_000,
        "log.connection.close": False,
        "security.protocol": ("SASL_" if sasl else "") + ("SSL" if kafka.tls else "PLAINTEXT"),
    }
    if kafka.ca_file:
        chosen["ssl.ca.location"] = kafka.ca_file
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


def connect(chosen: dict[str, Any]) -> Producer:
    """Make the producer; it connects by itself, now and whenever it must."""
    return Producer(chosen, logger=_LOG)
