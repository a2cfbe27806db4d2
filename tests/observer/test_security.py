"""Every way to connect and to sign in, through the observer to one real broker: who is told of, and what never is."""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError, Producer

from kwitness.contracts.interceptor_settings import SETTINGS_VARIABLE
from kwitness.e2e.kafka.listeners import Listener
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.images.image_parts import java_interceptors

from tests.eventually import deliver, eventually
from tests.interceptors_python.injected import injected_folder, run_program
from tests.observer.answering_broker import list_groups
from tests.observer.events_server import EventsServer
from tests.observer.kafka_tools import Tool
from tests.observer.listener_certificates import ListenerCertificates
from tests.observer.observer_process import ObserverProcess
from tests.observer.sign_in import Mechanism, SignIn
from tests.vectors import vectors

pytestmark = pytest.mark.broker

RECORDS = 20
CANARY = "canary-0b5e8f1d"
"""The password, and a claim of tokens."""
NODE = 1


@dataclass(frozen=True)
class Way:
    """A gateway before one listener of the broker, and how its clients sign in."""

    name: str
    listener: Listener
    tls: bool
    mutual: bool = False
    mechanism: Mechanism | None = None

    @property
    def principal(self) -> str:
        """As the broker calls the clients."""
        return "User:ANONYMOUS" if self.mechanism is None else "User:alice"


WAYS = (
    Way("PLAINTEXT_TO_TLS", Listener.SSL, tls=False),
    Way("TLS_TO_PLAINTEXT", Listener.PLAINTEXT, tls=True),
    Way("MUTUAL_TLS_TO_PLAIN", Listener.SASL_SSL_PLAIN, tls=True, mutual=True, mechanism="PLAIN"),
    Way("TLS_TO_SCRAM_256", Listener.SASL_SSL_SCRAM, tls=True, mechanism="SCRAM-SHA-256"),
    Way("PLAINTEXT_TO_SCRAM_512", Listener.SASL_SSL_SCRAM, tls=False, mechanism="SCRAM-SHA-512"),
    Way("PLAINTEXT_TO_OAUTHBEARER", Listener.SASL_SSL_OAUTHBEARER, tls=False, mechanism="OAUTHBEARER"),
)


class Gateways:
    """A broker, a collector's door by TLS, and a gateway for each way."""

    def __init__(self, program: Path, folder: Path, broker: LocalBroker, files: ListenerCertificates) -> None:
        self._program, self._folder, self.broker, self.files = program, folder, broker, files
        self.events = EventsServer((files.certificate, files.key))
        self.running: dict[str, ObserverProcess] = {}
        (folder / "token").write_text(f"token-{CANARY}")
        self.sign_ins = {way.name: self._sign_in(way) for way in WAYS}
        """How clients of each gateway connect."""

    def observer(self, way: Way, *, ca_file: Path | None = None, events_ca: Path | None = None) -> ObserverProcess:
        """A gateway that does not run yet."""
        folder = self._folder / way.name
        folder.mkdir()
        authorities = self.broker.certificates
        assert authorities is not None
        upstream = {"ca_file": str(ca_file or authorities.ca_file)}
        collector = {
            "url": self.events.url,
            "replicas": 1,
            "ca_file": str(events_ca or self.files.trusted()),
            "token_file": str(self._folder / "token"),
        }
        made = ObserverProcess(
            self._program,
            folder,
            bootstrap=self.broker.bootstrap_of(way.listener),
            nodes=(NODE,),
            changes={"collector": collector},
        )
        tls = self.files.settings(mutual=way.mutual) if way.tls else None
        made.set("listener", {**made.settings["listener"], "name": way.name, "tls": tls})
        made.set("upstream", {**made.settings["upstream"], "tls": upstream if way.listener.uses_tls else None})
        return made

    def told(self, way: Way, **wanted: Any) -> list[dict[str, Any]]:
        """Rows of a gateway's listener with these members."""
        rows = [row for row in list(self.events.rows) if row.get("listener") == way.name]
        return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]

    def produce(self, way: Way) -> None:
        """Records by librdkafka and by Kafka's own producer."""
        bootstrap, sign_in = self.running[way.name].bootstrap, self.sign_ins[way.name]
        producer = Producer({"bootstrap.servers": bootstrap, "client.id": "rdkafka", **sign_in.librdkafka()})
        for number in range(RECORDS):
            producer.produce(way.name, f"{number}")
        deliver(producer)
        properties = sign_in.java(self._folder / way.name)
        size = ["--num-records", f"{RECORDS}", "--record-size", "10", "--throughput", "-1"]
        command = ["--topic", way.name, *size, "--bootstrap-server", bootstrap]
        with Tool("ProducerPerformance", *command, "--command-config", str(properties)) as java:
            assert f"{RECORDS} records sent" in java.ended()

    def text(self) -> str:
        """Everything that gateways have told anybody."""
        said = [body.decode() for body in self.events.bodies]
        return "\n".join([*said, *(one.log() + one.metrics_page() for one in self.running.values())])

    def _sign_in(self, way: Way) -> SignIn:
        return SignIn(
            user="alice",
            password=CANARY,
            mechanism=way.mechanism,
            ca_file=self.files.trusted() if way.tls else None,
            certificate=self.files.client_files() if way.mutual else None,
        )


