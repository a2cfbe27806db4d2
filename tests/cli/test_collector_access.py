"""A collector that asks a real API server whose tokens it gets, and is asked by whoever may have a reader's."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import requests

from kwitness.answers.access.cluster_access import ClusterAccess, connect
from kwitness.answers.access.collector_access import CollectorAccess, CollectorRefusedError
from kwitness.answers.access.kubernetes_route import KubernetesRoute
from kwitness.answers.access.pod_route import PodRoute
from kwitness.answers.access.serving_collector import find_cluster, find_collector
from kwitness.answers.failure import CommandFailedError, NotPermittedError
from kwitness.cli.options import Options
from kwitness.contracts.audiences import inventory_audience
from kwitness.contracts.endpoints import CLIENTS_PATH, CLUSTER_PATH, MAX_QUESTION
from kwitness.contracts.envelopes import ClientPage, ClusterState
from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.certificates import Authority
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import wait_for_exit

from tests.cli.command import Person
from tests.cli.conftest import account, cluster, role
from tests.eventually import eventually

pytestmark = pytest.mark.slow
ID = "cluster-one"
AS_IN_A_POD = """
import runpy, sys
from pathlib import Path
from kwitness.collector.ingest import token_review
token_review.TokenReviewer.__init__.__defaults__ = (Path(sys.argv.pop(1)),)
runpy.run_module("kwitness.collector", run_name="__main__", alter_sys=True)
"""
"""A pod has its service account's token at a fixed place, which is not this machine's to write to."""


class Running(NamedTuple):
    """A collector process, and who signed its certificate."""

    namespace: str
    address: str
    authority: str


@pytest.fixture(scope="module")
def collector(api: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The collector `main`, with TLS, which `reader` may read."""
    folder, namespace = tmp_path_factory.mktemp("collector"), "cli-collector"
    authority = Authority("test")
    issued = authority.issue("collector", [f"kwitness-collector-main.{namespace}.svc"])
    [server] = json.loads(api.kubeconfig.read_text())["clusters"]
    files = {
        "tls.crt": issued.certificate,
        "tls.key": issued.key,
        "token": "administrator",
        "ca.crt": Path(server["cluster"]["certificate-authority"]).read_text(),
        "subscriptions.json": '{"subscriptions": []}',
        "config.json": json.dumps(
            {
                "cluster_id": ID,
                "namespace": namespace,
                "name": "main",
                "kafka": {"bootstrap_servers": ["127.0.0.1:1"]},
                "state_dir": str(folder / "state"),
                "ingest": {
                    "tls_cert_file": str(folder / "tls.crt"),
                    "tls_key_file": str(folder / "tls.key"),
                    "readers": [{"namespace": namespace, "service_account": "reader"}],
                },
            }
        ),
    }
    for name, content in files.items():
        (folder / name).write_text(content)
    port, probes = free_port(), free_port()
    ports = {"port": port, "metrics-port": probes, "otlp-http-port": free_port(), "otlp-grpc-port": free_port()}
    options = [f"--{name}={value}" for name, value in ports.items()]
    options += ["--host=127.0.0.1", f"--config={folder / 'config.json'}", f"--api-server={api.url}"]
    options += ["--pod-name=kwitness-collector-main-0", f"--token-file={folder / 'token'}"]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen([sys.executable, "-c", AS_IN_A_POD, str(folder), *options], stdout=log, stderr=log)
    try:
        eventually(lambda: _is_ready(probes))
        api.objects.apply(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
            account("reader", namespace),
            account("stranger", namespace),
            cluster("orders", namespace),
        )
        yield Running(namespace, f"127.0.0.1:{port}", authority.certificate)
    finally:
        process.send_signal(signal.SIGTERM)
        wait_for_exit(process)
    assert "Traceback" not in (folder / "log").read_text()


def _is_ready(port: int) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{port}/readyz", timeout=1).ok
    except requests.RequestException:
        return False


def resource(namespace: str, name: str = "main", *readers: str, **spec: Any) -> dict[str, Any]:
    listed = [{"serviceAccount": one} for one in readers]
    tls = {"secretRef": {"name": "kwitness-tls"}, "caConfigMapRef": {"name": "kwitness-authority"}}
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "TelemetryCollector",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterRef": {"name": "orders"}, "ingest": {"tls": tls, "readers": listed}, **spec},
    }


def authority_map(namespace: str, certificate: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kwitness-authority", "namespace": namespace},
        "data": {"ca.crt": certificate},
    }


@pytest.fixture
def installed(api: ApiServer, collector: Running) -> Iterator[Running]:
    """Its resources, as they should be; gone after the test."""
    api.objects.apply(
        resource(collector.namespace, "main", "reader"), authority_map(collector.namespace, collector.authority)
    )
    yield collector
    api.objects.delete("TelemetryCollector", "main", namespace=collector.namespace)


@pytest.fixture
def access(person: Person, collector: Running) -> ClusterAccess:
    return connect(Options(kubeconfig=person.kubeconfig, namespace=collector.namespace))


