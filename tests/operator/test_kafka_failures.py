"""Whatever kafka-python answers instead of raising becomes one of our reasons, and the broker's words stay outside."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar
from unittest.mock import AsyncMock

import pytest
from kafka import errors as kafka_errors
from pydantic import ValidationError

from kwitness.contracts.allowed_hosts import CredentialHosts
from kwitness.contracts.resources.connection import ClusterAuthentication, ClusterTls
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.e2e.certificates import Authority
from kwitness.e2e.kafka.local_broker import Listener, LocalBroker
from kwitness.operator.adapters import kafka_admin
from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.adapters.kafka_client import AdminClient
from kwitness.operator.adapters.kafka_connection import (
    KafkaConnection,
    SaslLogin,
    TlsMaterial,
)
from kwitness.operator.adapters.kafka_failures import acl_command, from_exception, from_result, from_topic
from kwitness.operator.model.cluster_description import ClusterDescription, WantedTopic
from kwitness.operator.model.errors import OperatorError, TerminalError, TransientError
from kwitness.operator.reconcile.kafka_credentials import connection_of
from kwitness.operator.settings import CredentialSettings, LimitSettings

from tests.eventually import eventually_beside
from tests.vectors import vectors

CONNECTION = KafkaConnection(
    bootstrap_servers=("kafka:9092",), client_id="kwitness-operator-test", login=SaslLogin("PLAIN", "alice", "canary")
)
KAFKA = KafkaCluster.model_validate(
    {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "KafkaCluster",
        "metadata": {"name": "main", "namespace": "test"},
        "spec": {
            "bootstrapServers": ["kafka:9092"],
            "tls": {"mode": "Required"},
            "authentication": {"type": "plain", "secretRef": {"name": "kwitness-admin"}},
        },
    }
)
CODES = sorted(
    {
        kind.errno
        for kind in vars(kafka_errors).values()
        if isinstance(kind, type) and issubclass(kind, kafka_errors.BrokerResponseError) and kind.errno
    }
)


_OF_SUBSCRIPTIONS = {
    **dict.fromkeys((29, 30, 31, 53, 65), "Forbidden"),
    **dict.fromkeys((40, 42, 44), "InvalidPattern"),
    35: "Unsupported",
}


@pytest.mark.parametrize("code", CODES)
def test_every_error_code_in_a_result_becomes_an_error_without_the_brokers_words(code):
    text = str(kafka_errors.for_code(code)("words of the broker"))
    error = from_result(text, "ALTER_CONFIGS", CONNECTION)
    assert isinstance(error, OperatorError)
    assert error.reason == _OF_SUBSCRIPTIONS.get(code, "NotCarriedOut")
    assert "words of the broker" not in str(error)


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        (29, TransientError, "Forbidden"),
        (31, TransientError, "Forbidden"),
        (40, TerminalError, "InvalidPattern"),
        (42, TerminalError, "InvalidPattern"),
        (35, TerminalError, "Unsupported"),
        (41, TransientError, "NotCarriedOut"),
        (7, TransientError, "Unreachable"),
        (-1, TransientError, "Unreachable"),
    ],
)
def test_the_class_of_the_error_is_the_retry_decision(code, kind, reason):
    error = from_exception(kafka_errors.for_code(code)(), "ALTER_CONFIGS", CONNECTION)
    assert (type(error), error.reason) == (kind, reason)


@pytest.mark.parametrize(
    ("code", "kind", "reason", "said"),
    [
        (29, TransientError, "TopicsMissing", "grant CREATE"),
        (31, TransientError, "TopicsMissing", "grant CREATE"),
        (17, TerminalError, "TopicsRefused", "spec.topics.prefix"),
        (37, TerminalError, "TopicsRefused", "spec.topics.onCreate.partitions"),
        (38, TerminalError, "TopicsRefused", "spec.topics.onCreate.replicationFactor"),
        (40, TerminalError, "TopicsRefused", "spec.topics.onCreate.retention"),
        (44, TerminalError, "TopicsRefused", "policy"),
        (41, TransientError, "TopicsRefused", "tried again"),
        (89, TransientError, "TopicsRefused", "tried again"),
    ],
)
def test_trouble_with_a_topic_is_told_from_trouble_with_a_subscription(code, kind, reason, said):
    error = from_topic(code, CONNECTION)
    assert (type(error), error.reason, said in error.message) == (kind, reason, True)


def test_ok_is_no_error_and_an_unknown_text_is_one():
    assert from_result("OK", "ALTER_CONFIGS", CONNECTION) is None
    assert from_result("fine", "ALTER_CONFIGS", CONNECTION) is not None


def test_a_missing_right_comes_with_the_command_that_grants_it():
    error = from_result("[Error 31] ClusterAuthorizationFailedError", "ALTER_CONFIGS", CONNECTION)
    assert error is not None
    assert acl_command(CONNECTION, ("ALTER_CONFIGS",)) in error.message
    assert "--allow-principal User:OPERATOR" in error.message
    assert "alice" not in error.message  # that is in the Secret, and a status is for more people


def test_no_credential_is_in_a_repr():
    tls = TlsMaterial("authority-canary", "certificate-canary", "key-canary")
    connection = KafkaConnection(
        bootstrap_servers=("a:1",), client_id="c", tls=tls, login=SaslLogin("PLAIN", "name-canary", "canary")
    )
    assert "canary" not in repr(connection)


def secret(hosts: str | None, **entries: str) -> dict[str, dict[str, str]]:
    entries = entries or {"username": "alice", "password": "canary"}
    if hosts is not None:
        entries["hosts"] = hosts
    return {"data": {key: base64.b64encode(value.encode()).decode() for key, value in entries.items()}}


async def connection_with(secret: dict[str, Any], hosts: str | None = None, **spec: Any) -> KafkaConnection:
    """The connection of the KafkaCluster above, with this Secret and what the Helm values say of it."""
    said = CredentialSettings(hosts={} if hosts is None else {"test/kwitness-admin": hosts})
    context: Any = SimpleNamespace(
        kubernetes=SimpleNamespace(get=AsyncMock(return_value=secret)),
        installation="test",
        settings=SimpleNamespace(credentials=said, limits=LimitSettings()),
    )
    return await connection_of(context, KAFKA.model_copy(update={"spec": KAFKA.spec.model_copy(update=spec)}))


@pytest.mark.parametrize("vector", vectors("allowed_hosts", "verdicts"))
async def test_a_credential_goes_to_listed_hosts_only(vector):
    try:
        connection = await connection_with(secret(vector["hosts"]))
        verdict = "Allowed" if connection.may_reach(vector["address"]) else "HostNotAllowed"
    except TransientError as error:
        verdict = error.reason
    assert verdict == ("Allowed" if vector["allowed"] else "HostNotAllowed")


@pytest.mark.parametrize("vector", vectors("allowed_hosts", "credentials"))
async def test_the_secret_and_the_installation_must_both_allow(vector):
    try:
        connection = await connection_with(secret(vector["secret"]), vector["installation"])
        verdict = "Allowed" if connection.may_reach(vector["address"]) else "HostNotAllowed"
    except (TransientError, ValidationError) as error:
        # Helm values that are no list end the operator's start; nothing is sent.
        verdict = getattr(error, "reason", "HostNotAllowed")
    assert verdict == ("Allowed" if vector["allowed"] else "HostNotAllowed")


async def test_a_secret_that_somebody_else_wrote_is_used_by_its_own_keys():
    login = ClusterAuthentication.model_validate(
        {
            "type": "scram-sha-512",
            "username": "bob",
            "secretRef": {"name": "kwitness-admin", "keys": {"password": "pw"}},
        }
    )
    connection = await connection_with(secret(None, pw="canary"), "kafka:9092", authentication=login)
    assert connection.login == SaslLogin("SCRAM-SHA-512", "bob", "canary")


async def test_a_private_key_in_another_format_is_refused_with_what_to_do():
    tls = ClusterTls.model_validate({"mode": "Required", "clientCertificateSecretRef": {"name": "kwitness-admin"}})
    pem = "-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY-----\n"
    entries = {"username": "alice", "password": "p", "tls.crt": "c", "tls.key": pem}
    with pytest.raises(TransientError, match=r"privateKey\.encoding: PKCS8") as caught:
        await connection_with(secret("kafka:9092", **entries), tls=tls)
    assert caught.value.reason == "TlsFailed"
    assert "canary" not in caught.value.message


def test_each_secret_of_a_connection_must_list_the_host():
    lists = tuple(CredentialHosts.of(text, None) for text in ("*.kafka.svc:9092", "a.kafka.svc:9092, b.kafka.svc:9092"))
    connection = replace(CONNECTION, allowed_hosts=lists)
    addresses = ("a.kafka.svc:9092", "c.kafka.svc:9092", "b.kafka.svc:9093")
    assert [connection.may_reach(address) for address in addresses] == [True, False, False]


def test_names_between_the_certificates_of_a_bundle_may_be_in_any_language():
    authority = Authority("ours").certificate
    bundle = f"# Autoridad de Certificación, 認証局\n{authority}\n# AC RAÍZ\n{authority}"
    assert TlsMaterial(bundle).context().cert_store_stats()["x509_ca"] == 1


@pytest.mark.parametrize("text", ["", "no certificate", "-----BEGIN CERTIFICATE-----\n%\n-----END CERTIFICATE-----"])
def test_a_ca_without_a_certificate_is_an_error_and_not_the_systems(text):
    with pytest.raises(TransientError, match="holds no PEM certificate") as caught:
        TlsMaterial(text).context()
    assert caught.value.reason == "TlsFailed"


class TestAgainstARealBroker:
    """One listener per way to fail."""

    pytestmark: ClassVar = pytest.mark.broker

    @pytest.fixture
    def files(self, broker):
        certificates = broker.certificates

        def tls(**overrides: Path) -> TlsMaterial:
            material = {"ca_certificates": certificates.ca_file, **overrides}
            return TlsMaterial(**{name: path.read_text() for name, path in material.items()})

        return tls

    @staticmethod
    async def _observe(broker: LocalBroker, listener: Listener, **options: Any) -> ClusterDescription:
        address = broker.bootstrap_of(listener)
        connection = KafkaConnection(bootstrap_servers=(address,), client_id="kwitness-operator-test", **options)
        return await KafkaAdmin().observe(connection, ("kwitness.telemetry",))

    async def _reason(self, broker: LocalBroker, listener: Listener, **options: Any) -> tuple[str, str]:
        with pytest.raises(OperatorError) as caught:
            await self._observe(broker, listener, **options)
        return caught.value.reason, caught.value.message

    @staticmethod
    async def _until(connection: KafkaConnection, expected: dict[str, dict[str, str]]) -> None:
        """A broker may say that something is written a moment before its answers to other questions show it."""
        admin = KafkaAdmin()
        await eventually_beside(lambda: asyncio.run(admin.subscriptions(connection)), lambda now: now == expected)

    async def test_every_listener_can_be_used(self, broker, files):
        login = {"username": "admin", "password": "admin-secret"}
        client = {
            "certificate": broker.certificates.client_certificate,
            "key": broker.certificates.client_key,
        }
        ways = [
            (Listener.PLAINTEXT, {}),
            (Listener.SSL, {"tls": files()}),
            (Listener.SASL_SSL_PLAIN, {"tls": files(), "login": SaslLogin("PLAIN", **login)}),
            (Listener.SASL_SSL_SCRAM, {"tls": files(), "login": SaslLogin("SCRAM-SHA-256", **login)}),
            (Listener.SASL_SSL_SCRAM, {"tls": files(), "login": SaslLogin("SCRAM-SHA-512", **login)}),
            (Listener.SASL_PLAINTEXT_PLAIN, {"login": SaslLogin("PLAIN", **login)}),
        ]
        for listener, options in ways:
            address = broker.bootstrap_of(listener)
            if listener is Listener.SSL:
                # Its principal is anonymous over TLS too, which the broker made a super user.
                assert (await self._observe(broker, listener, **options)).cluster_id == broker.cluster_id
                continue
            hosts = (CredentialHosts.of(address, None),) if "login" in options else ()
            seen = await self._observe(broker, listener, allowed_hosts=hosts, **options)
            assert seen.cluster_id == broker.cluster_id
        seen = await self._observe(broker, Listener.MTLS, tls=files(**client))
        assert seen.refused is not None
        assert seen.refused.reason == "Forbidden"  # let in by its certificate, which has no rights

    async def test_a_broker_says_what_its_listeners_are_for(self, broker):
        connection = KafkaConnection(bootstrap_servers=(broker.bootstrap,), client_id="kwitness-operator-test")
        seen = await KafkaAdmin().observe(connection, (), ("PLAINTEXT", "SASL_SSL_PLAIN", "MTLS"))
        [found] = [one.listeners for one in seen.brokers]
        said = [(one.name, one.shared_with, one.encrypted, one.identifies_by_certificate) for one in found]

        assert said == [
            ("PLAINTEXT", "brokers", False, False),
            ("SASL_SSL_PLAIN", None, True, False),
            ("MTLS", None, True, True),
        ]
        assert {(one.host, one.port == one.advertised_port) for one in found} == {("127.0.0.1", True)}

    async def test_a_wrong_password_is_told_from_everything_else(self, broker, files):
        for listener, mechanism in (
            (Listener.SASL_SSL_PLAIN, "PLAIN"),
            (Listener.SASL_SSL_SCRAM, "SCRAM-SHA-512"),
            (Listener.SASL_SSL_SCRAM, "PLAIN"),
        ):
            login = SaslLogin(mechanism, "admin", "canary")
            reason, message = await self._reason(broker, listener, tls=files(), login=login)
            assert reason == "AuthenticationFailed"
            assert "canary" not in message

    async def test_a_wrong_authority_is_told_from_everything_else(self, broker, files):
        other = files(ca_certificates=broker.certificates.other_ca_file)
        assert (await self._reason(broker, Listener.SSL, tls=other))[0] == "TlsFailed"
        assert (await self._reason(broker, Listener.PLAINTEXT, tls=files()))[0] == "TlsFailed"
        assert (await self._reason(broker, Listener.SSL))[0] == "TlsFailed"
        assert (await self._reason(broker, Listener.MTLS, tls=files()))[0] == "TlsFailed"

    async def test_a_refused_certificate_is_told_also_where_the_refusal_comes_late(self, broker, files, monkeypatch):
        # As if the listener had kept silent for as long as the probe waits.
        monkeypatch.setattr(kafka_admin, "probe", lambda _connection: None)
        reason, message = await self._reason(broker, Listener.MTLS, tls=files())
        assert (reason, "spec.tls.clientCertificateSecretRef" in message) == ("TlsFailed", True)

    async def test_an_address_without_a_broker_is_unreachable(self):
        for address in ("127.0.0.1:9", "no-such-host.invalid:9092"):
            connection = KafkaConnection(bootstrap_servers=(address,), client_id="kwitness-operator-test")
            with pytest.raises(TransientError) as caught:
                await KafkaAdmin().observe(connection, ())
            assert caught.value.reason == "Unreachable"

    async def test_missing_rights_are_named_one_by_one(self, broker, files):
        login = SaslLogin("PLAIN", "alice", "alice-secret")
        seen = await self._observe(broker, Listener.SASL_SSL_PLAIN, tls=files(), login=login)
        assert seen.refused is not None
        assert (seen.refused.reason, "DESCRIBE_CONFIGS" in seen.refused.message) == ("Forbidden", True)

    async def test_a_listener_that_wants_authentication_says_so(self, broker):
        reason, message = await self._reason(broker, Listener.SASL_PLAINTEXT_PLAIN)
        assert (reason, "spec.authentication" in message) == ("AuthenticationFailed", True)

    async def test_a_host_that_the_secret_does_not_list_gets_nothing(self, broker, files):
        login = SaslLogin("PLAIN", "admin", "admin-secret")
        hosts = (CredentialHosts.of("elsewhere:9092", None),)
        reason, _ = await self._reason(broker, Listener.SASL_SSL_PLAIN, tls=files(), login=login, allowed_hosts=hosts)
        assert reason == "HostNotAllowed"

    async def test_an_advertised_address_that_the_secret_does_not_list_gets_nothing(self, broker, files):
        # The bootstrap address is a name that is listed; the broker advertises 127.0.0.1, which is not.
        port = broker.bootstrap_of(Listener.SASL_SSL_PLAIN).rpartition(":")[2]
        connection = KafkaConnection(
            bootstrap_servers=(f"localhost:{port}",),
            client_id="kwitness-operator-test",
            tls=files(),
            login=SaslLogin("PLAIN", "admin", "admin-secret"),
            allowed_hosts=(CredentialHosts.of(f"localhost:{port}", None),),
        )
        with pytest.raises(OperatorError) as caught:
            await KafkaAdmin().observe(connection, ())
        assert caught.value.reason == "HostNotAllowed"

    async def test_one_refused_change_does_not_stop_the_others(self, clean_broker):
        connection = KafkaConnection(bootstrap_servers=(clean_broker.bootstrap,), client_id="kwitness-operator-test")
        good = {"metrics": "x.", "interval.ms": "1000", "match": ""}
        answers = await KafkaAdmin().alter(
            connection, {"good": good, "bad": {**good, "match": "client_id=("}, "gone": None}
        )
        assert {name: error and error.reason for name, error in answers.items()} == {
            "good": None,
            "bad": "InvalidPattern",
            "gone": None,
        }
        await self._until(connection, {"good": {"metrics": "x.", "interval.ms": "1000"}})

    async def test_brokers_that_know_no_subscriptions_are_a_cluster_all_the_same(self, broker, monkeypatch):
        # As Kafka 3.6 would be asked, which has no request to list them.
        monkeypatch.setitem(AdminClient.DEFAULT_CONFIG, "api_version", (3, 6))
        seen = await self._observe(broker, Listener.PLAINTEXT)
        assert seen.cluster_id == broker.cluster_id
        assert seen.refused is not None
        assert (seen.refused.reason, "since 3.7" in seen.refused.message) == ("Unsupported", True)

    async def test_a_topic_that_may_not_be_described_is_not_called_missing(self, broker, files):
        login = SaslLogin("PLAIN", "alice", "alice-secret")
        seen = await self._observe(broker, Listener.SASL_SSL_PLAIN, tls=files(), login=login)
        assert (dict(seen.topics), seen.hidden_topics) == ({}, {"kwitness.telemetry"})

    async def test_a_topic_with_more_replicas_than_brokers_says_so(self, broker):
        connection = KafkaConnection(bootstrap_servers=(broker.bootstrap,), client_id="kwitness-operator-test")
        [error] = (await KafkaAdmin().create_topics(connection, (WantedTopic("thrice", 1, 3),))).values()
        assert error is not None
        assert (error.reason, "fewer brokers" in error.message) == ("TopicsRefused", True)

    async def test_a_topic_that_exists_counts_as_created(self, broker):
        connection = KafkaConnection(bootstrap_servers=(broker.bootstrap,), client_id="kwitness-operator-test")
        wanted = (WantedTopic("twice", 1, 1),)
        assert await KafkaAdmin().create_topics(connection, wanted) == {"twice": None}
        assert await KafkaAdmin().create_topics(connection, wanted) == {"twice": None}

    @pytest.mark.parametrize("version", ["3.7.2"])
    async def test_the_oldest_broker_lists_subscriptions_by_the_older_request(self, version):
        with LocalBroker(version) as old:
            connection = KafkaConnection(bootstrap_servers=(old.bootstrap,), client_id="kwitness-operator-test")
            good = {"metrics": "x.", "interval.ms": "1000", "match": ""}
            assert await KafkaAdmin().alter(connection, {"good": good}) == {"good": None}
            await self._until(connection, {"good": {"metrics": "x.", "interval.ms": "1000"}})
            seen = await KafkaAdmin().observe(connection, ())
            assert seen.subscriptions == {"good": {"metrics": "x.", "interval.ms": "1000"}}
            assert seen.lower_bound == "3.7"
            assert await KafkaAdmin().alter(connection, {"good": None}) == {"good": None}
            await self._until(connection, {})
