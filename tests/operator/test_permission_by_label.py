"""A cluster that other namespaces may use by their labels, which the operator reads but does not watch."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from prometheus_client import generate_latest

from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.context import Context
from kwitness.operator.model.errors import KubernetesUnavailableError

from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import apply, broker_configs, cluster, drift_repairs, ready, subscription

pytestmark = pytest.mark.broker


class Away(Kubernetes):
    """The API server, which can stop answering about namespaces."""

    away = False
    asked_in_vain = 0

    async def get(self, kind: str, namespace: str | None, name: str) -> dict[str, Any] | None:
        if kind == "Namespace" and self.away:
            self.asked_in_vain += 1
            raise KubernetesUnavailableError("the API server did not answer")
        return await super().get(kind, namespace, name)


@pytest.fixture
def permitted(api, namespace, another_namespace, clean_broker) -> str:
    """A namespace whose label allows it to use the other's cluster, with a subscription."""
    rules = [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]}]
    group = "rbac.authorization.k8s.io"
    apply(
        api,
        {"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": {"name": namespace}, "rules": rules},
        {
            "apiVersion": f"{group}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": namespace},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": namespace},
            "subjects": [{"kind": "User", "name": "operator", "apiGroup": group}],
        },
    )
    api.objects.label("namespace", another_namespace, None, {"kafka": "yes"})
    allowed = {"from": "Selector", "selector": {"matchLabels": {"kafka": "yes"}}}
    asking = subscription("asking", another_namespace)
    asking["spec"]["clusterRef"] = {"name": "main", "namespace": namespace}
    apply(api, cluster("main", namespace, clean_broker.bootstrap, allowedNamespaces=allowed), asking)
    return another_namespace


@pytest.fixture
async def kubernetes(api, namespace, permitted, tmp_path) -> AsyncIterator[Away]:
    """What an operator in this process knows of the API server."""
    known: list[Away] = []

    def stand_between(context: Context) -> None:
        context.kubernetes = Away(context.kubernetes._session, context.kubernetes._server)
        known.append(context.kubernetes)

    settings = settings_of(namespace, tmp_path, watch_namespaces=[namespace, permitted])
    async with operating(api, settings, stand_between):
        await _until(api, permitted, "Applied")
        yield known[0]


async def _until(api, namespace: str, reason: str) -> None:
    await eventually_beside(lambda: ready(api, "kcms", "asking", namespace), lambda now: now["reason"] == reason)


async def test_an_api_server_that_is_away_takes_no_permission_back(api, permitted, kubernetes, clean_broker):
    # A broker says that it is done a moment before its answers show it.
    before = await eventually_beside(lambda: broker_configs(clean_broker))
    kubernetes.away = True
    await eventually_beside(lambda: kubernetes.asked_in_vain, lambda times: times > 2)
    assert broker_configs(clean_broker) == before
    assert ready(api, "kcms", "asking", permitted)["reason"] == "Applied"


async def test_what_a_lost_permission_removed_and_a_new_one_brought_back_is_no_drift(
    api, permitted, kubernetes, clean_broker
):
    api.objects.label("namespace", permitted, None, {"kafka": None})
    await eventually_beside(lambda: broker_configs(clean_broker), lambda now: now == {})
    await _until(api, permitted, "RefNotPermitted")
    api.objects.label("namespace", permitted, None, {"kafka": "yes"})
    await _until(api, permitted, "Applied")
    assert drift_repairs(generate_latest().decode(), permitted, "asking") == 0