def ask(access: ClusterAccess, address: str | None) -> ClientPage:
    serving = find_collector(access, find_cluster(access, None))
    with CollectorAccess(KubernetesRoute(access, serving, address)) as asked:
        return asked.get(CLIENTS_PATH, ClientPage, limit=5, client_id=None)


def test_a_readers_token_is_asked_for_and_the_certificate_is_checked(access, installed):
    assert ask(access, installed.address).items == ()


def test_what_the_collector_refuses_is_said_in_its_words(access, installed):
    serving = find_collector(access, find_cluster(access, "orders"))
    with CollectorAccess(KubernetesRoute(access, serving, installed.address)) as asked:
        with pytest.raises(CollectorRefusedError, match="collector main: ") as refused:
            asked.get(CLUSTER_PATH.format(cluster_id="another"), ClusterState)
        with pytest.raises(CollectorRefusedError, match="limit must be a number from 1 to"):
            asked.get(CLIENTS_PATH, ClientPage, limit=100_000)
        assert asked.get(CLIENTS_PATH, ClientPage).items == ()
    assert refused.value.answered == 404


def test_an_answer_of_another_release_is_not_believed(access, installed):
    serving = find_collector(access, find_cluster(access, None))
    with (
        CollectorAccess(KubernetesRoute(access, serving, installed.address)) as asked,
        pytest.raises(CommandFailedError, match="is not as this release of kwitness has it"),
    ):
        asked.get(CLIENTS_PATH, ClusterState)


def test_a_connection_that_was_closed_meanwhile_is_opened_again(access, installed):
    serving = find_collector(access, find_cluster(access, None))
    with CollectorAccess(KubernetesRoute(access, serving, installed.address)) as asked:
        asked.get(CLIENTS_PATH, ClientPage)
        assert asked._connection is not None
        asked._connection.sock.shutdown(2)
        assert asked.get(CLIENTS_PATH, ClientPage).items == ()


def test_a_connection_that_ends_with_an_answer_is_opened_again(access, installed):
    serving = find_collector(access, find_cluster(access, None))
    with CollectorAccess(KubernetesRoute(access, serving, installed.address)) as collector_access:
        status, _ = collector_access._send(f"{CLIENTS_PATH}?client_id={'x' * 2 * MAX_QUESTION}")
        assert status == 400
        assert collector_access.get(CLIENTS_PATH, ClientPage).items == ()


def test_a_certificate_of_somebody_else_gets_no_token(access, api, installed):
    api.objects.apply(authority_map(installed.namespace, Authority("other").certificate))

    with pytest.raises(
        CommandFailedError, match=r"is not accepted by ConfigMap kwitness-authority \(.*verify|certificate"
    ):
        ask(access, installed.address)


@pytest.mark.parametrize(
    ("content", "said"), [("", "has no ca.crt: add it"), ("no certificate", "holds no PEM certificate")]
)
def test_an_authority_that_is_none_is_named(access, api, installed, content, said):
    api.objects.apply(authority_map(installed.namespace, content))

    with pytest.raises(CommandFailedError, match=said):
        ask(access, installed.address)


def test_without_readers_it_says_how_to_name_one_and_that_works(access, api, installed):
    api.objects.delete("TelemetryCollector", "main", namespace=installed.namespace)
    api.objects.apply(resource(installed.namespace))
    with pytest.raises(CommandFailedError, match="names nobody who may read") as refused:
        ask(access, installed.address)
    lines = [line.strip() for line in str(refused.value).splitlines() if line.strip().startswith("kubectl")]

    created, patched = (line.split(maxsplit=1)[1] for line in lines)
    api.kubectl(*created.split())
    words, _, patch = patched.partition("--patch ")
    api.kubectl(*words.split(), "--patch", patch.strip("'"))
    # The collector of this test was not told, as the operator would: the token is good, and its account no reader.
    with pytest.raises(CollectorRefusedError, match=r"is neither in spec\.ingest.senders nor spec\.ingest\.readers"):
        ask(access, installed.address)


def test_readers_that_do_not_exist_are_named(access, api, installed):
    api.objects.apply(resource(installed.namespace, "main", "gone"))

    with pytest.raises(CommandFailedError, match=rf"do not exist \({installed.namespace}/gone\)"):
        ask(access, installed.address)


def test_a_token_that_may_not_be_had_is_refused_with_what_grants_it(api, installed, namespace, newcomer):
    rules = {
        "kafkaclusters.kwitness.dev": "list",
        "telemetrycollectors.kwitness.dev": "list",
        "configmaps": "get",
    }
    for what, verb in rules.items():
        grant(api, installed.namespace, verb, what, f"{namespace}:newcomer")
    theirs = connect(Options(kubeconfig=newcomer.kubeconfig, namespace=installed.namespace))
    needed = "may not create serviceaccounts/token reader"
    refused = eventually(lambda: refusal(theirs, installed.address), lambda said: needed in said)
    for line in refused.splitlines():
        if line.strip().startswith("kubectl"):
            api.kubectl(*line.split()[1:])

    # What is said of permissions takes effect a moment later.
    assert eventually(lambda: refusal(theirs, installed.address), lambda said: said == "") == ""
    with pytest.raises(NotPermittedError, match=r"may not (get|create) pods/portforward") as no_port:
        ask(theirs, None)
    assert "--resource=pods/portforward" in str(no_port.value)


