"""Checks that copies of pushes leave by the proxy of the environment, and trust the authorities that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kwitness.e2e.certificates import Authority

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import CLUSTER, batch, counter_push, push
from tests.collector.otlp_endpoint import Endpoint
from tests.eventually import eventually
from tests.forward_proxy import ForwardProxy

Start = Callable[..., CollectorProcess]


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[ForwardProxy]:
    with ForwardProxy(tmp_path) as started:
        yield started


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.shutdown()


def sent(collector: CollectorProcess) -> dict[str, Any]:
    """Push once; the hop of the forward when nothing waits any more."""
    collector.push(batch([push(1, counter_push(5))]))

    def hop() -> dict[str, Any]:
        ledger = collector.get(f"/v1/clusters/{CLUSTER}").body["ledger"]
        return next(entry for entry in ledger if entry["hop"] == "forward:vendor")

    return eventually(hop, lambda now: now["queued"] == 0)


def to(url: str, **more: str) -> dict[str, Any]:
    return {"forward": [{"name": "vendor", "endpoint": url, **more}]}


def test_a_forward_by_plain_http_asks_the_proxy_for_the_whole_url(
    start: Start, proxy: ForwardProxy, endpoint: Endpoint
) -> None:
    url = f"http://{endpoint.address}/v1/metrics"
    collector = start(config=to(url), environment=proxy.environment())

    assert sent(collector)["delivered"] == 1

    assert proxy.requested == [f"POST {url}"]
    assert len(endpoint.received) == 1


def test_a_forward_by_https_goes_through_the_proxy_and_trusts_its_own_authority(
    start: Start, proxy: ForwardProxy, tmp_path: Path
) -> None:
    authority = Authority("vendor")
    issued = authority.issue("endpoint", ["127.0.0.1"])
    (tmp_path / "server.pem").write_text(issued.certificate + issued.key)
    (tmp_path / "ca.crt").write_text(authority.certificate)
    endpoint = Endpoint(tmp_path / "server.pem")
    entry = to(f"https://{endpoint.address}/v1/metrics", ca_file=str(tmp_path / "ca.crt"))
    collector = start(config=entry, environment=proxy.environment())

    assert sent(collector)["delivered"] == 1

    assert proxy.requested == [f"CONNECT {endpoint.address}"]
    endpoint.shutdown()


def test_a_forward_without_its_own_authority_trusts_the_bundle_of_the_values(start: Start, tmp_path: Path) -> None:
    authority = Authority("company")
    issued = authority.issue("endpoint", ["127.0.0.1"])
    (tmp_path / "server.pem").write_text(issued.certificate + issued.key)
    (tmp_path / "bundle.crt").write_text(authority.certificate)
    endpoint = Endpoint(tmp_path / "server.pem")
    collector = start(
        config=to(f"https://{endpoint.address}/v1/metrics"), environment={"SSL_CERT_FILE": str(tmp_path / "bundle.crt")}
    )

    assert sent(collector)["delivered"] == 1

    endpoint.shutdown()


def test_a_forward_to_a_name_of_no_proxy_goes_directly(start: Start, proxy: ForwardProxy, endpoint: Endpoint) -> None:
    url = f"http://{endpoint.address}/v1/metrics"
    collector = start(config=to(url), environment=proxy.environment(no_proxy=".svc,127.0.0.1"))

    assert sent(collector)["delivered"] == 1

    assert proxy.requested == []


@pytest.mark.parametrize("host", ["169.254.169.254", "[::ffff:169.254.169.254]"])
def test_a_proxy_gets_no_request_for_a_denied_address(start: Start, proxy: ForwardProxy, host: str) -> None:
    collector = start(config=to(f"http://{host}/v1/metrics"), environment=proxy.environment())

    assert sent(collector)["dropped"] == {"address_denied": 1}

    assert proxy.requested == []
