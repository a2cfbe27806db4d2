"""Reads resources from a real API server into the index: with all permissions, some and none, bounded, and away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kwitness.answers.access.cluster_access import PAGE_ITEMS, ClusterAccess, connect
from kwitness.answers.access.local_route import LocalRoute
from kwitness.answers.access.options import AccessOptions
from kwitness.answers.failure import CommandFailedError, NotPermittedError
from kwitness.console.index.contents import new_index
from kwitness.console.index.database import Database
from kwitness.console.rows.resources import resource_named
from kwitness.console.sources.kubernetes import MOST_BYTES, MOST_OF_A_KIND, Resources
from kwitness.e2e.api_server import ApiServer

from tests.cli.command import kubeconfig_with
from tests.cli.conftest import account, cluster, role, token
from tests.console.subscription_samples import KIND, subscription
from tests.console.test_pages import AWAY

GROUP = "kwitness.dev"


@pytest.fixture
def index() -> Database:
    return new_index()


def resources(access: ClusterAccess, index: Database, **bounds: int) -> Resources:
    return Resources(access, LocalRoute(AWAY), index, **bounds)


def names_in(index: Database, namespace: str) -> list[tuple[str, str]]:
    rows = index.rows(
        "SELECT kind, name FROM resources WHERE k8s_namespace = $place ORDER BY ALL", {"place": namespace}
    )
    return [(row["kind"], row["name"]) for row in rows]


def access_of(api: ApiServer, folder: Path, namespace: str, *rules: dict[str, Any]) -> ClusterAccess:
    """Return the access of a service account that has these rules in its namespace."""
    api.objects.apply(account("reader", namespace))
    for number, rule in enumerate(rules):
        api.objects.apply(*role(f"reader-{number}", namespace, rule, f"{namespace}:reader"))
    kubeconfig = kubeconfig_with(api, folder / "reader", token(api, "reader", namespace))
    return connect(AccessOptions(kubeconfig=kubeconfig, namespace=namespace))


def test_resources_of_all_namespaces_are_in_the_index_without_what_only_programs_read(
    api: ApiServer, access: ClusterAccess, namespace: str, another_namespace: str, index: Database
) -> None:
    named = subscription("a", another_namespace)
    named["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": "{}", "kept": "yes"}
    api.objects.apply(cluster("orders", namespace), named)

    lacks = resources(access, index).read()

    assert not [lack for lack in lacks if "not known (yet)" not in lack]
    assert names_in(index, namespace) == [("KafkaCluster", "orders")]
    found = resource_named(index, KIND, another_namespace, "a")
    assert found is not None
    assert found["spec"]["interval"] == "5m"
    assert found["metadata"]["annotations"] == {"kept": "yes"}
    assert "managedFields" not in found["metadata"]


def test_who_may_list_one_namespace_gets_that_and_the_permission_for_the_others(
    api: ApiServer, namespace: str, another_namespace: str, index: Database, tmp_path: Path
) -> None:
    api.objects.apply(subscription("mine", namespace), subscription("theirs", another_namespace))
    rule = {"apiGroups": [GROUP], "resources": ["clientmetricssubscriptions"], "verbs": ["list"]}

    lacks = resources(access_of(api, tmp_path, namespace, rule), index).read()

    assert [row["name"] for row in index.rows("SELECT name FROM resources")] == ["mine"]
    nowhere, elsewhere = lacks
    user = f"system:serviceaccount:{namespace}:reader"
    assert nowhere.startswith(f"{user} may not list kafkaclusters.{GROUP},")
    assert f"in namespace {namespace}; an administrator allows it by\n" in nowhere
    assert elsewhere == (
        f"resources outside of namespace {namespace}: {user} may not list clientmetricssubscriptions.{GROUP} in the "
        "whole cluster; an administrator allows it by\n"
        f"  kubectl create clusterrole kwitness-list-clientmetricssubscriptions --verb=list "
        f"--resource=clientmetricssubscriptions.{GROUP}\n"
        "  kubectl create clusterrolebinding kwitness-list-clientmetricssubscriptions "
        f"--clusterrole=kwitness-list-clientmetricssubscriptions --serviceaccount={namespace}:reader"
    )


def test_who_may_list_nothing_is_an_error_with_the_commands_that_give_the_right(
    api: ApiServer, namespace: str, index: Database, tmp_path: Path
) -> None:
    with pytest.raises(NotPermittedError, match="kubectl create role kwitness-list-") as refused:
        resources(access_of(api, tmp_path, namespace), index).read()

    command = str(refused.value).splitlines()[1].strip()
    api.kubectl(*command.split()[1:])
    api.kubectl(*str(refused.value).splitlines()[2].split()[1:])
    api.objects.apply(subscription("mine", namespace))
    resources(access_of(api, tmp_path, namespace), index).read()
    assert names_in(index, namespace) == [(KIND, "mine")]


def test_more_resources_than_are_kept_are_counted(
    api: ApiServer, access: ClusterAccess, namespace: str, index: Database
) -> None:
    api.objects.apply(*(subscription(f"s-{number:03}", namespace) for number in range(PAGE_ITEMS + 2)))

    lacks = resources(access, index, most_of_a_kind=3).read()

    kept = index.row("SELECT count(*) AS number FROM resources WHERE kind = $kind", {"kind": KIND})["number"]
    assert kept == 3 < MOST_OF_A_KIND
    [lack] = [lack for lack in lacks if "clientmetricssubscriptions" in lack]
    assert int(lack.split()[0]) >= PAGE_ITEMS - 1
    assert "or more clientmetricssubscriptions are left out" in lack


def test_resources_larger_than_the_bound_are_left_out_and_smaller_ones_kept(
    api: ApiServer, namespace: str, index: Database, tmp_path: Path
) -> None:
    api.objects.apply(cluster("small", namespace), cluster("wide", namespace))
    api.objects.patch("KafkaCluster", "wide", namespace, {"metadata": {"annotations": {"wide": "w" * 200_000}}})

    rule = {"apiGroups": [GROUP], "resources": ["*"], "verbs": ["list"]}

    lacks = resources(access_of(api, tmp_path, namespace, rule), index, most_bytes=150_000).read()

    assert ("KafkaCluster", "small") in names_in(index, namespace)
    assert ("KafkaCluster", "wide") not in names_in(index, namespace)
    assert [lack for lack in lacks if "or more kafkaclusters are left out" in lack]
    assert MOST_BYTES > 150_000


def test_an_api_server_that_is_away_is_an_error_and_earlier_rows_stay(
    api: ApiServer, access: ClusterAccess, namespace: str, index: Database, tmp_path: Path
) -> None:
    api.objects.apply(subscription("mine", namespace))
    resources(access, index).read()
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(api.kubeconfig.read_text().replace(api.url, "https://127.0.0.1:9"))
    away = connect(AccessOptions(kubeconfig=kubeconfig))

    with pytest.raises(CommandFailedError, match=r"127\.0\.0\.1:9 cannot be reached"):
        resources(away, index).read()

    assert names_in(index, namespace) == [(KIND, "mine")]
