"""The queue of an endpoint is bounded in pushes and bytes: the oldest give way, and each is counted once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kwitness.collector.events import Event
from kwitness.collector.ledger import Hop
from kwitness.collector.sinks.otlp_forward import MAX_QUEUED, MAX_QUEUED_BYTES, OtlpForward
from kwitness.contracts.collector_config import ForwardConfig
from kwitness.contracts.denied_addresses import DeniedAddresses

from tests.collector.collector_samples import gauge_push
from tests.collector.otlp_endpoint import Endpoint
from tests.eventually import eventually_beside


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.shutdown()


def push(number: int, payload: bytes) -> Event:
    return Event("cluster-one/1", 1, number, 0, {"client_id": str(number)}, payload)


def forward_to(endpoint: Endpoint) -> OtlpForward:
    config = ForwardConfig(name="vendor", endpoint=f"http://{endpoint.address}/v1/metrics", attributes="own")
    return OtlpForward(config, DeniedAddresses(), Hop("forward:vendor"), lambda _: None)


async def delivered(forward: OtlpForward, endpoint: Endpoint) -> list[int]:
    """Numbers of the pushes that reach the endpoint, in their order."""
    forward.start()
    try:
        await eventually_beside(lambda: forward.hop.queued, lambda queued: queued == 0)
    finally:
        await forward.stop()
    return [
        int(attribute.value.string_value)
        for _, request in endpoint.received
        for resource in request.resource_metrics
        for attribute in resource.resource.attributes
        if attribute.key == "client_id"
    ]


async def test_more_pushes_than_wait_for_an_endpoint_drop_the_oldest(endpoint: Endpoint) -> None:
    forward, beyond = forward_to(endpoint), 7

    for number in range(MAX_QUEUED + beyond):
        forward.offer(push(number, gauge_push("app.waiting", 1.0)))

    assert forward.hop.dropped == {"queue_full": beyond}
    assert (forward.hop.accepted, forward.hop.queued) == (MAX_QUEUED + beyond, MAX_QUEUED)
    assert await delivered(forward, endpoint) == list(range(beyond, MAX_QUEUED + beyond))
    assert (forward.hop.delivered, forward.hop.dropped) == (MAX_QUEUED, {"queue_full": beyond})


async def test_more_bytes_than_wait_for_an_endpoint_drop_the_oldest(endpoint: Endpoint) -> None:
    forward, size = forward_to(endpoint), MAX_QUEUED_BYTES // 16
    payload = gauge_push("app.large", 1.0, text="x" * size)
    fit = MAX_QUEUED_BYTES // len(payload)

    for number in range(fit + 3):
        forward.offer(push(number, payload))
    forward.offer(push(fit + 3, gauge_push("app.small", 1.0)))

    assert forward.hop.dropped == {"queue_full": 3}
    assert await delivered(forward, endpoint) == list(range(3, fit + 4))


async def test_a_push_that_is_larger_than_the_queue_is_dropped_and_the_next_one_is_sent(endpoint: Endpoint) -> None:
    forward = forward_to(endpoint)

    forward.offer(push(1, bytes(MAX_QUEUED_BYTES + 1)))
    forward.offer(push(2, gauge_push("app.small", 1.0)))

    assert forward.hop.dropped == {"queue_full": 1}
    assert await delivered(forward, endpoint) == [2]


async def test_pushes_that_wait_are_counted_when_the_endpoint_goes(endpoint: Endpoint) -> None:
    forward = forward_to(endpoint)
    for number in range(5):
        forward.offer(push(number, gauge_push("app.waiting", 1.0)))

    await forward.stop()

    assert (forward.hop.queued, forward.hop.dropped) == (0, {"stopped": 5})
    assert endpoint.received == []
