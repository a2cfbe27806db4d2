"""Certificates that change while connections are open, and tokens that a real API server vouches for."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
import requests
from cryptography import x509
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2_grpc import MetricsServiceStub

from kwitness.collector.failures import ForbiddenError, UnauthenticatedError, UnavailableError
from kwitness.collector.ingest.authentication import READERS, SENDERS, Authenticator, Caller, Purpose
from kwitness.collector.ingest.token_review import TokenReviewer
from kwitness.collector.sinks.endpoint_address import address_of
from kwitness.collector.sinks.kafka_client import settings
from kwitness.contracts.audiences import collector_audience, driver_audience, inventory_audience
from kwitness.contracts.collector_config import CollectorConfig, KafkaAuthentication, KafkaConnection, SenderConfig
from kwitness.contracts.private_keys import PrivateKeyError
from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.certificates import Authority
from kwitness.runtime.allowed_hosts import HostNotAllowedError

from tests.collector.collector_process import OTLP, PLUGIN, CollectorProcess
from tests.collector.collector_samples import CLUSTER, batch, counter_push, push
from tests.eventually import eventually
from tests.vectors import vectors

Start = Callable[..., CollectorProcess]
SENDING, READING = collector_audience("default", "main"), inventory_audience("default", "main")


def kafka(folder: Path, address: str, **login: str | None) -> KafkaConnection:
    (folder / "username").write_text("alice")
    files = {"username_file": str(folder / "username"), "password_file": str(folder / "username")}
    return KafkaConnection.model_validate(
        {"bootstrap_servers": [address], "tls": True, "authentication": {"type": "plain", **files, **login}}
    )


@pytest.mark.parametrize("vector", vectors("allowed_hosts", "verdicts"))
def test_a_credential_goes_to_listed_hosts_only(tmp_path: Path, vector: dict[str, Any]) -> None:
    (tmp_path / "hosts").write_bytes(vector["hosts"].encode())
    connection = kafka(tmp_path, vector["address"], hosts_file=str(tmp_path / "hosts"))
    if vector["allowed"]:
        settings(connection, "c")
    else:
        with pytest.raises(HostNotAllowedError):
            settings(connection, "c")


@pytest.mark.parametrize("vector", vectors("allowed_hosts", "credentials"))
def test_the_secret_and_the_installation_must_both_allow(tmp_path: Path, vector: dict[str, Any]) -> None:
    if vector["secret"] is not None:
        (tmp_path / "hosts").write_text(vector["secret"])
    connection = kafka(tmp_path, vector["address"], hosts_file=str(tmp_path / "hosts"), hosts=vector["installation"])
    if vector["allowed"]:
        settings(connection, "c")
    else:
        with pytest.raises(HostNotAllowedError):
            settings(connection, "c")


def test_a_user_name_may_be_the_resources(tmp_path: Path) -> None:
    connection = kafka(tmp_path, "kafka:9093", username="kwitness-collector", hosts="kafka:9093")
    chosen = settings(connection, "c")
    assert (chosen["sasl.username"], chosen["sasl.password"]) == ("kwitness-collector", "alice")


def test_a_key_in_another_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY-----\n")
    files = {"certificate_file": str(tmp_path / "key"), "key_file": str(tmp_path / "key")}
    login = KafkaAuthentication(type="mtls", hosts="kafka:9093")
    connection = kafka(tmp_path, "kafka:9093").model_copy(update={**files, "authentication": login})
    with pytest.raises(PrivateKeyError, match=r"privateKey\.encoding: PKCS8") as caught:
        settings(connection, "c")
    assert "canary" not in str(caught.value)


def test_a_credential_without_hosts_goes_nowhere(tmp_path: Path) -> None:
    with pytest.raises(HostNotAllowedError):
        settings(kafka(tmp_path, "kafka:9093"), "c")
    with pytest.raises(HostNotAllowedError):
        settings(kafka(tmp_path, "kafka:9093", hosts_file=str(tmp_path / "absent")), "c")
    certificate = {"certificate_file": "tls.crt", "key_file": "tls.key", "authentication": KafkaAuthentication()}
    with pytest.raises(HostNotAllowedError):
        settings(kafka(tmp_path, "kafka:9093").model_copy(update=certificate), "c")


def test_the_port_of_a_url_is_the_schemes_where_none_is_written() -> None:
    assert address_of("https://otlp.example.org/v1/metrics") == "otlp.example.org:443"
    assert address_of("http://user@[::1]:4318/") == "[::1]:4318"


def write(folder: Path, authority: Authority) -> None:
    issued = authority.issue("collector", ["localhost"])
    (folder / "tls.crt").write_text(issued.certificate)
    (folder / "tls.key").write_text(issued.key)
    (folder / "ca.crt").write_text(authority.certificate)


def served(port: int) -> int:
    """Return the serial number of the certificate that new connections get."""
    pem = ssl.get_server_certificate(("127.0.0.1", port))
    return x509.load_pem_x509_certificate(pem.encode()).serial_number


def test_a_renewed_certificate_is_used_without_dropping_open_connections(start: Start, tmp_path: Path) -> None:
    authority = Authority("test")
    write(tmp_path, authority)
    files = {f"tls_{kind}_file": str(tmp_path / f"tls.{end}") for kind, end in (("cert", "crt"), ("key", "key"))}
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{PLUGIN} plugin {CLUSTER}\n{OTLP} otlp {CLUSTER}\n")
    collector = start(config={"ingest": {**files, "tokens_file": str(tokens)}})
    ports = (collector.port, collector.otlp_http_port, collector.otlp_grpc_port)
    first = {served(port) for port in ports}
    with requests.Session() as session:
        session.trust_env, session.verify = False, str(tmp_path / "ca.crt")
        url = f"https://localhost:{collector.port}/v1/pushes"
        headers = {"Authorization": f"Bearer {PLUGIN}"}
        assert session.post(url, json=batch([push(1, counter_push(5))]), headers=headers, timeout=10).ok

        write(tmp_path, authority)

        eventually(lambda: {served(port) for port in ports}, first.isdisjoint)
        assert session.post(url, json=batch([push(2, counter_push(5))]), headers=headers, timeout=10).ok
    credentials = grpc.ssl_channel_credentials((tmp_path / "ca.crt").read_bytes())
    with grpc.secure_channel(f"localhost:{collector.otlp_grpc_port}", credentials) as channel:
        metadata = [("authorization", f"Bearer {OTLP}")]
        MetricsServiceStub(channel).Export(ExportMetricsServiceRequest(), metadata=metadata, timeout=10)
    with pytest.raises(requests.ConnectionError):
        requests.post(f"http://127.0.0.1:{collector.port}/v1/pushes", timeout=10)


def test_tokens_rotate_without_a_restart(start: Start) -> None:
    collector = start()
    body = batch([push(1, counter_push(5))])

    collector.tokens.write_text(f"renewed plugin {CLUSTER}\n")

    eventually(lambda: collector.push(body, token="renewed").status, lambda status: status == 200)
    assert collector.push(body, token=PLUGIN).status == 401
    assert "renewed" not in collector.log.read_text()


@pytest.fixture(scope="module")
def api(api_server: ApiServer) -> ApiServer:
    for name in ("sender", "stranger", "kwitness-operator"):
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}
        answer = api_server.request("POST", "/api/v1/namespaces/default/serviceaccounts", json=account)
        assert answer.status_code == 201, answer.text
    return api_server


def token(api: ApiServer, account: str, audience: str, bound_to: str | None = None) -> str:
    request: dict[str, Any] = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"audiences": [audience], "expirationSeconds": 600},
    }
    if bound_to is not None:
        request["spec"]["boundObjectRef"] = {"apiVersion": "v1", "kind": "Pod", "name": bound_to}
    answer = api.request("POST", f"/api/v1/namespaces/default/serviceaccounts/{account}/token", json=request)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["status"]["token"])


@pytest.fixture
def config() -> CollectorConfig:
    return CollectorConfig.model_validate(
        {
            "cluster_id": CLUSTER,
            "namespace": "default",
            "name": "main",
            "kafka": {"bootstrap_servers": ["kafka:9092"]},
            "ingest": {
                "senders": [
                    {"namespace": "default", "service_account": "sender", "source": "plugin"},
                    {
                        "namespace": "default",
                        "service_account": "observer",
                        "source": "observer",
                        "reported_by": "gateway",
                    },
                ],
                "readers": [{"namespace": "default", "service_account": "kwitness-operator"}],
            },
        }
    )


@pytest.fixture
def authenticator(api: ApiServer, config: CollectorConfig, tmp_path: Path) -> Authenticator:
    (tmp_path / "token").write_text("administrator")
    [cluster] = json.loads(api.kubeconfig.read_text())["clusters"]
    (tmp_path / "ca.crt").write_text(Path(cluster["cluster"]["certificate-authority"]).read_text())
    return Authenticator(config, TokenReviewer(api.url, tmp_path))


async def test_a_listed_service_account_is_known_by_its_token(api: ApiServer, authenticator: Authenticator) -> None:
    sender = token(api, "sender", SENDING)
    reader = token(api, "kwitness-operator", READING)

    assert await authenticator.caller(f"Bearer {sender}", (SENDERS,)) == Caller("plugin", CLUSTER)
    assert await authenticator.caller(f"bearer {reader}", (READERS,)) == Caller("reader", None)


async def test_a_token_for_another_audience_is_no_good(api: ApiServer, authenticator: Authenticator) -> None:
    sender = token(api, "sender", READING)

    with pytest.raises(UnauthenticatedError):
        await authenticator.caller(f"Bearer {sender}", (SENDERS,))


@pytest.mark.parametrize(
    ("account", "audience", "purpose"),
    [
        ("sender", collector_audience("default", "other"), SENDERS),
        ("sender", collector_audience("other", "main"), SENDERS),
        ("sender", "kwitness-collector", SENDERS),
        ("kwitness-operator", inventory_audience("default", "other"), READERS),
        ("kwitness-operator", driver_audience("default", "main"), READERS),
    ],
)
async def test_a_token_for_another_target_is_no_good(
    api: ApiServer, authenticator: Authenticator, account: str, audience: str, purpose: Purpose
) -> None:
    leaked = token(api, account, audience)

    with pytest.raises(UnauthenticatedError, match=r"kwitness-\w+\.default\.main"):
        await authenticator.caller(f"Bearer {leaked}", (purpose,))


async def test_a_stranger_is_told_where_it_would_have_to_be_listed(
    api: ApiServer, authenticator: Authenticator
) -> None:
    stranger = token(api, "stranger", SENDING)

    with pytest.raises(ForbiddenError, match=r"spec\.ingest\.senders"):
        await authenticator.caller(f"Bearer {stranger}", (SENDERS,))


async def test_a_sender_that_is_listed_later_is_known_without_a_restart(
    api: ApiServer, authenticator: Authenticator, config: CollectorConfig
) -> None:
    later = f"Bearer {token(api, 'stranger', SENDING)}"
    with pytest.raises(ForbiddenError):
        await authenticator.caller(later, (SENDERS,))
    sender = SenderConfig(namespace="default", service_account="stranger", source="observer", reported_by="gateway")
    senders = (*config.ingest.senders, sender)

    authenticator.configure(config.model_copy(update={"ingest": config.ingest.model_copy(update={"senders": senders})}))

    assert (await authenticator.caller(later, (SENDERS,))).kind == "observer"
    authenticator.configure(config)
    with pytest.raises(ForbiddenError):
        await authenticator.caller(later, (SENDERS,))


async def test_an_answer_is_remembered_and_an_absent_api_server_refuses_nobody_for_good(
    api: ApiServer, authenticator: Authenticator
) -> None:
    known, unknown = (token(api, "sender", SENDING) for _ in range(2))
    await authenticator.caller(f"Bearer {known}", (SENDERS,))
    api.stop_server()
    try:
        assert await authenticator.caller(f"Bearer {known}", (SENDERS,)) == Caller("plugin", CLUSTER)
        with pytest.raises(UnavailableError):
            await authenticator.caller(f"Bearer {unknown}", (SENDERS,))
    finally:
        api.start_server()


async def test_an_observer_is_the_pod_in_its_token(api: ApiServer, authenticator: Authenticator) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "gateway-0"},
        "spec": {"serviceAccountName": "observer", "containers": [{"name": "observer", "image": "none"}]},
    }
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "observer"}}
    for path, made in (("serviceaccounts", account), ("pods", pod)):
        answer = api.request("POST", f"/api/v1/namespaces/default/{path}", json=made)
        assert answer.status_code == 201, answer.text
    bound = token(api, "observer", SENDING, bound_to="gateway-0")

    assert await authenticator.caller(f"Bearer {bound}", (SENDERS,)) == Caller(
        "observer", CLUSTER, "default/gateway-0", "gateway"
    )
    unbound = token(api, "observer", SENDING)
    assert (await authenticator.caller(f"Bearer {unbound}", (SENDERS,))).pod is None


async def test_an_observer_beside_a_client_has_whatever_account_its_pod_has(
    api: ApiServer, authenticator: Authenticator, config: CollectorConfig
) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "client-0"},
        "spec": {"serviceAccountName": "stranger", "containers": [{"name": "client", "image": "none"}]},
    }
    answer = api.request("POST", "/api/v1/namespaces/default/pods", json=pod)
    assert answer.status_code == 201, answer.text
    bound, unbound = token(api, "stranger", SENDING, bound_to="client-0"), token(api, "stranger", SENDING)
    everybody = SenderConfig(namespace="default", service_account="*", source="observer")
    senders = (everybody, *config.ingest.senders)
    authenticator.configure(config.model_copy(update={"ingest": config.ingest.model_copy(update={"senders": senders})}))
    try:
        assert await authenticator.caller(f"Bearer {bound}", (SENDERS,)) == Caller(
            "observer", CLUSTER, "default/client-0", "pod"
        )
        with pytest.raises(ForbiddenError):
            await authenticator.caller(f"Bearer {unbound}", (SENDERS,))
        named = token(api, "sender", SENDING)
        assert (await authenticator.caller(f"Bearer {named}", (SENDERS,))).kind == "plugin"
        brokers = {"serviceAccountName": "sender", "containers": [{"name": "kafka", "image": "none"}]}
        pod = {**pod, "metadata": {"name": "broker-0"}, "spec": brokers}
        answer = api.request("POST", "/api/v1/namespaces/default/pods", json=pod)
        assert answer.status_code == 201, answer.text
        shared = f"Bearer {token(api, 'sender', SENDING, bound_to='broker-0')}"
        meant = Caller("observer", CLUSTER, "default/broker-0", "pod")
        assert await authenticator.caller(shared, (SENDERS,), ("observer", "collector")) == meant
        assert (await authenticator.caller(shared, (SENDERS,))).kind == "plugin"
    finally:
        authenticator.configure(config)
