"""Starts the console as a pod runs it, signs people in, and ends it."""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from kwitness.answers.access.cluster_access import connect
from kwitness.answers.access.options import AccessOptions
from kwitness.answers.failure import NotPermittedError
from kwitness.answers.permissions import Permission
from kwitness.contracts.own_metrics import OWN_METRICS
from kwitness.contracts.resources import KINDS
from kwitness.e2e.api_server import ApiServer
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import wait_for_exit

from tests.cli.reviewed_collector import ReviewedCollector
from tests.collector.collector_process import CollectorProcess
from tests.console.cluster_console import Accounts
from tests.console.console_pod import ACCOUNT, ConsolePod
from tests.console.open_console import figure
from tests.console.table_samples import OLD, seen, write_table
from tests.eventually import eventually

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(api: ApiServer) -> tuple[str, int]:
    """Namespace and port of all pods, of which one runs at a time."""
    name = f"console-{os.getpid()}"
    api.objects.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return name, free_port()


@pytest.fixture
def pod(api: ApiServer, place: tuple[str, int], fleet: CollectorProcess, tmp_path: Path) -> Iterator[ConsolePod]:
    """A pod over the fleet, which is not started yet."""
    namespace, port = place
    with ReviewedCollector(api, fleet, namespace, reader=f"{namespace}:{ACCOUNT}") as collector:
        found = ConsolePod(api, namespace, port, tmp_path, collector.address)
        yield found
        if found.process is not None and found.process.poll() is None:
            found.stop()
        found.remove_jobs()


def test_a_person_signs_in_and_sees_the_fleet_until_the_pod_ends(pod: ConsolePod, accounts: Accounts) -> None:
    pod.start().await_pages()
    with pod.browser() as browser:
        assert browser.get(f"{pod.address}/", timeout=30).status_code == 401
        assert pod.sign_in(browser, accounts.token("platform")).status_code == 303
        page = eventually(lambda: browser.get(f"{pod.address}/", timeout=30).text, lambda text: "User:checkout" in text)
        assert browser.get(f"{pod.address}/topics/orders", timeout=30).status_code == 200
        assert browser.get(f"{pod.address}/nowhere", timeout=30).status_code == 404
    assert figure(page, "pushing") == "4"

    samples = pod.metrics()
    assert samples['kwitness_console_requests_total{code="401",page="/"}'] == 1
    assert samples['kwitness_console_requests_total{code="200",page="/topics/{name}"}'] == 1
    assert samples['kwitness_console_requests_total{code="404",page="other"}'] == 1
    assert samples['kwitness_console_source_state{source="clients",state="complete"}'] == 1
    assert samples['kwitness_console_source_read_seconds{source="clients"}'] > 1e9
    own = {metric.name for metric in OWN_METRICS if "console" in metric.source.split(", ")}
    named = {name.partition("{")[0] for name in samples}
    assert {name for name in own if not any(sample.startswith(name) for sample in named)} == set()

    assert pod.stop() == 0
    log = pod.log.read_text()
    assert '"Stopping"' in log
    assert '"WARNING"' not in log
    assert '"ERROR"' not in log


def test_tables_are_found_by_jobs_and_in_the_folder_and_their_rows_shown_by_namespace(
    pod: ConsolePod, accounts: Accounts, tmp_path: Path
) -> None:
    rows = [seen(client_id=f"{place}-till", k8s_namespace=place, **OLD) for place in ("red", "blue")]
    pod.add_upgrade_job("upgrade", f"file://{write_table(tmp_path / 'elsewhere', 'UpgradeImpact', rows)}")
    write_table(tmp_path / "claim", "UpgradeImpact", rows[:1], name="kept")
    pod.start(tables=str(tmp_path / "claim")).await_pages()

    job = f"{pod.namespace}/upgrade"
    pages = {}
    for person, last in (("platform", "blue-till"), ("red-team", "red-till")):
        with pod.browser() as browser:
            pod.sign_in(browser, accounts.token(person))
            address = f"{pod.address}/upgrades?target=4.0&job={job}"
            pages[person] = eventually(
                lambda: browser.get(address, timeout=30).text,  # noqa: B023 - called in this turn
                lambda text: last in text,  # noqa: B023
            )

    assert all(f'<option value="{job}" selected' in page for page in pages.values())
    assert "red-till" in pages["platform"]
    assert '<option value="kept"' in pages["platform"]
    assert "blue-till" not in pages["red-team"]


def test_the_rights_of_the_chart_read_our_resources_and_neither_secrets_nor_tokens(pod: ConsolePod) -> None:
    access = connect(AccessOptions(kubeconfig=pod.kubeconfig(), namespace=pod.namespace))

    for kind in KINDS:
        eventually(lambda kind=kind: access.items(kind.kind, None) is not None, passing=(NotPermittedError,))
    for path in ("secrets", "pods", "configmaps"):
        with pytest.raises(NotPermittedError):
            access.request("GET", f"/api/v1/namespaces/{pod.namespace}/{path}", Permission("list", path, pod.namespace))
    with pytest.raises(NotPermittedError):
        access.token(ACCOUNT, pod.namespace, "any")
    with pytest.raises(NotPermittedError):
        access.delete("KafkaCluster", "orders", pod.namespace)


def test_a_renewed_certificate_is_used(pod: ConsolePod) -> None:
    pod.start().await_pages()

    renewed = pod.renew_certificate()

    eventually(lambda: ssl.get_server_certificate(("127.0.0.1", pod.port)), lambda shown: shown == renewed)


def test_a_pod_whose_collector_hangs_shows_it_and_ends_at_once(pod: ConsolePod, accounts: Accounts) -> None:
    with socket.create_server(("127.0.0.1", 0)) as hangs:
        pod.start(collectorAddress=f"127.0.0.1:{hangs.getsockname()[1]}").await_pages()
        with pod.browser() as browser:
            assert pod.sign_in(browser, accounts.token("platform")).status_code == 303
            assert browser.get(f"{pod.address}/", timeout=30).status_code == 200

        assert pod.stop() == 0


def test_a_token_for_another_collector_is_shown_with_the_value_to_correct(pod: ConsolePod, accounts: Accounts) -> None:
    pod.settings["tokenFile"] = str(pod.folder / "other")
    (pod.folder / "other").write_text("no.token.here")
    pod.start().await_pages()

    with pod.browser() as browser:
        pod.sign_in(browser, accounts.token("platform"))
        eventually(
            lambda: browser.get(f"{pod.address}/", timeout=30).text,
            lambda text: "name this collector in the Helm values console.collector" in text,
        )


def test_plaintext_is_served_where_the_settings_say_so(pod: ConsolePod) -> None:
    pod.start(tls={"plaintext": True}).await_pages()

    answer = requests.get(
        f"http://127.0.0.1:{pod.port}/", headers={"Host": pod.address.partition("://")[2]}, timeout=30
    )

    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"signIn": None}, "signIn: Input should be"),
        ({"tls": {}}, "plaintext: true where a proxy ends TLS"),
        ({"tls": {"certificateFile": "/c", "plaintext": True}}, "give both certificateFile and keyFile"),
    ],
)
def test_it_does_not_start_with_wrong_settings(pod: ConsolePod, settings: dict[str, object], reason: str) -> None:
    process = pod.start(**settings).process
    assert process is not None

    assert wait_for_exit(process) == 2
    assert reason in pod.log.read_text()
