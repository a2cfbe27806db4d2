"""Shows what checks find about an installation in a real API server, as `kwitness doctor` finds it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kwitness.answers.access.cluster_access import ClusterAccess, connect
from kwitness.answers.access.installation_access import look
from kwitness.answers.access.options import AccessOptions
from kwitness.answers.checks.all_checks import look_at
from kwitness.console.index.resource_tables import CHECKED
from kwitness.console.rows.checked import MOST_FINDINGS
from kwitness.e2e.api_server import ApiServer

from tests.cli.command import Person, kubeconfig_with
from tests.cli.conftest import account, cluster, ready, role, token
from tests.collector.collector_process import CollectorProcess
from tests.console.conftest import over_kubernetes
from tests.console.fleet_samples import HOSTILE
from tests.console.open_console import OpenConsole, cells, figure, in_thread, lines

WELL = {"check": "Definitions", "severity": "ok", "subject": "all", "message": "8 definitions are of this release"}


def found(console: OpenConsole, *findings: dict[str, Any]) -> None:
    """Have the index know these findings."""
    rows = [{"place": place, "remedy": "", **finding} for place, finding in enumerate(findings)]
    console.console._database.write(CHECKED.filled(json.dumps(rows)))


def test_a_collector_without_permission_to_reach_it_is_no_error(api: ApiServer, namespace: str, tmp_path: Path) -> None:
    ingest = {"tls": {"mode": "Disabled"}, "readers": [{"serviceAccount": "reader"}]}
    collector = {
        "spec": {"clusterRef": {"name": "orders"}, "ingest": ingest},
        "metadata": {"name": "main", "namespace": namespace},
    }
    api.objects.apply(
        cluster("orders", namespace),
        {"apiVersion": "kwitness.dev/v1beta1", "kind": "TelemetryCollector", **collector},
        account("viewer", namespace),
    )
    api.objects.patch("KafkaCluster", "orders", namespace, {"status": {"clusterId": "c1"}}, subresource="status")
    rule = {"apiGroups": ["kwitness.dev"], "resources": ["*"], "verbs": ["get", "list"]}
    api.objects.apply(*role("viewer", namespace, rule, f"{namespace}:viewer"))
    kubeconfig = kubeconfig_with(api, tmp_path / "viewer", token(api, "viewer", namespace))

    facts = look(connect(AccessOptions(kubeconfig=kubeconfig, namespace=namespace)), None, everywhere=True)

    [finding] = [finding for finding in look_at(facts) if finding.check == "Looking"]
    assert finding.subject == f"TelemetryCollector {namespace}/main"
    assert finding.severity == "warning"
    assert "may not get pods/portforward" in finding.message
    assert not [finding for finding in look_at(facts) if finding.check == "Collectors"]

    access = connect(AccessOptions(kubeconfig=kubeconfig, namespace=namespace))
    of_a_pod = look_at(look(access, None, everywhere=True, by_person=False))
    [finding] = [finding for finding in of_a_pod if "may not" in finding.message or finding.check == "Looking"]
    assert finding.severity == "note"
    assert finding.message.startswith("CustomResourceDefinitions, the Deployments of operator and injector, Telem")
    assert "kwitness doctor" in finding.remedy


async def test_findings_are_those_of_the_command_the_worst_first(
    api: ApiServer, access: ClusterAccess, namespace: str, fleet: CollectorProcess, tmp_path: Path
) -> None:
    api.objects.apply(cluster("orders", namespace), cluster("returns", namespace))
    status = {"conditions": ready("False", "Unreachable", "no broker answers")}
    api.objects.patch("KafkaCluster", "orders", namespace, {"status": status}, subresource="status")
    other = {"status": {"clusterId": "another"}}
    api.objects.patch("KafkaCluster", "returns", namespace, other, subresource="status")
    async with over_kubernetes(fleet, access) as console:
        assert "other-clusters" not in await console.get("/")
        await console.read("installation", "traffic")
        page = await console.get("/doctor")
        assert f"kwitness console --cluster {namespace}/returns</code>" in await console.get("/")

    person = Person(api.kubeconfig, tmp_path)
    ended = await in_thread(person.types, "--namespace", namespace, "doctor", "--output", "json")
    items = [item for item in json.loads(ended.stdout)["items"] if namespace in item["subject"]]
    rows = cells(page)
    shown = {(*row[0].split(), row[1]) for row in rows if namespace in row[1]}
    assert shown == {(item["check"], item["severity"], item["subject"]) for item in items}
    assert {"KafkaCluster"} == {subject.split()[0] for _, _, subject in shown}
    severities = [row[0].split()[1] for row in rows]
    assert severities == sorted(severities, key=["error", "warning", "note", "ok"].index)
    assert int(figure(page, "error")) == severities.count("error") > 0
    assert "no broker answers" in page
    assert "kwitness doctor" in lines(page)


async def test_all_is_well_has_the_number_of_things(access: ClusterAccess, fleet: CollectorProcess) -> None:
    async with over_kubernetes(fleet, access) as console:
        assert "Reading the installation" in await console.get("/doctor")
        found(console, *[WELL] * 12)
        page = await console.get("/doctor")

    assert "<strong>All is well.</strong> 12 things were looked at." in page
    assert figure(page, "ok") == "12"


async def test_more_findings_than_a_page_has_are_counted_and_hostile_texts_are_text(
    access: ClusterAccess, fleet: CollectorProcess
) -> None:
    bad = {"check": "Collectors", "severity": "error", "subject": HOSTILE, "message": f"{HOSTILE} is away"}
    async with over_kubernetes(fleet, access) as console:
        found(console, *[WELL] * MOST_FINDINGS, bad)
        page = await console.get("/doctor")

    assert len(cells(page)) == MOST_FINDINGS
    assert cells(page)[0][0] == "Collectors error"
    assert "And 1 more" in page
    assert "<script>alert" not in page
    assert "All is well" not in page


async def test_an_api_server_that_is_away_is_named(api: ApiServer, fleet: CollectorProcess, tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(api.kubeconfig.read_text().replace(api.url, "https://127.0.0.1:9"))
    async with over_kubernetes(fleet, connect(AccessOptions(kubeconfig=kubeconfig))) as console:
        await console.read("installation")
        page = await console.get("/doctor")

    assert "The installation cannot be read." in page
    assert "127.0.0.1:9 cannot be reached" in page
    assert "The API server has not answered yet" in page


async def test_beside_a_collector_of_this_machine_there_is_no_installation(shared: OpenConsole) -> None:
    assert "There is no Kubernetes here" in await shared.get("/doctor")
