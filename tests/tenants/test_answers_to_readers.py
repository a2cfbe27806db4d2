"""A reader of a namespace's collector reads nothing of other namespaces' resources and of their reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from kwitness.collector.configuration import Configuration
from kwitness.collector.failures import ForbiddenError, RefusedError, UnauthenticatedError
from kwitness.collector.ingest.authentication import READERS, Authenticator
from kwitness.collector.ingest.http_server import Handler, error_answer
from kwitness.collector.ingest.subscriptions_api import SubscriptionsApi
from kwitness.collector.ingest.token_review import TokenReviewer
from kwitness.collector.ingest.told_bodies import Told
from kwitness.contracts.audiences import collector_audience, inventory_audience
from kwitness.contracts.collector_config import CollectorConfig
from kwitness.contracts.endpoints import OBSERVER_SUBSCRIPTIONS_PATH
from kwitness.contracts.generate.http_api import OPERATIONS
from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.runtime.child_names import collector_name, gateway_name

from tests.collector.collector_process import CollectorProcess
from tests.eventually import eventually, eventually_beside
from tests.operator.conftest import end_in_good_order, make_namespaces, usual_settings
from tests.operator.granted import granted
from tests.operator.surroundings import OperatorProcess, apply, cluster, collector, gateway, get, subscription
from tests.tenants.test_one_namespace import profile

pytestmark = pytest.mark.broker
PATHS = sorted(
    {operation.path for operation in OPERATIONS if operation.method == "get" and "inventory" in operation.audience}
)
READER = {"readers": [{"serviceAccount": "reader"}], "tls": {"mode": "Disabled"}}


class Shared(NamedTuple):
    """The namespace of the KafkaCluster and its collector, one with a collector of its own, and one with a gateway."""

    platform: str
    tenant: str
    guest: str

    def subscription_id(self, name: str, namespace: str) -> str:
        return f"kwitness.shared.{namespace}.{name}"


@pytest.fixture(scope="module")
def shared(api: ApiServer, broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    found = Shared(*make_namespaces(api, 3))
    platform, tenant, guest = found
    apply(api, *granted(platform, injector={"enabled": True}))
    there = {"clusterRef": {"name": "main", "namespace": platform}}
    for namespace in found:
        api.objects.label("namespace", namespace, None, {"kwitness.dev/injection": "enabled"})
    apply(
        api,
        cluster("main", platform, broker.bootstrap, allowedNamespaces={"from": "All"}),
        collector("main", platform, ingest=READER),
        collector("mine", tenant, ingest=READER, **there),
        gateway("orders", platform),
        profile("orders", platform),
        subscription("plan", platform, match=[{"selector": "clientId", "pattern": "payroll"}]),
        subscription("own", tenant, **there),
        profile("mine", tenant, **there),
        gateway("guest", guest, **there),
    )
    settings = {
        **usual_settings([platform, tenant, guest], 600.0),
        "installation": "shared",
        "injector": {"enabled": True},
        "images": {name: f"kwitness/{name}:1" for name in ("collector", "observer", "interceptors")},
    }
    operator = OperatorProcess(tmp_path_factory.mktemp("readers"), api.kubeconfig_of("operator"), settings)
    eventually(lambda: mounted_subscriptions(api, "main", platform).keys() == {("plan", platform), ("own", tenant)})
    eventually(lambda: mounted_subscriptions(api, "mine", tenant).keys() == {("own", tenant)})
    yield found
    end_in_good_order([operator])


def mounted_subscriptions(api: ApiServer, name: str, namespace: str) -> dict[tuple[str, str], Any]:
    """Return the subscriptions in a collector's file, by name and namespace."""
    body = api.objects.find("configmap", collector_name(name), namespace)
    text = (body or {"data": {}})["data"].get("subscriptions.json", '{"subscriptions": []}')
    found = {entry["id"].rpartition("."): entry for entry in json.loads(text)["subscriptions"]}
    return {(name, before.rpartition(".")[2]): entry for (before, _, name), entry in found.items()}


def config_of(api: ApiServer, name: str, namespace: str) -> dict[str, Any]:
    text = get(api, "configmap", collector_name(name), namespace)["data"]["config.json"]
    config: dict[str, Any] = json.loads(text)
    return config


@pytest.fixture
def started(api: ApiServer, tmp_path: Path) -> Iterator[Callable[[str, str], CollectorProcess]]:
    """Start a collector with the files that the operator wrote for it."""
    processes: list[CollectorProcess] = []

    def start(name: str, namespace: str) -> CollectorProcess:
        data = get(api, "configmap", collector_name(name), namespace)["data"]
        written = json.loads(data["config.json"])
        process = CollectorProcess(tmp_path / name)
        here = {"topics": None, "state_dir": str(tmp_path / name / "state")}
        process.write_config(**{**written, **here, "ingest": {**written["ingest"], "tokens_file": str(process.tokens)}})
        for file in ("subscriptions.json", "owners.json"):
            (process.folder / file).write_text(data[file])
        processes.append(process)
        return process.start()

    yield start
    for process in processes:
        process.kill()


@pytest.fixture
def reviewer(api: ApiServer, tmp_path: Path) -> TokenReviewer:
    (tmp_path / "token").write_text("administrator")
    [entry] = json.loads(api.kubeconfig.read_text())["clusters"]
    (tmp_path / "ca.crt").write_text(Path(entry["cluster"]["certificate-authority"]).read_text())
    return TokenReviewer(api.url, tmp_path)