@pytest.fixture(scope="module")
def gateways(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateways]:
    folder = tmp_path_factory.mktemp("security")
    files = ListenerCertificates(folder / "listener")
    listeners = (*(way.listener for way in WAYS), Listener.MTLS, Listener.MTLS_TLS12)
    users = {"admin": "admin-secret", "alice": CANARY}
    with contextlib.ExitStack() as stack:
        broker = stack.enter_context(LocalBroker(listeners=dict.fromkeys(listeners), users=users))
        made = Gateways(program, folder, broker, files)
        stack.enter_context(made.events)
        for way in WAYS:
            made.running[way.name] = stack.enter_context(made.observer(way))
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(made.produce, WAYS))
        yield made


def logged(running: ObserverProcess, message: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, running.log().splitlines()) if line["message"] == message]


def send(running: ObserverProcess, *frames: bytes) -> bytes:
    """What a client gets that sends these bytes; nothing where it is closed."""
    port = int(running.settings["listener"]["bootstrap_port"])
    with socket.create_connection(("127.0.0.1", port), timeout=30) as stream:
        stream.sendall(b"".join(frames))
        try:
            return stream.recv(4096)
        except ConnectionResetError:
            return b""


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_clients_are_told_of_as_the_broker_knows_them(gateways: Gateways, way: Way) -> None:
    def records() -> dict[str, int]:
        """By software, of this principal."""
        found: dict[str, int] = {}
        for row in gateways.told(way, kind="partition", api="Produce", topic=way.name, principal=way.principal):
            found[row["client_software_name"]] = found.get(row["client_software_name"], 0) + row["records"]
        return found

    expected = {"apache-kafka-java": RECORDS, "confluent-kafka-python": RECORDS}
    assert eventually(records, lambda seen: seen == expected) == expected
    protocol = gateways.sign_ins[way.name].protocol
    told = gateways.told(way, schema="kwitness.connections/1")
    assert {row["security_protocol"] for row in told} == {protocol}
    authenticated = [row for row in told if row["kind"] == "authenticated"]
    if way.mechanism is None:
        assert not authenticated
        opened = [row for row in told if row["kind"] == "opened"]
        assert {(row["principal"], row["principal_source"]) for row in opened} == {(way.principal, "none")}
    else:
        seen = {(row["mechanism"], row["principal"], row["principal_source"]) for row in authenticated}
        assert seen == {(way.mechanism, "User:alice", "sasl")}
        assert all(row["succeeded"] for row in authenticated)


