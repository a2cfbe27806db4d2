"""A real API server with our definitions and the chart's Roles, a real broker with every listener, operators."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.operator.context import Context

from tests.eventually import eventually
from tests.operator.granted import USERS, granted
from tests.operator.in_process import operating, settings_of
from tests.operator.served_collector import ServedCollector
from tests.operator.surroundings import (
    HOMES,
    OperatorProcess,
    alter_broker,
    apply,
    broker_configs,
    cluster,
    collector,
    may,
    subscription,
    until_reason,
)

ROOT = Path(__file__).resolve().parents[2]
MUTATING_POLICIES = (
    "--feature-gates=MutatingAdmissionPolicy=true",
    "--runtime-config=admissionregistration.k8s.io/v1beta1=true",
)
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def api() -> Iterator[ApiServer]:
    with ApiServer(users=USERS, arguments=MUTATING_POLICIES) as server:
        server.define(ROOT / "crds")
        yield server


@pytest.fixture(scope="session")
def broker(kafka: LocalBroker) -> LocalBroker:
    """The run's broker."""
    return kafka


@pytest.fixture
def allow(api, namespace):
    """Let the operator read these Secrets."""

    def grant(*names: str) -> None:
        kind = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": "secrets", "namespace": namespace}}
        rule = {"apiGroups": [""], "resources": ["secrets"], "resourceNames": list(names), "verbs": ["get"]}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "secrets"}
        user = {"kind": "User", "name": "operator", "apiGroup": "rbac.authorization.k8s.io"}
        apply(
            api,
            {**kind, "kind": "Role", "rules": [rule]},
            {**kind, "kind": "RoleBinding", "roleRef": role, "subjects": [user]},
        )

    return grant


@pytest.fixture
def another_namespace(api) -> str:
    return make_namespaces(api, 1)[0]


def make_namespaces(api: ApiServer, count: int) -> list[str]:
    """So many new ones, in which operators may do what the chart allows."""
    names = [f"operator-{os.getpid()}-{next(_numbers)}" for _ in range(count)]
    objects = []
    for name in names:
        account = {"name": "kwitness-operator", "namespace": name}
        objects += [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}},
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account},
            *granted(name, rbac={"growAnyClaim": True}),
        ]
    apply(api, *objects)
    eventually(lambda: all(may(api, user, "list", "kafkaclusters.kwitness.dev", names[-1]) for user in USERS))
    return names


at_the_resync = pytest.mark.parametrize("resync_seconds", [1.0])
"""For a test of what is seen at the resync and nowhere else, because nobody tells the operator."""


@pytest.fixture
def resync_seconds() -> float:
    """So long that a wake-up that is lost, or a retry that never comes, fails the test that waits for it."""
    return 600.0


def usual_settings(namespaces: list[str], resync_seconds: float) -> dict[str, Any]:
    """Those of an operator that lives in the first of the namespaces and watches them all."""
    home, *_ = namespaces
    return {
        "namespace": home,
        "watchNamespaces": namespaces,
        "installation": home,
        "resyncSeconds": resync_seconds,
        "inventorySeconds": 1,
        "statusSeconds": 1,
        "limits": {"minInterval": "1s"},
        "analytics": {"namespaces": namespaces, "tableClaim": "tables", "singleNode": True, "pollSeconds": 1},
    }


def end_in_good_order(started: list[OperatorProcess]) -> None:
    """Stop operators; each ends by itself unless it was killed, and has logged JSON lines without traceback."""
    ends = [process.stop() for process in started]
    assert set(ends) <= {0, -signal.SIGKILL}
    for process in started:
        assert [line for line in process.log_file.read_text().splitlines() if not line.startswith("{")] == []
        assert [line for line in process.lines() if "exception" in line and not _is_of_an_ended_watch(line)] == []


