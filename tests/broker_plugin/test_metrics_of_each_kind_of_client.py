"""What clients of each kind keep is pushed through the plugin, and the collector has it under the registry's names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.contracts.client_metrics import CLIENT_METRICS, lookup
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.subscription import subscribe

from tests import kept_metrics
from tests.broker_plugin.conftest import QUICK
from tests.collector.collector_process import PLUGIN, READER, TOPICS, CollectorProcess
from tests.eventually import eventually

pytestmark = pytest.mark.broker

Real = tuple[LocalBroker, CollectorProcess]


@pytest.fixture(scope="module")
def real(jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """A broker whose plugin sends to a collector that keeps its topics there."""
    folder, port = tmp_path_factory.mktemp("collector"), free_port()
    token = folder / "plugin-token"
    token.write_text(PLUGIN)
    overrides = {
        **QUICK,
        "kwitness.collector.url": f"http://127.0.0.1:{port}",
        "kwitness.collector.token.file": str(token),
    }
    with LocalBroker(plugin=jar, overrides=overrides) as broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap})
        for future in admin.create_topics([NewTopic(name, 1, 1) for name in TOPICS.values()]).values():
            future.result()
        cluster = broker.cluster_id
        collector = CollectorProcess(folder, bootstrap=broker.bootstrap, port=port, config={"cluster_id": cluster})
        collector.tokens.write_text(f"{PLUGIN} plugin {cluster}\n{READER} reader {cluster}\n")
        collector.start()
        subscribe(broker.bootstrap, "kwitness.test", interval_ms=1_000)
        yield broker, collector
        collector.kill()


def pushed(collector: CollectorProcess) -> dict[str, set[str]]:
    """The metrics that each client of the inventory pushed, by its id."""
    return {client["client_id"]: set(client["metrics"]) for client in collector.get("/v1/clients").body["items"]}


def check_that_they_arrive(collector: CollectorProcess, roles: set[str]) -> dict[str, set[str]]:
    """Wait for every metric that the registry has of roles, in the inventory and for Prometheus; what each pushed."""
    wanted = {one.name: one.prometheus_name for one in CLIENT_METRICS if one.role in roles}
    assert wanted
    by_client = eventually(
        lambda: pushed(collector), lambda found: not wanted.keys() - set[str]().union(*found.values())
    )
    eventually(collector.scrape, lambda samples: not set(wanted.values()) - samples.keys())
    assert {name for names in by_client.values() for name in names if lookup(name) is None} == set()
    return by_client


def test_share_consumers_and_administrators_push_all_that_the_registry_has_of_them(real: Real) -> None:
    broker, collector = real
    with kept_metrics.clients(broker.bootstrap):
        by_client = check_that_they_arrive(collector, {"share consumer", "admin"})

    assert any(name.startswith("org.apache.kafka.admin.client.") for name in by_client["adminclient-1"])


def test_applications_of_kafka_streams_push_all_that_the_registry_has_of_them(real: Real, tmp_path: Path) -> None:
    broker, collector = real
    with kept_metrics.streams(broker.bootstrap, tmp_path):
        by_client = check_that_they_arrive(collector, {"streams"})

    # Of the application as a whole its administrator's client tells, and of threads, tasks and stores their consumers.
    of_streams = {one.name for one in CLIENT_METRICS if one.role == "streams"}
    assert {name.rsplit("-", 1)[1] for name, metrics in by_client.items() if metrics & of_streams} == {
        "admin",
        "consumer",
    }
