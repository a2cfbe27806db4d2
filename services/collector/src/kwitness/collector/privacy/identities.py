"""Who pushed, as everybody outside is told it: each identity key kept, hashed or dropped."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Final, Literal

from kwitness.collector.events import Event, instance_of
from kwitness.contracts.identity import IdentityKey
from kwitness.contracts.identity_hashing import identity_hash
from kwitness.contracts.record_headers import PLAIN_OTLP

_INSTANCE: Final = "client_instance_id"
_DERIVED: Final = b"instance\0"
"""Begins what is hashed in place of a client instance id; a value of an identity key begins with the key's name."""


class IdentityTreater:
    """Treats identities by what is ``chosen`` for each key; keys that are not in it are kept."""

    def __init__(self, chosen: Mapping[IdentityKey, Literal["hash", "drop"]], key: bytes) -> None:
        self.chosen = chosen
        self._key = key

    def value(self, field: IdentityKey, value: str) -> str | None:
        """Return what is told in place of a value; None for nothing."""
        match self.chosen.get(field):
            case "hash":
                return identity_hash(self._key, field, value) if value else value
            case "drop":
                return None
            case _:
                return value

    def identity(self, raw: Mapping[str, str]) -> dict[str, str]:
        """Return the identity as it is told."""
        told = dict(raw)
        for field in self.chosen:
            value = self.value(field, told.pop(field, ""))
            if value:
                told[field] = value
        return {key: told[key] for key in raw if key in told}

    def instance(self, raw: Mapping[str, str]) -> str:
        """Return by what a client is told from others: its instance id as it is told, else a hash that is its own.

        It is the same for every replica, and after a restart.
        """
        known = raw.get(_INSTANCE)
        if known and self.chosen.get(_INSTANCE) != "drop":
            return self.value(_INSTANCE, known) or known
        return self._derived(instance_of(raw))

    def key(self, event: Event) -> str:
        """Return by what the client of a push is told from others; of plain OTLP that is a hash of its own.

        A sidecar's client stays one of its pod's namespace, whose share it is of.
        """
        if event.is_of_pod:
            pods, namespace, _ = event.instance.split("/", 2)
            shown = self.value("k8s_namespace", namespace) or self._derived(namespace)
            return f"{pods}/{shown}/{self._derived(event.instance)}"
        if event.is_plain_otlp and event.known_as is not None:
            return PLAIN_OTLP + self._derived(event.known_as)
        return self.instance(event.identity)

    def asking(self, instance: str) -> str:
        """Return an instance of a heartbeat as `instance` would return that of its pushes."""
        return self.instance({_INSTANCE: instance})

    def _derived(self, instance: str) -> str:
        text = _DERIVED + instance.encode("utf-8", "surrogatepass")
        return f"derived-{hmac.digest(self._key, text, hashlib.sha256).hex()[:16]}"
