"""Checks who pushed, as it is added to the resources of forwarded pushes."""

from __future__ import annotations

import string

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from kwitness.collector.events import Event
from kwitness.collector.otlp.decode import attributes_of
from kwitness.collector.otlp.identity import identity_of
from kwitness.collector.sinks.forwarded_request import encode
from kwitness.contracts.collector_config import ForwardConfig

from tests.collector.collector_samples import counter_push, labelled

IDENTITY = {
    "cluster_id": "cluster-one",
    "principal": "User:alice",
    "client_id": "orders",
    "client_instance_id": "instance-1",
    "client_software_name": "librdkafka",
    "client_software_version": "2.12.1",
}


def resource(
    payload: bytes, identity: dict[str, str], attributes: str = "both", temporality: str = "asSent"
) -> dict[str, str]:
    """Attributes of the one resource as an endpoint gets them; each key is there once."""
    event = Event("cluster-one/1", 1, 1, 0, identity, payload)
    config = ForwardConfig.model_validate(
        {
            "name": "backend",
            "endpoint": "https://otlp.example.org",
            "attributes": attributes,
            "temporality": temporality,
        }
    )
    body, readable = encode([event], config)
    assert readable == [event]
    [received] = ExportMetricsServiceRequest.FromString(body).resource_metrics
    pairs = [(attribute.key, attribute.value.string_value) for attribute in received.resource.attributes]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


SEMANTIC = {
    "messaging.system": "kafka",
    "messaging.kafka.cluster.id": "cluster-one",
    "kafka.cluster.id": "cluster-one",
    "messaging.client.id": "orders",
    "service.name": "orders",
    "service.instance.id": "instance-1",
    "telemetry.distro.name": "librdkafka",
    "telemetry.distro.version": "2.12.1",
}


@pytest.mark.parametrize(
    ("attributes", "added"),
    [("own", IDENTITY), ("semantic", SEMANTIC), ("both", {**IDENTITY, **SEMANTIC})],
)
def test_a_resource_gets_the_attributes_that_are_configured(attributes: str, added: dict[str, str]) -> None:
    assert resource(counter_push(5), IDENTITY, attributes) == added


def test_sums_have_no_attributes_that_change_while_a_client_lives() -> None:
    connected = {"broker_id": "1", "listener": "TLS", "client_address": "10.0.0.1", "client_source_port": "4711"}

    assert resource(counter_push(5), {**IDENTITY, **connected}, "own", "cumulative") == IDENTITY


def test_what_a_client_sent_itself_stays() -> None:
    payload = labelled(counter_push(5), **{"service.name": "shop", "client_id": "mine", "messaging.system": ""})

    attributes = resource(payload, IDENTITY)

    assert (attributes["service.name"], attributes["client_id"], attributes["messaging.system"]) == ("shop", "mine", "")
    assert attributes["service.instance.id"] == "instance-1"


def test_names_with_every_printable_character_go_out_and_come_in_as_they_are() -> None:
    name = f"{string.printable}\u00e4\u65e5\U0001f980"
    identity = {"client_id": name, "client_instance_id": name[::-1], "group_id": f"group {name}"}

    received = resource(counter_push(5), identity, "semantic")

    export = ExportMetricsServiceRequest.FromString(labelled(counter_push(5), **received))
    assert identity_of(attributes_of(export.resource_metrics[0].resource.attributes)) == identity
