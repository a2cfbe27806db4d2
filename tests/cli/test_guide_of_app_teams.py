"""The guide for application teams: with its permissions, each of its lines shows the rows of the team alone."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.command import Person, kubeconfig_with
from tests.cli.conftest import account, cluster, token
from tests.cli.reviewed_collector import ReviewedCollector
from tests.cli.test_guide_of_command import typed
from tests.collector.collector_process import CollectorProcess
from tests.collector.scoped_tenants import Tenant, introduce
from tests.eventually import eventually

pytestmark = pytest.mark.slow
GUIDE = (Path(__file__).resolve().parents[2] / "docs/guides/app-teams.md").read_text()
LINES = typed(GUIDE)
SHOP, BANK = Tenant("shop"), Tenant("bank")
LIMITED = "the answer is limited to the scope of this reader: namespaces shop"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CollectorProcess]:
    """A collector with clients of two teams."""
    process = CollectorProcess(tmp_path_factory.mktemp("teams")).start()
    introduce([process], (SHOP, BANK))
    SHOP.send(process, victim="bank")
    BANK.send(process, victim="shop")
    yield process
    process.kill()


@pytest.fixture
def collector(known: CollectorProcess) -> CollectorProcess:
    known.get("/v1/connections")
    for tenant in (SHOP, BANK):
        tenant.list_connections(known)
    return known


def resources(platform: str, team: str) -> list[dict[str, Any]]:
    """Return the resources of the guide, in namespaces of this test, for a member that has a service account."""
    [block] = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    text = re.sub(r"namespace: kwitness\b", f"namespace: {platform}", block).replace(
        "namespace: shop", f"namespace: {team}"
    )
    found = list(yaml.safe_load_all(text))
    for resource in found:
        if resource["kind"] == "TelemetryCollector":
            resource["spec"]["ingest"]["tls"] = {"mode": "Disabled"}
        if resource["kind"] == "RoleBinding":
            resource["subjects"] = [{"kind": "ServiceAccount", "name": "member", "namespace": team}]
    return found


class Team:
    """A member of the team, and the way to the collector."""

    def __init__(self, member: Person, door: ReviewedCollector, platform: str) -> None:
        self._member, self._door, self._platform = member, door, platform

    def types(self, *words: str) -> Any:
        words = tuple(word.replace("kwitness/orders", f"{self._platform}/orders") for word in words)
        return self._member.types(*(self._door.address if "example.org" in word else word for word in words))


@pytest.fixture
def team(api, namespace, another_namespace, tmp_path, collector) -> Iterator[Team]:
    api.objects.apply(
        cluster("orders", namespace),
        account("member", another_namespace),
        account("kwitness-readers", namespace),
        *resources(namespace, another_namespace),
    )
    member = Person(kubeconfig_with(api, tmp_path / "member", token(api, "member", another_namespace)), tmp_path)
    reader = f"{another_namespace}:kwitness-reader"
    with ReviewedCollector(api, collector, namespace, reader=reader, token=SHOP.reader) as door:
        made = Team(member, door, namespace)
        eventually(lambda: made.types(*LINES[0]).returncode == 0)  # permissions act a moment later
        yield made


def test_each_line_shows_the_rows_of_the_team_and_names_its_scope(team: Team) -> None:
    shown = {}
    for words in LINES:
        done = team.types(*words)
        assert done.returncode == 0, (words, done.stderr)
        assert "bank" not in done.stdout + done.stderr, words
        shown[" ".join(words[: words.index("--cluster")])] = done

    assert len(shown) == len(LINES) == 8
    for line in ("clients", "topics", "connections", "groups", "topics shop-topic"):
        assert "shop" in shown[line].stdout, line
        assert LIMITED in shown[line].stderr, line
    assert "shop-pod-1" in shown["why shop-pod-1"].stdout
    assert "creation" in shown["metrics shop-pod-1"].stdout


def test_clients_of_others_are_unknown_and_brokers_are_refused(team: Team) -> None:
    place = LINES[0][1:]

    others = team.types("why", "bank-pod-1", *place)
    empty = team.types("topics", "bank-topic", *place)
    document = team.types("clients", "-o", "json", *place)

    assert others.returncode != 0
    assert "observers counted nothing that fits" in empty.stderr
    assert "ObserverDeployment" not in empty.stderr
    assert '"scope": {' in document.stdout


def test_an_account_that_may_use_both_readers_asks_with_the_one_that_sees_all(
    api, namespace, another_namespace, person: Person, collector: CollectorProcess
) -> None:
    api.objects.apply(
        cluster("orders", namespace),
        account("kwitness-readers", namespace),
        *(resource for resource in resources(namespace, another_namespace) if resource["kind"] != "RoleBinding"),
    )
    applied = resources(namespace, another_namespace)
    [reversed_readers] = [resource for resource in applied if resource["kind"] == "TelemetryCollector"]
    reversed_readers["spec"]["ingest"]["readers"].reverse()
    api.objects.apply(reversed_readers)
    with ReviewedCollector(api, collector, namespace, reader=f"{namespace}:kwitness-readers") as door:
        done = person.types("clients", "--cluster", f"{namespace}/orders", "--collector-address", door.address)

    assert (done.returncode, done.stderr) == (0, "")
    assert "bank" in done.stdout


def test_the_guide_names_the_audience_of_its_collector() -> None:
    [line] = re.findall(r"`(kubectl create token [^`]*)`", GUIDE)

    assert shlex.split(line)[-1] == "kwitness-inventory.kwitness.main"
