"""Reads the identity of a plain OTLP push from its resource's attributes, by `contracts.semantic_attributes`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from kwitness.collector.events import instance_of
from kwitness.collector.otlp.points import Attributes
from kwitness.contracts.record_headers import PLAIN_OTLP
from kwitness.contracts.semantic_attributes import NAMES_READ

_REMEMBERED: Final = 4_096
"""Resources remembered: the same senders come again and again."""
_REMEMBERED_CHARACTERS: Final = 1_024
_MAX: Final = 32_767
"""As long as Kafka's strings may be."""


_MAX_KEY: Final = 64
"""Bytes of a key that is kept as it is."""
_HASH_DIGITS: Final = 32
_KEY: Final = {ord("%"): "%25", ord("/"): "%2F"}


def key_of(attributes: Attributes, identity: Mapping[str, str]) -> str:
    """Return by what a sender is told from others: an instance id is unique within its service alone.

    A sender that names no instance is told from others by its whole identity. A long key becomes a hash: it is
    remembered in many places. That has no slash, so that no other key is like it.
    """
    told = dict(attributes)
    parts = (told.get("service.namespace", ""), told.get("service.name", ""), instance_of(identity))
    key = "/".join(part[:_MAX].translate(_KEY) for part in parts)
    encoded = key.encode("utf-8", "surrogatepass")
    if len(encoded) > _MAX_KEY:
        key = hashlib.sha256(encoded).hexdigest()[:_HASH_DIGITS]
    return PLAIN_OTLP + key


def identity_of(attributes: Attributes) -> Mapping[str, str]:
    """Return the identity keys that the attributes tell, each from the first name that is there and not empty."""
    if sum(len(value) for _, value in attributes) > _REMEMBERED_CHARACTERS:
        return _identity_of.__wrapped__(attributes)
    return _identity_of(attributes)


@lru_cache(maxsize=_REMEMBERED)
def _identity_of(attributes: Attributes) -> Mapping[str, str]:
    told = dict(attributes)
    found: dict[str, str] = {}
    for key, names in NAMES_READ.items():
        value = next((told[name] for name in names if told.get(name)), None)
        if value is not None:
            found[key] = value[:_MAX]
    return MappingProxyType(found)