def refusal(access: ClusterAccess, address: str) -> str:
    try:
        ask(access, address)
    except NotPermittedError as error:
        return str(error)
    return ""


def grant(api: ApiServer, namespace: str, verb: str, what: str, subject: str) -> None:
    plural, _, group = what.partition(".")
    rule = {"apiGroups": [group], "resources": [plural], "verbs": [verb]}
    api.objects.apply(*role(f"test-{verb}-{plural}", namespace, rule, subject))


def test_a_pod_that_does_not_run_is_named(access, installed):
    with pytest.raises(CommandFailedError, match=r"no port of kwitness-collector-main-0 .*not found") as failed:
        ask(access, None)
    assert "--collector-address" in str(failed.value)


@pytest.mark.parametrize("address", ["8443", "localhost:", "localhost:http"])
def test_an_address_that_is_none_is_refused(access, installed, address):
    with pytest.raises(CommandFailedError, match="is no address such as"):
        ask(access, address)


def test_a_collector_that_is_away_is_named(access, installed):
    with pytest.raises(CommandFailedError, match="collector main does not answer"):
        ask(access, f"127.0.0.1:{free_port()}")


def test_the_collector_that_comes_first_is_asked_and_none_or_a_suspended_one_is_named(access, api, collector):
    with pytest.raises(CommandFailedError, match=r"no TelemetryCollector of namespace \S+ acts for"):
        ask(access, collector.address)
    api.objects.apply(
        resource(collector.namespace, "main", suspend=True), resource(collector.namespace, "zero", priority=1)
    )
    first = find_collector(access, find_cluster(access, None))
    api.objects.delete("TelemetryCollector", "zero", namespace=collector.namespace)

    assert first.metadata.name == "zero"
    with pytest.raises(CommandFailedError, match="main is suspended, so nobody answers"):
        ask(access, collector.address)
    api.objects.delete("TelemetryCollector", "main", namespace=collector.namespace)


@pytest.fixture
def token_file(access, installed, tmp_path):
    """The projected token of the pod's account, as the kubelet mounts it."""
    file = tmp_path / "token"
    file.write_text(mounted(access, installed))
    return file


def mounted(access: ClusterAccess, place: Running, name: str = "main") -> str:
    issued = access.token("reader", place.namespace, inventory_audience(place.namespace, name))
    assert issued is not None
    return issued


def test_a_pod_reads_the_collector_of_its_kafka_cluster_with_its_mounted_token(access, installed, token_file):
    route = PodRoute(access, (installed.namespace, "orders"), token_file, installed.address)

    with CollectorAccess(route) as reading:
        assert reading.name == "of KafkaCluster orders"
        assert reading.get(CLIENTS_PATH, ClientPage).items == ()
        assert reading.name == "main"


def test_a_mounted_token_of_another_collector_is_not_sent(access, installed, token_file):
    token_file.write_text(mounted(access, installed, "other"))
    route = PodRoute(access, (installed.namespace, "orders"), token_file, installed.address)

    with CollectorAccess(route) as reading, pytest.raises(CommandFailedError) as refused:
        reading.get(CLIENTS_PATH, ClientPage)

    assert f"is not for the audience kwitness-inventory.{installed.namespace}.main" in str(refused.value)
    assert "name this collector in the Helm values console.collector" in str(refused.value)


def test_what_a_pod_lacks_is_named_and_it_goes_on_once_that_is_there(access, api, installed, tmp_path):
    file = tmp_path / "later"
    route = PodRoute(access, (installed.namespace, "orders"), file, installed.address)
    nowhere = PodRoute(access, (installed.namespace, "absent"), file, installed.address)

    with CollectorAccess(nowhere) as reading, pytest.raises(CommandFailedError, match=r"values console\.kafkaCluster"):
        reading.get(CLIENTS_PATH, ClientPage)
    with CollectorAccess(route) as reading:
        with pytest.raises(CommandFailedError, match=r"later cannot be read .*: mount a projected token for"):
            reading.get(CLIENTS_PATH, ClientPage)
        api.objects.delete("TelemetryCollector", "main", namespace=installed.namespace)
        reading.close()
        with pytest.raises(CommandFailedError, match=r"no TelemetryCollector of namespace \S+ acts for"):
            reading.get(CLIENTS_PATH, ClientPage)
        api.objects.apply(resource(installed.namespace, "main", "reader"))
        file.write_text(mounted(access, installed))
        assert reading.get(CLIENTS_PATH, ClientPage).items == ()
