"""Payloads with metrics and attributes left out, on the wire level, against OTLP's own classes as the reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, strategies
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.otlp.decode import MalformedPayloadError
from kwitness.collector.otlp.wire import write_varint
from kwitness.collector.privacy.identities import IdentityTreater
from kwitness.collector.privacy.names import keys_by_name
from kwitness.collector.privacy.payloads import PayloadRewriter, Rewritten
from kwitness.contracts.collector_config import FilterConfig
from kwitness.contracts.identity_hashing import identity_hash

from tests.collector.collector_samples import CUMULATIVE, DELTA, add_number, java_push

KEY = b"a key of thirty-two bytes or so."


def rewriter(*, identity: Mapping[Any, Any] | None = None, **leave_out: Any) -> PayloadRewriter:
    chosen = identity or {}
    return PayloadRewriter(FilterConfig(**leave_out), keys_by_name(chosen), IdentityTreater(chosen, KEY).value)


def field(number: int, content: bytes) -> bytes:
    return write_varint(number << 3 | 2) + write_varint(len(content)) + content


def attribute(key: str, value: bytes) -> bytes:
    return field(1, key.encode()) + field(2, field(1, value))


def names(result: Rewritten) -> list[str]:
    data = MetricsData.FromString(result.payload)
    return [metric.name for one in data.resource_metrics for scope in one.scope_metrics for metric in scope.metrics]


def points(payload: bytes) -> list[Any]:
    metric = MetricsData.FromString(payload).resource_metrics[0].scope_metrics[0].metrics[0]
    return list(getattr(metric, metric.WhichOneof("data")).data_points)


def everything(secret: str) -> MetricsData:
    """One attribute of the name `secret` wherever OTLP has attributes, and others beside it."""
    data = MetricsData()
    one = data.resource_metrics.add()
    scope = one.scope_metrics.add()
    holders = [one.resource.attributes, scope.scope.attributes]
    for kind in ("gauge", "sum", "histogram", "exponential_histogram", "summary"):
        metric = scope.metrics.add(name=f"metric.{kind}")
        holders.append(metric.metadata)
        point = getattr(metric, kind).data_points.add(time_unix_nano=1)
        holders.append(point.attributes)
        if kind != "summary":
            holders.append(point.exemplars.add(as_int=3).filtered_attributes)
    for number, holder in enumerate(holders):
        holder.add(key="kept").value.string_value = f"kept-{number}"
        holder.add(key=secret).value.string_value = f"canary-{number}"
        nested = holder.add(key="map").value.kvlist_value.values
        nested.add(key=secret).value.string_value = f"canary-in-a-map-{number}"
        nested.add(key="kept").value.int_value = number
        inner = holder.add(key="list").value.array_value.values.add().kvlist_value.values.add(key=secret)
        inner.value.bytes_value = b"canary-in-a-list"
    return data


def test_an_attribute_is_dropped_wherever_otlp_has_attributes() -> None:
    before = everything("secret")
    reference = MetricsData.FromString(before.SerializeToString())

    result = rewriter(drop_attributes=["secret"]).rewrite(before.SerializeToString())

    assert b"canary" not in result.payload
    assert b"secret" not in result.payload
    assert result.points == 0
    # All else is as it was, in the same order.
    text = str(MetricsData.FromString(result.payload))
    for number in range(17):
        assert (f"kept-{number}" in text) == (f"kept-{number}" in str(reference))
    assert text.count('"map"') == text.count('"list"') == str(reference).count('"map"')


def test_an_identity_key_is_hashed_wherever_otlp_has_attributes() -> None:
    for name in ("client_id", "client-id", "service.name", "messaging.client.id"):
        before = everything(name).SerializeToString()

        result = rewriter(identity={"client_id": "hash"}).rewrite(before)

        assert b"canary" not in result.payload
        assert identity_hash(KEY, "client_id", "canary-0").encode() in result.payload
        assert identity_hash(KEY, "client_id", "canary-in-a-map-3").encode() in result.payload
        assert result.attributes > 0


def test_names_that_pass_are_those_that_are_allowed_and_not_denied() -> None:
    data = MetricsData()
    for name in ("org.a.one", "org.a.two", "org.b", "other"):
        add_number(data, name, 1.0)
    payload = data.SerializeToString()

    assert names(rewriter(allow=["org."]).rewrite(payload)) == ["org.a.one", "org.a.two", "org.b"]
    assert names(rewriter(allow=["org."], deny=["org.a.t", "oth"]).rewrite(payload)) == ["org.a.one", "org.b"]
    denied = rewriter(deny=["org."]).rewrite(payload)
    assert names(denied) == ["other"]
    assert denied.points == 3
    nobody_knows = rewriter(allow=["nobody.knows."]).rewrite(payload)
    assert names(nobody_knows) == []
    assert nobody_knows.points == 4


def test_what_is_not_concerned_is_passed_on_byte_by_byte() -> None:
    payload = everything("secret").SerializeToString()
    assert rewriter(deny=["nothing"], drop_attributes=["nowhere"]).rewrite(payload).payload is payload
    assert rewriter(drop_attributes=["nowhere"]).rewrite(b"").payload == b""


def test_points_that_become_the_same_are_added_up() -> None:
    data = MetricsData()
    metric = data.resource_metrics.add().scope_metrics.add().metrics.add(name="sent")
    metric.sum.aggregation_temporality, metric.sum.is_monotonic = DELTA, True
    for topic, node, value in (("a", "1", 1.5), ("b", "1", 2.0), ("c", "2", 4.0)):
        point = metric.sum.data_points.add(as_double=value, start_time_unix_nano=10, time_unix_nano=20)
        point.attributes.add(key="topic").value.string_value = topic
        point.attributes.add(key="node").value.string_value = node

    result = rewriter(drop_attributes=["topic"]).rewrite(data.SerializeToString())

    found = {point.attributes[0].value.string_value: point.as_double for point in points(result.payload)}
    assert found == {"1": 3.5, "2": 4.0}
    assert result.points == 0


def test_integers_and_histograms_are_added_up_too() -> None:
    data = MetricsData()
    metric = data.resource_metrics.add().scope_metrics.add().metrics.add(name="sent")
    metric.sum.aggregation_temporality = CUMULATIVE
    for topic, value in (("a", 1), ("b", 2)):
        point = metric.sum.data_points.add(as_int=value, start_time_unix_nano=10 * value)
        point.attributes.add(key="topic").value.string_value = topic
    (point,) = points(rewriter(drop_attributes=["topic"]).rewrite(data.SerializeToString()).payload)
    assert (point.as_int, point.start_time_unix_nano) == (3, 10)

    metric.ClearField("sum")
    metric.histogram.aggregation_temporality = DELTA
    for topic, bounds in (("a", [1.0]), ("b", [1.0]), ("c", [2.0])):
        point = metric.histogram.data_points.add(
            count=3, sum=4.0, bucket_counts=[1, 2], explicit_bounds=bounds, min=0.5, max=float(len(topic))
        )
        point.attributes.add(key="topic").value.string_value = topic
    result = rewriter(drop_attributes=["topic"]).rewrite(data.SerializeToString())
    (point,) = points(result.payload)
    assert (point.count, point.sum, list(point.bucket_counts), point.min) == (6, 8.0, [2, 4], 0.5)
    assert result.points == 1


def test_of_gauges_that_become_the_same_the_first_stays() -> None:
    data = MetricsData()
    metric = data.resource_metrics.add().scope_metrics.add().metrics.add(name="lag")
    for topic, value in (("a", 1.0), ("b", 2.0)):
        point = metric.gauge.data_points.add(as_double=value)
        point.attributes.add(key="topic").value.string_value = topic

    result = rewriter(drop_attributes=["topic"]).rewrite(data.SerializeToString())

    assert [point.as_double for point in points(result.payload)] == [1.0]
    assert result.points == 1


@pytest.mark.parametrize(
    "payload",
    [
        b"\xff",
        b"not protobuf",
        java_push()[:-1],
        field(1, field(2, field(2, b"\x0a\x7f"))),
        # A group, which OTLP has none of, and a number without end.
        b"\x0b\x0c",
        b"\x0a" + b"\x80" * 40,
    ],
)
def test_what_cannot_be_read_is_not_passed_on(payload: bytes) -> None:
    with pytest.raises(MalformedPayloadError) as raised:
        rewriter(deny=["x"], drop_attributes=["secret"]).rewrite(payload)
    assert "protobuf" not in str(raised.value)


def test_what_is_hidden_where_otlp_defines_nothing_goes() -> None:
    hidden = field(999, attribute("secret", b"canary"))
    metric = field(1, b"org.a") + field(12, attribute("secret", b"canary")) + hidden
    scope = field(2, metric) + hidden
    payload = field(1, field(2, scope) + hidden) + hidden

    result = rewriter(drop_attributes=["secret"]).rewrite(payload)

    assert b"canary" not in result.payload
    assert names(result) == ["org.a"]


def test_a_field_that_is_there_twice_hides_nothing() -> None:
    twice = field(1, b"org.allowed") + field(1, b"org.denied")
    for metric in (twice, field(1, b"org.denied") + field(1, b"org.allowed")):
        result = rewriter(deny=["org.denied"]).rewrite(field(1, field(2, field(2, metric))))
        assert names(result) == []
    for name in (field(1, b"kept") + field(1, b"secret"), field(1, b"secret") + field(1, b"kept")):
        resource = field(1, field(1, name + field(2, field(1, b"canary"))))
        rewritten = rewriter(drop_attributes=["secret"]).rewrite(field(1, resource)).payload
        # Readers take the last name; the attribute is that, and no other.
        kept = name.endswith(b"kept")
        assert (b"canary" in rewritten) == kept


def attributes_of_any(names: list[str]) -> Any:
    values = strategies.sampled_from(["canary", "x" * 300, ""])
    return strategies.lists(strategies.tuples(strategies.sampled_from(names), values), max_size=4)


METRIC = strategies.tuples(
    strategies.sampled_from(["org.denied.x", "org.b", "c"]),
    strategies.lists(attributes_of_any(["secret", "client_id", "topic"]), max_size=3),
)
RESOURCE = strategies.tuples(
    attributes_of_any(["secret", "kept", "client_id", "service.name"]), strategies.lists(METRIC, max_size=3)
)


def told(attributes: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Say of attributes what may be seen of them."""
    return [
        (key, identity_hash(KEY, "client_id", value) if key in {"client_id", "service.name"} and value else value)
        for key, value in attributes
        if key != "secret"
    ]


def as_message(resources: list[Any], *, is_told: bool) -> MetricsData:
    """Write resources, as they are or as what may be seen of them."""
    seen = told if is_told else list
    data = MetricsData()
    for attributes, metrics in resources:
        one = data.resource_metrics.add()
        one.resource.SetInParent()
        for key, value in seen(attributes):
            one.resource.attributes.add(key=key).value.string_value = value
        scope = one.scope_metrics.add()
        for name, of_points in metrics:
            if is_told and name.startswith("org.denied"):
                continue
            metric = scope.metrics.add(name=name)
            for number, of_point in enumerate(of_points):
                point = metric.gauge.data_points.add(as_double=number)
                point.attributes.add(key="node").value.int_value = number
                for key, value in seen(of_point):
                    point.attributes.add(key=key).value.string_value = value
    return data


@given(strategies.lists(RESOURCE, max_size=3))
def test_any_payload_becomes_what_its_messages_would(resources: list[Any]) -> None:
    treater = rewriter(deny=["org.denied"], drop_attributes=["secret"], identity={"client_id": "hash"})

    result = treater.rewrite(as_message(resources, is_told=False).SerializeToString())

    assert MetricsData.FromString(result.payload) == as_message(resources, is_told=True)
