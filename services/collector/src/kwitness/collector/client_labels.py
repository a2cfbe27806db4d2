"""What a Kafka client says of itself in its push, beside what the broker knows of it: the labels of KIP-714.

They are attributes of its OTLP resource. Kafka Streams names its application with its own metrics' points alone
(KIP-1076 and KIP-1091), by the attribute ``application_id``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

RESOURCE_KEYS: Final = (
    "client_rack",
    "group_id",
    "group_instance_id",
    "group_member_id",
    "transactional_id",
    "application_id",
)
"""Identity keys that a client itself tells; the others come from the broker."""
_APPLICATION: Final = "application_id"
_APPLICATION_BYTES: Final = _APPLICATION.encode()
_KEY_HEAD: Final = b"\x0a" + bytes([len(_APPLICATION)])
"""What is before the attribute's key: tag and length."""
_VALUE: Final = b"\x12"
"""Tag of its value."""
_FIRST: Final = 0x0A
"""Tag of field 1 with a length: the resource of a ``ResourceMetrics``, which is field 1 of ``MetricsData`` in turn."""
_REMEMBERED: Final = 4_096
"""Resources remembered: the same clients come again and again."""
_REMEMBERED_BYTES: Final = 1_024
_MAX_BYTES: Final = 256 * 1024
"""Bytes of a resource that is read: all keys at their longest, and some more."""
_MAX: Final = 32_767
"""As long as Kafka's strings may be."""
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def told_by_client(payload: bytes) -> Mapping[str, str]:
    """Return the identity keys that a push tells; nothing where it cannot be read."""
    resource = _first_resource(payload)
    if len(resource) > _MAX_BYTES:
        resource = b""
    if len(resource) > _REMEMBERED_BYTES:
        told = _of_resource.__wrapped__(resource)
    else:
        told = _of_resource(resource) if resource else _NOTHING
    if (at := payload.find(_APPLICATION_BYTES)) >= 0 and _APPLICATION not in told:
        application = _application(payload, at - len(_KEY_HEAD))
        if application:
            return {**told, _APPLICATION: application}
    return told


@lru_cache(maxsize=_REMEMBERED)
def _of_resource(resource: bytes) -> Mapping[str, str]:
    try:
        attributes = {one.key: str(one.value.string_value) for one in Resource.FromString(resource).attributes}
    except DecodeError:
        return _NOTHING
    return MappingProxyType({key: attributes[key][:_MAX] for key in RESOURCE_KEYS if attributes.get(key)})


def _first_resource(payload: bytes) -> bytes:
    """Find the bytes of the first resource, where every client writes it: before anything else."""
    try:
        if payload[0] != _FIRST:
            return b""
        _, position = _length(payload, 1)
        if payload[position] != _FIRST:
            return b""
        size, position = _length(payload, position + 1)
    except IndexError:
        return b""
    return payload[position : position + size]


def _application(payload: bytes, at: int) -> str:
    """Read the attribute that begins at ``at``; nothing where the same bytes are of something else, such as a text."""
    value = at + len(_KEY_HEAD) + len(_APPLICATION_BYTES)
    if not payload.startswith(_KEY_HEAD, max(at, 0)) or payload[value : value + 1] != _VALUE:
        return ""
    try:
        size, content = _length(payload, value + 1)
        attribute = KeyValue.FromString(payload[at : content + size])
    except (IndexError, DecodeError):
        return ""
    return str(attribute.value.string_value)[:_MAX]


def _length(data: bytes, position: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004 - the continuation bit
            return number, position
        shift += 7
