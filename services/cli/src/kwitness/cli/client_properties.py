"""Reads a file of Kafka's client properties: how to connect, in the words that Kafka's own tools take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kwitness.answers.failure import CommandFailedError

_PROTOCOLS = {
    "PLAINTEXT": (False, False),
    "SSL": (True, False),
    "SASL_PLAINTEXT": (False, True),
    "SASL_SSL": (True, True),
}
"""Whether there is TLS, and whether there is a user name."""
_KNOWN = {
    "bootstrap.servers",
    "security.protocol",
    "sasl.mechanism",
    "sasl.jaas.config",
    "sasl.username",
    "sasl.password",
    "ssl.truststore.type",
    "ssl.truststore.location",
    "ssl.ca.location",
    "ssl.keystore.type",
    "ssl.keystore.location",
    "ssl.certificate.location",
    "ssl.key.location",
}
_ENTRY = re.compile(r"\s*([^\s=:]+)\s*[=:]?\s*(.*)")
_LOGIN = re.compile(r'(username|password)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))')


def read_properties(file: str) -> dict[str, str]:
    """Return the entries of a file of properties.

    Raises
    ------
    CommandFailedError
        It cannot be read, or has an entry that is not understood here.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailedError(
            f"{file} cannot be read ({error}): name a file of Kafka's client properties"
        ) from error
    lines = [line.strip() for line in re.sub(r"\\\n\s*", "", text).splitlines()]
    entries = [found.groups() for line in lines if line and line[0] not in "#!" and (found := _ENTRY.fullmatch(line))]
    properties = {name: value.strip() for name, value in entries}
    if unknown := sorted(set(properties) - _KNOWN):
        raise CommandFailedError(
            f"{file} has {unknown[0]}, which is not understood here: leave it out; what is understood is "
            f"{', '.join(sorted(_KNOWN))}"
        )
    return properties


def connection(
    properties: Mapping[str, str],
    bootstrap: str | None,
    folder: Path,
    *,
    option: str = "--bootstrap HOST:PORT",
    file: str = "--config",
) -> dict[str, Any]:
    """Return the fields of `kwitness.contracts.kafka_connection.KafkaConnection`.

    Parameters
    ----------
    bootstrap
        Where the cluster is; by the properties without it.
    folder
        Where a password is written to, for the driver alone.
    option, file
        What people give the two by.

    Raises
    ------
    CommandFailedError
        The properties lack something, or say something that cannot be done.
    """
    servers = [one.strip() for one in (bootstrap or properties.get("bootstrap.servers", "")).split(",") if one.strip()]
    if not servers:
        raise CommandFailedError(f"no Kafka cluster is named: give {option}, or bootstrap.servers in {file}")
    protocol = properties.get("security.protocol", "PLAINTEXT").upper()
    if protocol not in _PROTOCOLS:
        raise CommandFailedError(f"security.protocol is {protocol!r}: give one of {', '.join(_PROTOCOLS)}")
    tls, login = _PROTOCOLS[protocol]
    fields: dict[str, Any] = {"bootstrap_servers": servers, "tls": tls}
    if tls:
        fields |= _certificates(properties)
    if login:
        fields["authentication"] = _authentication(properties, servers, folder)
    elif tls and "key_file" in fields:
        fields["authentication"] = {"type": "mtls", "hosts": ",".join(servers)}
    return fields


def _certificates(properties: Mapping[str, str]) -> dict[str, str]:
    for store in ("truststore", "keystore"):
        kind = properties.get(f"ssl.{store}.type", "JKS")
        if f"ssl.{store}.location" in properties and kind.upper() != "PEM":
            raise CommandFailedError(
                f"ssl.{store}.type is {kind}: only PEM is read, which `keytool -exportcert -rfc` writes"
            )
    keystore = properties.get("ssl.keystore.location")
    found = {
        "ca_file": properties.get("ssl.truststore.location", properties.get("ssl.ca.location")),
        "certificate_file": properties.get("ssl.certificate.location", keystore),
        "key_file": properties.get("ssl.key.location", keystore),
    }
    return {name: _existing(file) for name, file in found.items() if file}


def _existing(file: str) -> str:
    if not Path(file).is_file():
        raise CommandFailedError(f"{file}, which the properties name, is not there: correct the path")
    return str(Path(file).resolve())


def _authentication(properties: Mapping[str, str], servers: list[str], folder: Path) -> dict[str, str]:
    mechanism = properties.get("sasl.mechanism", "").upper()
    if mechanism not in {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}:
        raise CommandFailedError(f"sasl.mechanism is {mechanism!r}: give PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512")
    login = dict(_logins(properties.get("sasl.jaas.config", "")))
    username = properties.get("sasl.username", login.get("username"))
    password = properties.get("sasl.password", login.get("password"))
    if not username or not password:
        raise CommandFailedError(
            f"{mechanism} needs a user name and a password: give sasl.jaas.config, or sasl.username and sasl.password"
        )
    file = folder / "password"
    file.touch(mode=0o600)
    file.write_text(password, encoding="utf-8")
    # Whoever names the cluster and the credential in one command means the one for the other.
    return {
        "type": mechanism.lower(),
        "username": username,
        "password_file": str(file),
        "hosts": ",".join(servers),
    }


def _logins(jaas: str) -> list[tuple[str, str]]:
    return [(name, re.sub(r"\\(.)", r"\1", quoted) or bare) for name, quoted, bare in _LOGIN.findall(jaas)]