PROGRAMS = {
    "confluent-kafka-python": """
from confluent_kafka import Producer
producer = Producer({"bootstrap.servers": servers, "security.protocol": "SASL_SSL", "ssl.ca.location": ca,
    "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": "alice", "sasl.password": password})
for _ in range(records):
    producer.produce(topic, b"record")
assert producer.flush(60) == 0
""",
    "kafka-python": """
from kafka import KafkaProducer
producer = KafkaProducer(bootstrap_servers=[servers], security_protocol="SASL_SSL", ssl_cafile=ca,
    sasl_mechanism="SCRAM-SHA-512", sasl_plain_username="alice", sasl_plain_password=password)
for _ in range(records):
    producer.send(topic, b"record").get(60)
producer.close()
""",
    "aiokafka": """
import asyncio, ssl
from aiokafka import AIOKafkaProducer
async def main():
    producer = AIOKafkaProducer(bootstrap_servers=servers, security_protocol="SASL_SSL",
        ssl_context=ssl.create_default_context(cafile=ca), sasl_mechanism="SCRAM-SHA-512",
        sasl_plain_username="alice", sasl_plain_password=password)
    await producer.start()
    for _ in range(records):
        await producer.send_and_wait(topic, b"record")
    await producer.stop()
asyncio.run(main())
""",
}
"""Clients that know the broker's own address and speak TLS, by library."""


class LedClients:
    """Clients that know the broker's own address and speak TLS, and interceptors that lead them to a gateway."""

    def __init__(self, gateways: Gateways, folder: Path) -> None:
        self._gateways = gateways
        self._way = next(one for one in WAYS if one.name == "PLAINTEXT_TO_SCRAM_512")
        self.servers = gateways.broker.bootstrap_of(self._way.listener)
        authorities = gateways.broker.certificates
        assert authorities is not None
        self.sign_in = SignIn("alice", CANARY, "SCRAM-SHA-512", authorities.ca_file, None)
        settings = folder / "interceptors.json"
        through = {
            "bootstrap_servers": gateways.running[self._way.name].bootstrap,
            "addresses": [self.servers],
            "protocols": {"SASL_PLAINTEXT": "SASL_PLAINTEXT", "SASL_SSL": "SASL_PLAINTEXT"},
        }
        [_, least] = vectors("interceptor_settings", "valid")
        settings.write_text(json.dumps(least["settings"] | {"suspend": False, "through_observer": through}))
        self.environment = {SETTINGS_VARIABLE: str(settings)}

    def seen(self, topic: str) -> int:
        """Records that the gateway told of."""
        rows = self._gateways.told(self._way, kind="partition", api="Produce", topic=topic, principal="User:alice")
        return sum(row["records"] for row in rows)


@pytest.mark.parametrize("library", PROGRAMS)
def test_clients_in_python_with_tls_are_seen_by_the_observer_that_interceptors_lead_them_to(
    gateways: Gateways, library: str, tmp_path: Path
) -> None:
    clients, topic = LedClients(gateways, tmp_path), f"led.{library}"
    given = {"servers": clients.servers, "ca": str(clients.sign_in.ca_file), "password": CANARY}
    values = {**given, "records": RECORDS, "topic": topic}
    names = "\n".join(f"{name} = {value!r}" for name, value in values.items())

    folder = injected_folder(tmp_path / "python")
    done = run_program(names + PROGRAMS[library], folder, environment=clients.environment)

    assert done.returncode == 0, done.stderr
    eventually(lambda: clients.seen(topic), lambda now: now == RECORDS)


def test_kafkas_own_client_with_tls_is_seen_by_the_observer_that_interceptors_lead_it_to(
    gateways: Gateways, tmp_path: Path
) -> None:
    clients, topic = LedClients(gateways, tmp_path), "led.java"
    properties = clients.sign_in.java(tmp_path)
    size = ["--num-records", f"{RECORDS}", "--record-size", "10", "--throughput", "-1"]
    command = ["--topic", topic, *size, "--bootstrap-server", clients.servers, "--command-config", str(properties)]
    agent = {"JAVA_TOOL_OPTIONS": f"-javaagent:{java_interceptors()}"}

    with Tool("ProducerPerformance", *command, environment=clients.environment | agent) as java:
        assert f"{RECORDS} records sent" in java.ended()

    eventually(lambda: clients.seen(topic), lambda now: now == RECORDS)


def test_no_secret_is_told_to_anybody(gateways: Gateways) -> None:
    text = gateways.text()
    assert "User:alice" in text
    secrets = [CANARY, base64.b64encode(CANARY.encode()).decode().rstrip("="), "eyJ"]
    certificate = gateways.sign_ins["MUTUAL_TLS_TO_PLAIN"].certificate
    assert certificate is not None
    keys = [file.read_text() for file in (gateways.files.key, certificate[1])]
    assert [secret for secret in (*secrets, *(key.splitlines()[1] for key in keys)) if secret in text] == []


