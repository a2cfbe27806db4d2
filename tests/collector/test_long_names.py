"""Services of plain OTLP may have names as long as they like; what the collector remembers of them is short."""

from __future__ import annotations

import gzip

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from kwitness.collector import sharding
from kwitness.collector.otlp.identity import key_of

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import CLUSTER
from tests.collector.otlp_requests import post, request

MIB = 1024 * 1024


def of_services(first: int, count: int) -> bytes:
    """Services whose namespaces are long, and three times as long where they are escaped."""
    whole = ExportMetricsServiceRequest()
    for number in range(first, first + count):
        whole.MergeFrom(request("app.long", 1, CLUSTER, **{"service.namespace": f"{number}" + "%" * 30_000}))
    return gzip.compress(whole.SerializeToString(), 1)


def test_long_names_of_services_are_not_remembered(shared: CollectorProcess) -> None:
    assert post(shared, of_services(0, 100), Content_Encoding="gzip").status == 200
    before = shared.resident_bytes()

    # None twice: a service is taken for gone 30 s after its last request where the time between two was short.
    for first in (100, 400, 700, 1_000):
        assert post(shared, of_services(first, 300), Content_Encoding="gzip").status == 200

    assert shared.resident_bytes() - before < 50 * MIB
    assert shared.get(f"/v1/clusters/{CLUSTER}").body["clients"] == 1_300, "each is a client of its own, once"


def test_a_key_is_short_and_its_own() -> None:
    def key(namespace: str, name: str) -> str:
        return key_of((("service.namespace", namespace), ("service.name", name)), {"client_instance_id": "i"})

    assert key("shop", "checkout") == "otlp/shop/checkout/i"
    long = [key("x" * 70, "y"), key("x" * 71, "y"), key("x" * 70, "z"), key("/" * 30, "y")]
    assert len({*long}) == len(long)
    assert all(len(known_as) <= 64 for known_as in long)


def test_owners_of_long_keys_are_found_and_not_remembered() -> None:
    sharding._owner_of.cache_clear()
    assert {sharding.owner_of(f"{number}" * 500, 3) for number in range(50)} == {0, 1, 2}
    assert sharding._owner_of.cache_info().currsize == 0
