"""Which clients subscriptions of other namespaces may ask: by labels, which are read again, and by a template."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from prometheus_client import generate_latest

from kwitness.operator.context import Context
from kwitness.operator.handlers.lists import fill_store
from kwitness.operator.kinds.client_metrics_subscription import needs

from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import (
    apply,
    broker_configs,
    cluster,
    drift_repairs,
    ready,
    subscription,
    until_configs,
)

pytestmark = pytest.mark.broker
GROUP = "rbac.authorization.k8s.io"


@pytest.fixture
def reading_namespaces(api, namespace, monkeypatch) -> None:
    """The right to read namespaces, which the chart gives, and labels that are read again soon."""
    monkeypatch.setattr(needs, "SETTLED_SECONDS", 0.5)
    rules = [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]}]
    apply(
        api,
        {"apiVersion": f"{GROUP}/v1", "kind": "ClusterRole", "metadata": {"name": namespace}, "rules": rules},
        {
            "apiVersion": f"{GROUP}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": namespace},
            "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": namespace},
            "subjects": [{"kind": "User", "name": "operator", "apiGroup": GROUP}],
        },
    )


@pytest.fixture
async def operator(api, namespace, another_namespace, reading_namespaces, clean_broker) -> AsyncIterator[Context]:
    """An operator that hears of nothing else that it does not watch."""
    foreign = [{"namespaceSelector": {"matchLabels": {"tier": "apps"}}, "template": "{namespace}."}]
    apply(
        api,
        cluster(
            "main",
            namespace,
            clean_broker.bootstrap,
            allowedNamespaces={"from": "All"},
            subscriptions={"foreign": foreign},
        ),
        subscription("own", namespace),
    )
    asking = subscription("asking", another_namespace)
    asking["spec"]["clusterRef"] = {"name": "main", "namespace": namespace}
    apply(api, asking)
    settings = settings_of(namespace, Path(), watch_namespaces=[namespace, another_namespace], resync_seconds=600)
    async with operating(api, settings, lambda _context: None) as context:
        yield context


async def _until(api, namespace: str, reason: str) -> str:
    found = await eventually_beside(
        lambda: ready(api, "kcms", "asking", namespace), lambda now: now["reason"] == reason
    )
    return str(found["message"])


async def test_a_namespace_is_narrowed_once_its_labels_select_it_and_refused_when_they_do_not(
    operator, api, namespace, another_namespace, clean_broker
):
    assert "no entry that selects namespace" in await _until(api, another_namespace, "Restricted")
    own, theirs = f"kwitness.inst.{namespace}.own", f"kwitness.inst.{another_namespace}.asking"
    await asyncio.to_thread(until_configs, clean_broker, lambda found: found.keys() == {own})

    api.objects.label("namespace", another_namespace, None, {"tier": "apps"})
    await _until(api, another_namespace, "Applied")
    found = await asyncio.to_thread(until_configs, clean_broker, lambda found: theirs in found)
    escaped = another_namespace.replace("-", r"\-")
    assert found[theirs]["match"] == rf"client_id={escaped}\..*"
    assert "match" not in found[own]

    api.objects.label("namespace", another_namespace, None, {"tier": None})
    await _until(api, another_namespace, "Restricted")
    await asyncio.to_thread(until_configs, clean_broker, lambda found: found.keys() == {own})

    api.objects.label("namespace", another_namespace, None, {"tier": "apps"})
    await _until(api, another_namespace, "Applied")
    assert drift_repairs(generate_latest().decode(), another_namespace, "asking") == 0


async def test_what_stands_goes_when_the_cluster_is_given_a_list_that_leaves_it_out(
    operator, api, namespace, another_namespace, clean_broker
):
    allowed = {"from": "All"}
    apply(api, cluster("main", namespace, clean_broker.bootstrap, allowedNamespaces=allowed))
    await fill_store(operator)
    await _until(api, another_namespace, "Applied")
    await asyncio.to_thread(until_configs, clean_broker, lambda found: len(found) == 2)

    none = {"foreign": []}
    apply(api, cluster("main", namespace, clean_broker.bootstrap, allowedNamespaces=allowed, subscriptions=none))
    await fill_store(operator)
    await _until(api, another_namespace, "Restricted")
    await asyncio.to_thread(until_configs, clean_broker, lambda found: len(found) == 1)

    by_name = {**none, "restrict": [{"namespace": another_namespace, "prefix": "by-name-"}]}
    apply(api, cluster("main", namespace, clean_broker.bootstrap, allowedNamespaces=allowed, subscriptions=by_name))
    await fill_store(operator)
    await _until(api, another_namespace, "Applied")
    configs = await asyncio.to_thread(broker_configs, clean_broker)
    assert configs[f"kwitness.inst.{another_namespace}.asking"]["match"] == r"client_id=by\-name\-.*"