def test_a_wrong_authority_is_named_with_its_file(gateways: Gateways) -> None:
    authorities = gateways.broker.certificates
    assert authorities is not None
    wrong = authorities.other_ca_file
    way = Way("WRONG_AUTHORITY", Listener.SSL, tls=False)
    with gateways.observer(way, ca_file=wrong, events_ca=wrong) as running:
        assert send(running, list_groups(1)) == b""
        [broker] = eventually(lambda: logged(running, "A client was closed because no broker could be reached"))
        [collector] = eventually(lambda: logged(running, "The collector takes nothing; it is tried again"))

    for line, host in ((broker, gateways.broker.bootstrap_of(Listener.SSL)), (collector, "127.0.0.1")):
        assert host in line["reason"]
        assert str(wrong) in line["reason"]
        assert "UnknownIssuer" in line["reason"]


@pytest.mark.parametrize(
    ("listener", "message"),
    [
        (Listener.MTLS, "A client was closed because the broker ended TLS"),
        (Listener.MTLS_TLS12, "A client was closed because no broker could be reached"),
    ],
    ids=["TLS 1.3", "TLS 1.2"],
)
def test_a_broker_that_requires_certificates_is_named_and_counted(
    gateways: Gateways, listener: Listener, message: str
) -> None:
    way = Way(f"TO_{listener.value}", listener, tls=False)
    with gateways.observer(way) as running:
        seen = len(gateways.events.heads)
        assert send(running, list_groups(1)) == b""
        [line] = eventually(lambda: logged(running, message))
        assert "requires a client certificate" in line["reason"]
        sample = 'kwitness_observer_unserved_total{mechanism="client_certificate"}'
        assert running.metrics()[sample] == 1
        told = {"client_certificate": 1}
        eventually(lambda: any(head.state.unserved == told for head in gateways.events.heads[seen:]))


@pytest.mark.parametrize("mechanism", ["GSSAPI", "AWS_MSK_IAM"])
def test_a_mechanism_that_signs_the_brokers_name_is_named_and_counted(gateways: Gateways, mechanism: str) -> None:
    running = gateways.running["PLAINTEXT_TO_SCRAM_512"]
    name = mechanism.encode()
    body = struct.pack(">hhih", 17, 1, 1, -1) + struct.pack(">h", len(name)) + name

    answer = send(running, struct.pack(">i", len(body)) + body)

    refused = 33
    assert struct.unpack(">ih", answer[4:10]) == (1, refused)
    sample = f'kwitness_observer_unserved_total{{mechanism="{mechanism}"}}'
    assert eventually(lambda: running.metrics().get(sample)) == 1
    assert logged(running, "A client is likely to fail to sign in")


@pytest.mark.parametrize(
    "way", [way for way in WAYS if way.mechanism in ("PLAIN", "SCRAM-SHA-512")], ids=lambda way: way.name
)
def test_a_refused_sign_in_is_an_error_of_its_client(gateways: Gateways, way: Way) -> None:
    refused: list[KafkaError] = []
    settings = {"bootstrap.servers": gateways.running[way.name].bootstrap, "client.id": "refused"}
    sign_in = replace(gateways.sign_ins[way.name], password="no-password-of-alice")
    producer = Producer({**settings, **sign_in.librdkafka(), "error_cb": refused.append})

    def attempts() -> int:
        producer.poll(0)
        return sum(error.code() == KafkaError._AUTHENTICATION for error in refused)

    attempted = eventually(attempts, lambda count: count >= 2)
    producer.close()

    def counted() -> int:
        rows = gateways.told(way, kind="api", api="SaslAuthenticate", client_id="refused")
        return sum(row["errors"].get("58", 0) for row in rows)

    eventually(counted, lambda count: count >= attempted)
    parts = [part for head in list(gateways.events.heads) for part in head.totals]
    totals = [entry for part in parts for entry in part.apis if entry.client_id == "refused" and "58" in entry.errors]
    assert {(entry.api, entry.principal) for entry in totals} == {("SaslAuthenticate", None)}
