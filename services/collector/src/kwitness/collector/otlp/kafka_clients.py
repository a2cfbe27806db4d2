"""Gives each Kafka client of a program a resource of its own, with the names under which clients push (KIP-714).

An agent in a program exports the metrics of all its Kafka clients in one resource, and names the client in an attribute
of each point. Series, rules and the inventory are of clients (docs/decisions/0187).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from typing import Any, Final

from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, ResourceMetrics, ScopeMetrics

from kwitness.collector.otlp.bounds import MAX_REPEATED, MAX_RESOURCES, TooMuchError
from kwitness.collector.otlp.decode import attributes_of
from kwitness.contracts.otlp_names import CLIENT_ID_ATTRIBUTES, attribute_name, is_of_client, pushed_name
from kwitness.contracts.semantic_attributes import NAMES_READ

_CLIENT_ID: Final = "messaging.client.id"
_INSTANCE_ID: Final = "service.instance.id"
_HASH_DIGITS: Final = 16
"""Of a client's part of an instance id: identities are cut where Kafka's strings end, and a client id may be hidden."""


class Allowance:
    """How many resources one export may still become, and how many bytes may be written again for them.

    Raises `TooMuchError` when there is nothing left: a few bytes of a point may name a client, and each client has the
    attributes of the whole resource.
    """

    def __init__(self, resources: int = MAX_RESOURCES, repeated: int = MAX_REPEATED) -> None:
        self._most_resources, self._most_repeated = resources, repeated
        self._resources, self._repeated = resources, repeated

    def count_resource(self) -> None:
        """Count a resource."""
        self._resources -= 1
        if self._resources < 0:
            raise TooMuchError(f"it is of more than {self._most_resources} Kafka clients; send smaller batches")

    def count_bytes(self, message: Any) -> None:
        """Count a message that is written again."""
        self._repeated -= message.ByteSize()
        if self._repeated < 0:
            raise TooMuchError(
                f"attributes and names that its Kafka clients share have more than {self._most_repeated} bytes when "
                "they are written for each client; send fewer resource attributes, or smaller batches"
            )


def by_client(resource_metrics: Any, allowance: Allowance) -> Iterable[Any]:
    """Yield a resource for each Kafka client, and one of what is no client's; most resources as they are.

    Raises
    ------
    TooMuchError
        If there are too many clients.
    """
    if not any(is_of_client(metric.name) for scope in resource_metrics.scope_metrics for metric in scope.metrics):
        return [resource_metrics]
    parts: dict[str, Any] = {}
    for scope in resource_metrics.scope_metrics:
        shell = ScopeMetrics(scope=scope.scope, schema_url=scope.schema_url)
        scopes: dict[str, Any] = {}
        for metric in scope.metrics:
            for client, own in _by_client(metric, allowance):
                if client not in scopes:
                    if client not in parts:
                        parts[client] = _resource(resource_metrics, client, allowance)
                    allowance.count_bytes(shell)
                    scopes[client] = parts[client].scope_metrics.add()
                    scopes[client].CopyFrom(shell)
                scopes[client].metrics.append(own)
    return parts.values()


def _resource(resource_metrics: Any, client: str, allowance: Allowance) -> Any:
    """Return the resource of a client, without metrics; "" is no client."""
    allowance.count_resource()
    part = ResourceMetrics(resource=resource_metrics.resource, schema_url=resource_metrics.schema_url)
    if client:
        _name_client(part.resource.attributes, client)
    allowance.count_bytes(part)
    return part


def _name_client(attributes: Any, client: str) -> None:
    """Say of which client a resource is: brokers give each client an instance id, too."""
    own = hashlib.sha256(client.encode()).hexdigest()[:_HASH_DIGITS]
    instances = [found for found in attributes if found.key in NAMES_READ["client_instance_id"]]
    for found in instances or [attributes.add(key=_INSTANCE_ID)]:
        [(_, of_program)] = attributes_of([found])
        found.value.string_value = f"{of_program}/{own}" if of_program else own
    # What the program is set up to say of itself is never replaced.
    if all(found.key != _CLIENT_ID for found in attributes):
        attributes.add(key=_CLIENT_ID).value.string_value = client


def _by_client(metric: Any, allowance: Allowance) -> Iterable[tuple[str, Any]]:
    """Yield a metric's points by client and name; a metric that no Kafka client measured as it is."""
    kind = metric.WhichOneof("data")
    if kind is None or not is_of_client(metric.name):
        yield "", metric
        return
    groups: dict[tuple[str, str | None], Any] = {}
    shell = Metric(name=metric.name, unit=metric.unit)
    _copy_kind(getattr(metric, kind), getattr(shell, kind))
    for point in getattr(metric, kind).data_points:
        attributes = {found.key: found.value.string_value for found in point.attributes}
        client = next((attributes[key] for key in CLIENT_ID_ATTRIBUTES if attributes.get(key)), "")
        pushed = pushed_name(metric.name, attributes)
        own = groups.get((client, pushed))
        if own is None:
            allowance.count_bytes(shell)
            own = groups[client, pushed] = Metric()
            own.CopyFrom(shell)
            own.name = pushed or metric.name
        without = CLIENT_ID_ATTRIBUTES if client else ()
        _copy_point(point, getattr(own, kind).data_points.add(), without, renamed=pushed is not None)
    for (client, _), own in groups.items():
        yield client, own


def _copy_kind(data: Any, shell: Any) -> None:
    """Copy what is said of all points: temporality, and whether a sum only grows."""
    shell.SetInParent()
    for field, value in data.ListFields():
        if field.message_type is None:
            setattr(shell, field.name, value)


def _copy_point(point: Any, own: Any, without: Collection[str], *, renamed: bool) -> None:
    """Copy a point ``without`` some attributes; those of a ``renamed`` metric have the keys of pushes."""
    own.CopyFrom(point)
    own.ClearField("attributes")
    for found in point.attributes:
        if found.key not in without:
            kept = own.attributes.add()
            kept.CopyFrom(found)
            if renamed:
                kept.key = attribute_name(found.key)