def answers_of(process: CollectorProcess, subscription_id: str) -> dict[str, str]:
    """Return the answers to a reader by path, as text."""
    places = {"id": subscription_id, "cluster_id": process.config["cluster_id"], "client_instance_id": "unknown"}
    return {path: json.dumps(process.get(path.format(**places))._asdict(), default=str) for path in PATHS}


def test_a_reader_of_a_namespaces_collector_reads_of_its_own_resources_alone(
    shared: Shared, started: Callable[[str, str], CollectorProcess]
) -> None:
    secret, own = shared.subscription_id("plan", shared.platform), shared.subscription_id("own", shared.tenant)

    mine = answers_of(started("mine", shared.tenant), secret)
    acting = answers_of(started("main", shared.platform), secret)

    assert own in mine["/v1/subscriptions"]
    assert secret in acting["/v1/subscriptions"]
    assert "payroll" in acting["/v1/subscriptions/{id}"]
    assert "UnknownSubscription" in mine["/v1/subscriptions/{id}"]
    for path, text in mine.items():
        assert shared.platform not in text, path
        assert "payroll" not in text, path


def test_a_namespaces_collector_ingests_no_reports_of_other_namespaces(shared: Shared, api: ApiServer) -> None:
    def senders(name: str, namespace: str) -> set[str]:
        return {sender["namespace"] for sender in config_of(api, name, namespace)["ingest"]["senders"]}

    assert eventually(lambda: senders("main", shared.platform), lambda found: found == {shared.platform, shared.guest})
    assert senders("mine", shared.tenant) == {shared.tenant}


async def test_a_reader_of_one_collector_is_no_reader_of_the_one_that_acts_for_the_cluster(
    shared: Shared, api: ApiServer, reviewer: TokenReviewer
) -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "reader", "namespace": shared.tenant}}
    api.objects.apply(account)
    acting = CollectorConfig.model_validate(config_of(api, "main", shared.platform))
    own = CollectorConfig.model_validate(config_of(api, "mine", shared.tenant))

    for_own = token(api, shared.tenant, inventory_audience(shared.tenant, "mine"))
    for_acting = token(api, shared.tenant, inventory_audience(shared.platform, "main"))

    assert (await Authenticator(own, reviewer).caller(f"Bearer {for_own}", (READERS,))).kind == "reader"
    with pytest.raises(UnauthenticatedError):
        await Authenticator(acting, reviewer).caller(f"Bearer {for_own}", (READERS,))
    with pytest.raises(ForbiddenError, match=r"spec\.ingest\.readers"):
        await Authenticator(acting, reviewer).caller(f"Bearer {for_acting}", (READERS,))


async def test_observers_that_pass_telemetry_on_read_no_subscriptions(
    shared: Shared, api: ApiServer, reviewer: TokenReviewer, tmp_path: Path
) -> None:
    there = {"clusterRef": {"name": "main", "namespace": shared.platform}}
    eventually(lambda: api.objects.find("serviceaccount", gateway_name("guest"), shared.guest))
    sent = token(
        api, shared.guest, collector_audience(shared.platform, "main"), gateway_name("guest"), pod_of(api, shared.guest)
    )

    async def read() -> tuple[int, str]:
        for file, text in get(api, "configmap", collector_name("main"), shared.platform)["data"].items():
            (tmp_path / file).write_text(text)
        configuration, application = Configuration(tmp_path / "config.json"), web.Application(middlewares=[_refusals])
        authenticator = Authenticator(configuration.current(), reviewer)
        SubscriptionsApi(configuration, authenticator, cast("Told", None)).add_to(application)
        path = OBSERVER_SUBSCRIPTIONS_PATH.format(namespace=shared.guest, name="guest")
        async with TestClient(TestServer(application)) as client:
            answer = await client.get(path, headers={"Authorization": f"Bearer {sent}"})
            return answer.status, await answer.text()

    status, text = await read()
    assert (status, "NotAnswering" in text) == (403, True)

    apply(api, gateway("guest", shared.guest, telemetry="Terminate", **there))
    await eventually_beside(lambda: guests_observer_answers(api, shared))
    status, text = await read()
    assert (status, shared.subscription_id("plan", shared.platform) in text) == (200, True)


def guests_observer_answers(api: ApiServer, shared: Shared) -> bool:
    senders = config_of(api, "main", shared.platform)["ingest"]["senders"]
    return any(sender["namespace"] == shared.guest and sender["answers"] for sender in senders)


@web.middleware
async def _refusals(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except RefusedError as refused:
        return error_answer(refused)


def pod_of(api: ApiServer, namespace: str) -> str:
    """Create a pod of the gateway's account, for tokens that are bound to it; return its name."""
    spec = {"serviceAccountName": gateway_name("guest"), "containers": [{"name": "observer", "image": "observer"}]}
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "observer", "namespace": namespace}, "spec": spec}
    answer = api.request("POST", f"/api/v1/namespaces/{namespace}/pods", json=body)
    assert answer.ok, answer.text
    return "observer"


def token(api: ApiServer, namespace: str, audience: str, account: str = "reader", pod: str | None = None) -> str:
    """A token of a service account."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
    spec: dict[str, Any] = {"audiences": [audience]}
    if pod is not None:
        spec["boundObjectRef"] = {"apiVersion": "v1", "kind": "Pod", "name": pod}
    answer = api.request("POST", path, json={"spec": spec})
    assert answer.ok, answer.text
    return str(answer.json()["status"]["token"])