@pytest.fixture
def start_operator(api, namespace, tmp_path, resync_seconds) -> Iterator[Callable[..., OperatorProcess]]:
    """Start operators that watch the test's namespace; they end in good order, and log JSON lines without traceback."""
    started: list[OperatorProcess] = []

    def start(
        *,
        user: str = "operator",
        wait: bool = True,
        imports: bool = False,
        more: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> OperatorProcess:
        chosen = {**usual_settings([namespace], resync_seconds), **settings}
        process = OperatorProcess(tmp_path, api.kubeconfig_of(user), chosen, imports=imports, more=more)
        started.append(process)
        if wait:
            eventually(lambda: process.probe("/readyz")[0] == 200)
        return process

    yield start
    end_in_good_order(started)


@pytest.fixture
def clean_broker(broker) -> Iterator[LocalBroker]:
    """The broker, without any subscription before and after."""
    for name in broker_configs(broker):
        alter_broker(broker, name, None)
    yield broker
    for name in broker_configs(broker):
        alter_broker(broker, name, None)


def _is_of_an_ended_watch(line: dict[str, Any]) -> bool:
    """Whether kopf was reading the end of a watch when the event loop ended, which asyncio tells."""
    return bool(line["logger"] == "asyncio" and "async_generator object infinite_watch" in line["message"])


MOST_SHARED = 16
"""Tests that share an operator, each in a namespace of its own."""


class Shared(NamedTuple):
    """An operator of several tests, and the namespaces that none of them has had."""

    operator: OperatorProcess
    home: str
    free: list[str]


@pytest.fixture(scope="session")
def pool(api, tmp_path_factory):
    """An operator that no test stops: a start takes longer than most tests."""
    names = make_namespaces(api, MOST_SHARED)
    settings = usual_settings(names, 600.0)
    operator = OperatorProcess(tmp_path_factory.mktemp("shared"), api.kubeconfig_of("operator"), settings)
    eventually(lambda: operator.probe("/readyz")[0] == 200)
    yield Shared(operator, names[0], list(names))
    end_in_good_order([operator])


@pytest.fixture
def namespace(request, api) -> str:
    """One of the shared operator's, or one for the operators that the test starts."""
    if "shared" in request.fixturenames:
        return request.getfixturevalue("pool").free.pop()
    return make_namespaces(api, 1)[0]


@pytest.fixture
def shared(api, namespace, clean_broker, pool):
    """A cluster with one subscription, applied by an operator that other tests use too."""
    HOMES[namespace] = pool.home
    _apply_both(api, namespace, clean_broker)
    _until_applied(api, namespace)
    yield pool.operator
    for kind in ("kaj", "ktc", "kcms", "kfc"):
        api.objects.delete(kind, *api.objects.names(kind, namespace), namespace=namespace)


@pytest.fixture
def applied(api, namespace, clean_broker, start_operator):
    """The same, by an operator of the test's own."""
    _apply_both(api, namespace, clean_broker)
    operator = start_operator()
    _until_applied(api, namespace)
    return operator


def _apply_both(api, namespace: str, broker: LocalBroker) -> None:
    apply(api, cluster("main", namespace, broker.bootstrap), subscription("basic", namespace))


def _until_applied(api, namespace: str) -> None:
    until_reason(api, "kfc", "main", namespace, "Connected")
    until_reason(api, "kcms", "basic", namespace, "Applied")


@pytest.fixture
async def served(api, namespace, clean_broker) -> AsyncIterator[tuple[ServedCollector, Callable[[Context], None]]]:
    """A cluster, its collector, and what makes an operator in this process ask that one."""
    apply(api, cluster("main", namespace, clean_broker.bootstrap), collector("main", namespace))
    served = ServedCollector(clean_broker.cluster_id)
    served.subscriptions = [f"kwitness.inst.{namespace}.{name}" for name in ("basic", "deadly")]
    async with served.serving() as url:

        def answer_here(context: Context) -> None:
            context.collector_url = lambda _key, _encrypted: url
            context.clock = served.clock

        yield served, answer_here


@pytest.fixture
async def inventory(served, api, namespace, tmp_path) -> AsyncIterator[ServedCollector]:
    """An operator in this process, and the collector that it asks."""
    found, answer_here = served
    async with operating(api, settings_of(namespace, tmp_path), answer_here):
        yield found
