"""The console as a pod of a cluster with all controllers: each person sees what `view` lets that person see."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from kwitness.demo import releases, up
from kwitness.demo.parts import Demo
from kwitness.demo.platform import (
    APPS,
    CLUSTER,
    CONSOLE,
    NAMESPACE,
    SIDECAR_CLIENT,
    SIDECAR_WORKLOAD,
    SUBSCRIPTION,
    Platform,
)
from kwitness.e2e import chart
from kwitness.images.commands import CommandFailedError

from tests.chart.manifests import named
from tests.console.open_console import cells, lines
from tests.console.test_writing import hidden
from tests.console.traffic_samples import AT, moved, write_traffic
from tests.e2e import subscriptions
from tests.e2e.claimed_tables import claimed_table
from tests.e2e.console_person import ConsoleDoor, ConsolePerson, Page, console_door
from tests.e2e.eventually import eventually

pytestmark = pytest.mark.needs(up.sidecars, up.console)

TEAM: Final = "demo-team"
"""The account of the demo, which is bound to `view` in the namespace of the clients and has no other role."""
OF_PLATFORM: Final = "console-test-view"
STRANGER: Final = "console-test-stranger"
ADMINISTRATOR: Final = "console-test-administrator"
CLIENTS_ROLE: Final = "kwitness-kwitness-clients"
RBAC: Final = "rbac.authorization.k8s.io"
ADDED: Final = "added-in-the-console"
LISTS: Final = ("/", "/?by=client", "/topics", "/map", "/subscriptions", "/findings")
"""Pages with rows of more than one namespace."""
PAST_JOB: Final = "console-test-past"
GONE: Final = {APPS: "gone-till", NAMESPACE: "gone-desk"}
"""By its namespace, a client that is in the table alone."""


@pytest.fixture(scope="module")
def door(demo: Demo, platform: Platform, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConsoleDoor]:
    """The console, and accounts of people; afterwards it rests, since nothing else of the suite needs it."""
    objects = platform.cluster.objects
    for account in (OF_PLATFORM, STRANGER, ADMINISTRATOR):
        metadata = {"name": account, "namespace": NAMESPACE}
        objects.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
    objects.apply(
        binding("RoleBinding", "view", OF_PLATFORM), binding("ClusterRoleBinding", "cluster-admin", ADMINISTRATOR)
    )
    try:
        with console_door(platform, tmp_path_factory.mktemp("console")) as opened:
            yield opened
    finally:
        objects.delete("clusterrolebinding", ADMINISTRATOR)
        objects.delete("rolebinding", OF_PLATFORM, namespace=NAMESPACE)
        objects.patch("deployment", CONSOLE, NAMESPACE, {"spec": {"replicas": 0}})
        demo.forget(up.console)


def binding(kind: str, role: str, account: str) -> dict[str, Any]:
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": kind,
        "metadata": {"name": account, **({"namespace": NAMESPACE} if kind == "RoleBinding" else {})},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": NAMESPACE}],
    }


def checked(page: Page) -> dict[str, set[str]]:
    """Severities of the checks of Doctor that do not depend on what other tests did to the platform."""
    found: dict[str, set[str]] = {}
    for first, *_ in cells(page.source):
        check, severity = first.split()
        if check not in {"Ledger", "Resources", "Topics"}:
            found.setdefault(check, set()).add(severity)
    return found


def test_view_in_a_namespace_shows_its_clients_and_nothing_of_another(door: ConsoleDoor) -> None:
    team, of_platform = door.person(TEAM, APPS), door.person(OF_PLATFORM, NAMESPACE)

    fleet = eventually(lambda: team.opens("/"), lambda page: SIDECAR_WORKLOAD in page.text)
    assert "These are clients of your namespaces alone." in fleet.text
    assert f"/subscriptions/{NAMESPACE}/" not in team.opens("/subscriptions").text
    eventually(lambda: of_platform.opens("/subscriptions"), lambda page: f"/{NAMESPACE}/{SUBSCRIPTION}" in page.text)
    for path in LISTS:
        page = of_platform.opens(path)
        assert page.status == 200
        for name in (SIDECAR_WORKLOAD, SIDECAR_CLIENT, APPS):
            assert name not in page.text, path


def test_a_person_without_rights_gets_the_command_that_allows_it(platform: Platform, door: ConsoleDoor) -> None:
    person = door.person(STRANGER, NAMESPACE)

    page = person.opens("/")

    assert page.status == 403
    assert f"system:serviceaccount:{NAMESPACE}:{STRANGER}" in page.text
    [in_one, _] = lines(page.source)
    program, *words = shlex.split(in_one.replace("=NAMESPACE", f"={APPS}"))
    assert program == "kubectl"
    platform.cluster.kubectl(*words)
    try:
        assert SIDECAR_WORKLOAD in eventually(lambda: person.opens("/"), lambda shown: shown.status == 200).text
    finally:
        platform.cluster.objects.delete("rolebinding", words[2], namespace=APPS)


def test_an_administrator_sees_all_and_doctor_raises_no_false_alarm(door: ConsoleDoor) -> None:
    person = door.person(ADMINISTRATOR, NAMESPACE)

    eventually(lambda: person.opens("/"), lambda page: SIDECAR_WORKLOAD in page.text)
    eventually(lambda: person.opens("/topics/demo.orders"), lambda page: SIDECAR_CLIENT in page.text)
    found = eventually(lambda: checked(person.opens("/doctor")))
    assert found["Looking"] == {"note"}
    assert found["Collectors"] == found["Versions"] == {"ok"}
    assert not [check for check, severities in found.items() if severities & {"warning", "error"}]


def test_a_subscription_is_added_and_ended_with_the_token_of_the_person(platform: Platform, door: ConsoleDoor) -> None:
    of_platform, administrator = door.person(OF_PLATFORM, NAMESPACE), door.person(ADMINISTRATOR, NAMESPACE)
    desired = {
        "name": ADDED,
        "namespace": NAMESPACE,
        "cluster": f"{NAMESPACE}/{CLUSTER}",
        "metrics": "org.apache.kafka.producer.",
        "clientId": SIDECAR_CLIENT,
    }

    refused = of_platform.sends("/add-subscription", desired)
    assert (refused.status, f":{OF_PLATFORM} may not " in refused.text) == (403, True)

    preview = administrator.sends("/add-subscription", desired)
    assert "The API server accepts it." in preview.text
    assert subscriptions.found(platform, ADDED) == {}
    try:
        shown = administrator.sends("/add-subscription/apply", hidden(preview.source))
        assert (shown.status, ADDED in shown.text) == (200, True)
        assert subscriptions.reason_becomes(platform, ADDED, "Applied")["status"] == "True"
        named_in_form = {"namespace": NAMESPACE, "name": ADDED}
        assert of_platform.sends("/end-subscription", named_in_form).status == 403

        ending = administrator.sends("/end-subscription", named_in_form)
        assert administrator.sends("/end-subscription/apply", hidden(ending.source)).status == 200
        eventually(lambda: subscriptions.found(platform, ADDED) == {})
    finally:
        platform.cluster.delete(subscriptions.KIND, ADDED, namespace=NAMESPACE)


def test_an_alert_leads_to_the_page_of_its_client(platform: Platform, door: ConsoleDoor) -> None:
    least = [{"clientSoftwareName": "confluent-kafka-python", "version": "99.0.0"}]
    with subscriptions.cluster_with(platform, clientPolicy={"minimumVersions": least}):
        addresses = eventually(
            lambda: console_urls(platform, "KwitnessClientBelowMinimumVersion"),
            lambda found: f"/clients/{SIDECAR_CLIENT}" in found,
        )

    team = door.person(TEAM, APPS)
    for address in addresses:
        page = team.opens(address)
        assert page.status == 200, address
    assert SIDECAR_WORKLOAD in team.opens(f"/clients/{SIDECAR_CLIENT}").text


def console_urls(platform: Platform, alert: str) -> set[str]:
    """Addresses in the console to which active instances of an alert lead; the chart would put its own in front."""
    answer = platform.cluster.http(namespace=NAMESPACE, service="kwitness-prometheus", port=9090, path="/api/v1/alerts")
    alerts = answer["data"]["alerts"]
    return {found["annotations"]["console_url"] for found in alerts if found["labels"]["alertname"] == alert}


def test_a_table_on_the_claim_shows_each_person_the_rows_of_namespaces(
    platform: Platform, door: ConsoleDoor, tmp_path: Path
) -> None:
    rows = [
        moved(client, f"{client}-topic", 360_000, k8s_namespace=namespace, k8s_workload=client)
        for namespace, client in GONE.items()
    ]
    address = f"/?at={AT}&job={NAMESPACE}/{PAST_JOB}"
    people = (
        (door.person(TEAM, APPS), {GONE[APPS]}),
        (door.person(OF_PLATFORM, NAMESPACE), {GONE[NAMESPACE]}),
        (door.person(ADMINISTRATOR, NAMESPACE), {*GONE.values()}),
    )

    with claimed_table(platform, PAST_JOB, lambda folder: write_traffic(folder, rows), tmp_path):
        for person, names in people:
            assert seen_in_table(person, address) == names
        refused = door.person(STRANGER, NAMESPACE).opens(address)

    assert refused.status == 403
    assert not any(name in refused.text for name in GONE.values())


def seen_in_table(person: ConsolePerson, address: str) -> set[str]:
    """Return which clients of the table a person sees, once the page has its rows."""
    page = eventually(lambda: person.opens(address), lambda page: any(name in page.text for name in GONE.values()))
    return {name for name in GONE.values() if name in page.text}


def test_the_claim_is_mounted_to_read_alone(platform: Platform, door: ConsoleDoor) -> None:
    shell = ("exec", f"deployment/{CONSOLE}", f"--namespace={NAMESPACE}", "--", "python3", "-c")

    with pytest.raises(CommandFailedError, match="Read-only file system"):
        platform.cluster.kubectl(*shell, "open('/var/lib/kwitness/written', 'w')")


def test_its_pod_is_restricted_and_reached_by_its_policies_alone(platform: Platform, door: ConsoleDoor) -> None:
    [pod] = platform.cluster.pods(NAMESPACE, "app.kubernetes.io/component=console")
    [policy] = [
        found for found in platform.cluster.items("networkpolicies", NAMESPACE) if found["metadata"]["name"] == CONSOLE
    ]

    labels = platform.cluster.find("namespace", NAMESPACE)["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    assert all(status["ready"] and not status["restartCount"] for status in pod["status"]["containerStatuses"])
    assert policy["spec"]["podSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()


@contextmanager
def not_aggregated(platform: Platform) -> Iterator[None]:
    """The chart's ClusterRole as it is with `console.aggregateToView: false`, for the length of a block."""
    values = yaml.safe_load((releases.VALUES / "console.yaml").read_text())["console"]
    present = platform.cluster.find("clusterrole", CLIENTS_ROLE)
    without = named(chart.render({"console": {**values, "aggregateToView": False}}), "ClusterRole", CLIENTS_ROLE)
    assert present["metadata"]["labels"].keys() > without["metadata"]["labels"].keys()
    switched_off = dict.fromkeys(present["metadata"]["labels"].keys() - without["metadata"]["labels"].keys())
    platform.cluster.objects.label("clusterrole", CLIENTS_ROLE, None, switched_off)
    try:
        yield
    finally:
        restored = {name: present["metadata"]["labels"][name] for name in switched_off}
        platform.cluster.objects.label("clusterrole", CLIENTS_ROLE, None, restored)


def test_view_shows_nothing_where_it_is_not_aggregated(platform: Platform, door: ConsoleDoor) -> None:
    with not_aggregated(platform):
        eventually(lambda: not may_see_clients(platform))
        assert door.person(TEAM, APPS).opens("/").status == 403
    eventually(lambda: may_see_clients(platform))


def may_see_clients(platform: Platform) -> bool:
    """Return whether the API server says so of the demo's account in its namespace."""
    attributes = {"verb": "get", "group": "kwitness.dev", "resource": "clients", "namespace": APPS}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": f"system:serviceaccount:{APPS}:{TEAM}", "resourceAttributes": attributes},
    }
    answer = platform.cluster.objects.ask("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", json=review)
    return bool(answer["status"]["allowed"])
