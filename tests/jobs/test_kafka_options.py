from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.jobs.frame.kafka_options import KafkaSettingsError, kafka_options

from tests.vectors import vectors

SERVERS = ("kafka-0.example.org:9096", "kafka-1.example.org:9096")


def test_a_plain_connection_sends_no_credential_and_no_telemetry_of_its_own() -> None:
    options = kafka_options(KafkaConnection(bootstrap_servers=("a:1", "b:2")), "kwitness-job-x")

    assert options["bootstrap.servers"] == "a:1,b:2"
    assert options["security.protocol"] == "PLAINTEXT"
    assert options["client.id"] == "kwitness-job-x"
    assert options["enable.metrics.push"] == "false"
    assert not {key for key in options if key.startswith(("sasl", "ssl"))}


def test_scram_over_tls_takes_what_the_secrets_hold(tmp_path: Path) -> None:
    options = kafka_options(_connection(tmp_path, password='pa"ss\\word\n'), "c")

    assert options["security.protocol"] == "SASL_SSL"
    assert options["sasl.mechanism"] == "SCRAM-SHA-512"
    login = options["sasl.jaas.config"]
    assert login.startswith("org.apache.kafka.common.security.scram.ScramLoginModule required ")
    assert login.endswith(r'username="alice" password="pa\"ss\\word";')
    assert options["ssl.truststore.certificates"] == "the authority"


@pytest.mark.parametrize("hosts", ["", "elsewhere:9096", "*.example.org:9092", "kafka-0.example.org:9096"])
def test_a_credential_goes_to_no_host_it_was_not_made_for(tmp_path: Path, hosts: str) -> None:
    with pytest.raises(KafkaSettingsError, match=r"kafka-[01].example.org") as caught:
        kafka_options(_connection(tmp_path, hosts=hosts), "c")

    assert caught.value.reason == "HostNotAllowed"


def test_a_credential_without_hosts_goes_nowhere(tmp_path: Path) -> None:
    connection = _connection(tmp_path)
    nowhere = connection.authentication.model_copy(update={"hosts_file": None})

    with pytest.raises(KafkaSettingsError) as caught:
        kafka_options(connection.model_copy(update={"authentication": nowhere}), "c")

    assert caught.value.reason == "HostNotAllowed"


@pytest.mark.parametrize("password", ["", "two\nlines", "bell\x07"])
def test_a_password_that_no_one_could_type_is_refused(tmp_path: Path, password: str) -> None:
    with pytest.raises(KafkaSettingsError) as caught:
        kafka_options(_connection(tmp_path, password=password), "c")

    assert caught.value.reason == "SecretNotFound"
    assert "password" in str(caught.value)


def test_a_secret_that_is_not_mounted_is_named(tmp_path: Path) -> None:
    connection = _connection(tmp_path)
    (tmp_path / "password").unlink()

    with pytest.raises(KafkaSettingsError, match="password cannot be read"):
        kafka_options(connection, "c")


def test_mutual_tls_hands_over_certificate_and_key(tmp_path: Path) -> None:
    for name in ("tls.crt", "tls.key"):
        (tmp_path / name).write_text(name)
    (tmp_path / "hosts").write_text("*.example.org:9096")
    connection = KafkaConnection(
        bootstrap_servers=SERVERS,
        tls=True,
        certificate_file=str(tmp_path / "tls.crt"),
        key_file=str(tmp_path / "tls.key"),
        authentication={"type": "mtls", "hosts_file": str(tmp_path / "hosts")},  # type: ignore[arg-type]
    )

    options = kafka_options(connection, "c")

    assert options["security.protocol"] == "SSL"
    assert (options["ssl.keystore.certificate.chain"], options["ssl.keystore.key"]) == ("tls.crt", "tls.key")


@pytest.mark.parametrize("vector", vectors("allowed_hosts", "verdicts"))
def test_a_credential_goes_to_listed_hosts_only(tmp_path: Path, vector: dict[str, Any]) -> None:
    connection = _connection(tmp_path, hosts=vector["hosts"])
    connection = connection.model_copy(update={"bootstrap_servers": (vector["address"],)})
    if vector["allowed"]:
        kafka_options(connection, "c")
    else:
        with pytest.raises(KafkaSettingsError) as caught:
            kafka_options(connection, "c")
        assert caught.value.reason == "HostNotAllowed"


@pytest.mark.parametrize("vector", vectors("allowed_hosts", "credentials"))
def test_the_secret_and_the_installation_must_both_allow(tmp_path: Path, vector: dict[str, Any]) -> None:
    connection = _connection(tmp_path, hosts=vector["secret"] or "")
    if vector["secret"] is None:
        (tmp_path / "hosts").unlink()
    said = connection.authentication.model_copy(update={"hosts": vector["installation"]})
    connection = connection.model_copy(update={"bootstrap_servers": (vector["address"],), "authentication": said})
    if vector["allowed"]:
        kafka_options(connection, "c")
    else:
        with pytest.raises(KafkaSettingsError) as caught:
            kafka_options(connection, "c")
        assert caught.value.reason == "HostNotAllowed"


def test_a_user_name_may_be_the_resources(tmp_path: Path) -> None:
    connection = _connection(tmp_path)
    named = connection.authentication.model_copy(update={"username": "kwitness-spark", "username_file": None})
    options = kafka_options(connection.model_copy(update={"authentication": named}), "c")
    assert 'username="kwitness-spark" password="invented"' in options["sasl.jaas.config"]


@pytest.mark.parametrize("form", ["RSA", "EC"])
def test_a_key_in_another_format_is_refused_with_what_to_do(tmp_path: Path, form: str) -> None:
    (tmp_path / "tls.key").write_text(f"-----BEGIN {form} PRIVATE KEY-----\ncanary\n-----END {form} PRIVATE KEY-----\n")
    (tmp_path / "tls.crt").write_text("a certificate")
    files = {"certificate_file": str(tmp_path / "tls.crt"), "key_file": str(tmp_path / "tls.key")}
    with pytest.raises(KafkaSettingsError, match=r"privateKey\.encoding: PKCS8") as caught:
        kafka_options(_connection(tmp_path).model_copy(update=files), "c")
    assert "canary" not in str(caught.value)


def _connection(folder: Path, password: str = "invented", hosts: str = "*.example.org:9096") -> KafkaConnection:  # noqa: S107
    for name, content in {"username": "alice", "password": password, "hosts": hosts, "ca.crt": "the authority"}.items():
        (folder / name).write_bytes(content.encode())
    return KafkaConnection(
        bootstrap_servers=SERVERS,
        tls=True,
        ca_file=str(folder / "ca.crt"),
        authentication={  # type: ignore[arg-type]
            "type": "scram-sha-512",
            "username_file": str(folder / "username"),
            "password_file": str(folder / "password"),
            "hosts_file": str(folder / "hosts"),
        },
    )
