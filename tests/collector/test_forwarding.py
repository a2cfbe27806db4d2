"""Checks copies of pushes to other OTLP endpoints: headers, retries, refusals, and changes of the configuration."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import CLUSTER, batch, counter_push, push
from tests.collector.otlp_endpoint import Endpoint
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.shutdown()


def forwarding(endpoint: Endpoint, folder: Path, hosts: str) -> dict[str, Any]:
    (folder / "headers").write_text("X-Api-Key: canary-5ecret\n")
    (folder / "hosts").write_text(hosts)
    entry = {
        "name": "vendor",
        "endpoint": f"http://{endpoint.address}/v1/metrics",
        "headers_file": str(folder / "headers"),
        "hosts_file": str(folder / "hosts"),
    }
    return {"forward": [entry]}


def hop(collector: CollectorProcess, name: str) -> dict[str, Any]:
    ledger = collector.get(f"/v1/clusters/{CLUSTER}").body["ledger"]
    return next(one for one in ledger if one["hop"] == name)


def wait_until_empty(collector: CollectorProcess) -> dict[str, Any]:
    return eventually(lambda: hop(collector, "forward:vendor"), lambda now: now["queued"] == 0)


def test_a_push_is_forwarded_with_identity_and_headers_and_tried_again(
    start: Start, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.answers = [503, 429]
    collector = start(config=forwarding(endpoint, tmp_path, endpoint.address))

    collector.push(batch([push(1, counter_push(5)), push(2, b"garbage")]))

    ledger = wait_until_empty(collector)
    assert (ledger["accepted"], ledger["delivered"], ledger["dropped"]) == (2, 1, {"malformed": 1})
    [(headers, received)] = endpoint.received
    assert headers["X-Api-Key"] == "canary-5ecret"
    [resource] = received.resource_metrics
    attributes = {one.key: one.value.string_value for one in resource.resource.attributes}
    assert attributes["client_id"] == "orders"
    assert attributes["principal"] == "User:alice"
    assert collector.value("kwitness_parser_errors_total", reason="forward_partial_success") == 1


def test_headers_never_go_to_a_host_their_secret_does_not_name(
    start: Start, endpoint: Endpoint, tmp_path: Path
) -> None:
    collector = start(config=forwarding(endpoint, tmp_path, "otlp.example.org:443"))

    collector.push(batch([push(1, counter_push(5))]))

    ledger = wait_until_empty(collector)
    assert ledger["dropped"] == {"host_not_allowed": 1}
    assert endpoint.received == []
    assert "canary" not in collector.log.read_text()


@pytest.mark.parametrize("host", ["169.254.169.254", "[::ffff:169.254.169.254]"])
def test_a_link_local_address_gets_nothing(start: Start, host: str) -> None:
    collector = start(config={"forward": [{"name": "vendor", "endpoint": f"http://{host}/v1/metrics"}]})

    collector.push(batch([push(1, counter_push(5))]))

    assert wait_until_empty(collector)["dropped"] == {"address_denied": 1}


def test_a_refusal_is_final_and_an_absent_endpoint_holds_nothing_up(
    start: Start, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.answers = [400]
    collector = start(config=forwarding(endpoint, tmp_path, endpoint.address))
    collector.push(batch([push(1, counter_push(5))]))
    assert wait_until_empty(collector)["dropped"] == {"refused": 1}
    assert "refused: " in (log := collector.log.read_text())
    assert "canary" not in log
    endpoint.server_close()

    assert collector.push(batch([push(2, counter_push(5))])).status == 200

    waiting = hop(collector, "forward:vendor")
    assert (waiting["accepted"], waiting["queued"], waiting["dropped"]) == (2, 1, {"refused": 1})


def test_an_endpoint_taken_away_counts_what_waited_for_it_once(
    start: Start, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.answers = [503] * 100
    collector = start(config=forwarding(endpoint, tmp_path, endpoint.address))
    collector.push(batch([push(1, counter_push(5)), push(2, b"garbage"), push(3, counter_push(5))]))
    time.sleep(1)
    collector.push(batch([push(4, counter_push(5))]))

    collector.write_config(forward=[])

    assert wait_until_empty(collector)["dropped"] == {"malformed": 1, "stopped": 3}
    assert hop(collector, "forward:vendor")["queued"] == 0


def test_another_endpoint_leaves_what_waits_for_the_first_alone_and_no_count_falls(
    start: Start, endpoint: Endpoint, tmp_path: Path
) -> None:
    config = forwarding(endpoint, tmp_path, endpoint.address)
    collector = start(config=config)
    collector.push(batch([push(1, counter_push(5))]))
    wait_until_empty(collector)
    endpoint.answers = [503] * 5
    collector.push(batch([push(2, counter_push(5))]))

    collector.write_config(forward=[*config["forward"], {"name": "other", "endpoint": "http://127.0.0.1:1"}])
    hops = eventually(
        lambda: {one["hop"] for one in collector.get(f"/v1/clusters/{CLUSTER}").body["ledger"]},
        lambda now: "forward:other" in now,
    )

    assert [one["name"] for one in collector.config["forward"]] == ["vendor", "other"]
    assert hops >= {"forward:vendor", "forward:other"}
    ledger = wait_until_empty(collector)
    assert (ledger["delivered"], ledger["dropped"]) == (2, {})
    collector.write_config(forward=[])
    eventually(lambda: collector.log.read_text().count("the configuration changed") == 2)
    assert collector.value("kwitness_parser_errors_total", reason="forward_partial_success") == 2


@pytest.mark.parametrize("broken", [None, b"\xff\xfe: 1\n"])
def test_headers_that_cannot_be_read_hold_back_what_waits_until_they_can(
    start: Start, endpoint: Endpoint, tmp_path: Path, broken: bytes | None
) -> None:
    config = forwarding(endpoint, tmp_path, endpoint.address)
    good = (tmp_path / "headers").read_bytes()
    (tmp_path / "headers").unlink()
    if broken is not None:
        (tmp_path / "headers").write_bytes(broken)
    collector = start(config=config)
    collector.push(batch([push(1, counter_push(5))]))
    time.sleep(1)
    assert hop(collector, "forward:vendor")["queued"] == 1

    (tmp_path / "headers").write_bytes(good)

    assert wait_until_empty(collector)["delivered"] == 1
    assert "canary" not in collector.log.read_text()


def clients_of(request: ExportMetricsServiceRequest) -> list[str]:
    attributes = (found for resource in request.resource_metrics for found in resource.resource.attributes)
    return [found.value.string_value for found in attributes if found.key == "client_id"]


@pytest.mark.parametrize(
    ("is_bad", "delivered"), [(lambda client: client in {"client-37", "client-80"}, 98), (lambda _: True, 0)]
)
def test_few_pushes_are_refused_with_a_bad_one(
    start: Start, endpoint: Endpoint, is_bad: Callable[[str], bool], delivered: int
) -> None:
    endpoint.finds_bad = lambda request: any(map(is_bad, clients_of(request)))
    collector = start(config={"forward": [{"name": "vendor", "endpoint": f"http://{endpoint.address}/v1/metrics"}]})
    clients = [f"client-{number}" for number in range(100)]

    collector.push(
        batch([push(n, counter_push(5), client=str(n), client_id=client) for n, client in enumerate(clients)])
    )

    ledger = wait_until_empty(collector)
    assert (ledger["accepted"], ledger["delivered"]) == (100, delivered)
    assert ledger["dropped"] == {"refused": 100 - delivered}
    # A batch is split 16 times at most, also where everything in it is bad.
    assert endpoint.requests <= 1 + 2 * 16
    received = [client for _, request in endpoint.received for client in clients_of(request)]
    assert received == [client for client in clients if not is_bad(client)]
