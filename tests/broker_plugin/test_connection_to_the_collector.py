"""TLS and tokens between plugin and collector, both followed when their files change; balancing over addresses."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kwitness.e2e.kafka.certificates import KafkaCertificates, make_certificates
from kwitness.e2e.recording_collector import Behaviour, RecordingCollector
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.subscription import subscribe

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def certificates(tmp_path_factory) -> KafkaCertificates:
    return make_certificates(tmp_path_factory.mktemp("tls"), hosts=("localhost", "127.0.0.1", "collector.test"))


def _tls_collector(certificates: KafkaCertificates, **options: object) -> RecordingCollector:
    return RecordingCollector(
        certificate=certificates.server_certificate,
        key=certificates.server_key,
        **options,  # type: ignore[arg-type]
    )


def test_a_rotated_token_is_picked_up_and_nothing_is_lost(plugin_broker, librdkafka_producer, certificates, tmp_path):
    token = tmp_path / "token"
    token.write_text("token-one\n")
    with _tls_collector(certificates) as collector:
        collector.behaviour = Behaviour(token="token-one")
        overrides = {
            "kwitness.collector.token.file": str(token),
            "kwitness.collector.ca.file": str(certificates.ca_file),
            "kwitness.collector.insecure.plaintext": "false",
        }
        with plugin_broker(collector, overrides=overrides) as broker:
            subscribe(broker.bootstrap, "kwitness.test", interval_ms=100)
            with librdkafka_producer(broker.bootstrap, "secret"):
                collector.wait_for(collector.pushes, what="a push with the first token")
                collector.behaviour = Behaviour(token="token-two")
                collector.wait_for(
                    lambda: 401 in {r.status for r in collector.requests("/v1/pushes")}, what="a refused token"
                )
                token.write_text("token-two\n")
                seen = len(collector.pushes())
                collector.wait_for(lambda: len(collector.pushes()) > seen, what="a push with the second token")
            numbers = [push["seq"] for push in collector.pushes()]
            assert numbers == list(range(1, len(numbers) + 1))
            assert "token-one" not in broker.logs()


def test_an_authority_that_did_not_sign_gets_nothing_until_the_file_names_the_right_one(
    plugin_broker, librdkafka_producer, certificates, tmp_path
):
    ca_file = tmp_path / "ca.crt"
    shutil.copy(certificates.other_ca_file, ca_file)
    with _tls_collector(certificates) as collector:
        with plugin_broker(collector, overrides={"kwitness.collector.ca.file": str(ca_file)}) as broker:
            subscribe(broker.bootstrap, "kwitness.test", interval_ms=100)
            with librdkafka_producer(broker.bootstrap, "careful"):
                _wait_for_log(collector, broker.log_file, "SSLHandshakeException")
                assert not collector.requests()
                shutil.copy(certificates.ca_file, ca_file)
                first = collector.wait_for(collector.pushes, what="a push after the change")[0]
        assert first["seq"] == 1


def test_a_certificate_for_another_host_gets_nothing(plugin_broker, certificates, tmp_path):
    elsewhere = make_certificates(tmp_path / "elsewhere", hosts=("elsewhere.test",))
    with _tls_collector(elsewhere) as collector:
        with plugin_broker(collector, overrides={"kwitness.collector.ca.file": str(elsewhere.ca_file)}) as broker:
            _wait_for_log(collector, broker.log_file, "did not accept the connection gauges")
        assert not collector.requests()


def test_clients_are_spread_over_the_addresses_of_one_name(
    plugin_broker, librdkafka_producer, java_client, certificates, tmp_path
):
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.1 collector.test\n127.0.0.2 collector.test\n")
    port = free_port()
    options = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", f"-Djdk.net.hosts.file={hosts}")
    overrides = {
        "kwitness.collector.url": f"https://collector.test:{port}",
        "kwitness.collector.ca.file": str(certificates.ca_file),
        "kwitness.collector.balance": "client",
    }
    with (
        _tls_collector(certificates, port=port) as one,
        _tls_collector(certificates, port=port, host="127.0.0.2") as two,
        plugin_broker(None, overrides=overrides, jvm_options=options) as broker,
    ):
        subscribe(broker.bootstrap, "kwitness.test", interval_ms=100)
        running = []
        try:
            while not (one.pushes() and two.pushes()) and len(running) < 20:
                running.append(librdkafka_producer(broker.bootstrap, f"client-{len(running)}"))
                running[-1].__enter__()
                name = f"client-{len(running) - 1}"
                one.wait_for(
                    lambda name=name: name in {p["client_id"] for p in one.pushes() + two.pushes()}, what="a push"
                )
            assert one.pushes()
            assert two.pushes()
        finally:
            for producer in running:
                producer.__exit__(None, None, None)
        instances = [{push["client_instance_id"] for push in collector.pushes()} for collector in (one, two)]
        assert not instances[0] & instances[1]
        for collector in (one, two):
            for instance in {push["client_instance_id"] for push in collector.pushes()}:
                numbers = [push["seq"] for push in collector.pushes() if push["client_instance_id"] == instance]
                assert numbers == sorted(set(numbers))


def _wait_for_log(collector: RecordingCollector, log: Path, text: str) -> None:
    collector.wait_for(lambda: text in log.read_text(errors="replace"), what=f"the log line {text!r}")
