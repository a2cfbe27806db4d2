"""Identity keys under the names of OpenTelemetry's semantic conventions: one table, read and written by.

Pinned to conventions 1.36, where those of messaging are in development, with ``kafka.cluster.id`` of later ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from .identity import IDENTITY_KEYS, IdentityKey

__all__ = ["NAMES_READ", "SEMANTIC_ATTRIBUTES", "SemanticAttribute", "semantic_attributes"]

_RANDOM: Final = "[bcdfghjklmnpqrstvwxz2456789]"
"""Characters that Kubernetes makes random parts of names of."""


class SemanticAttribute(NamedTuple):
    """An attribute of an OTLP resource.

    Attributes
    ----------
    name
        Its key.
    read
        The identity key that it tells where no earlier row and no attribute named like the key does; None for no key.
    written
        The identity keys of which the first that is known becomes its value; none where it is only read.
    pod
        What follows the workload in the name of a pod whose workload it names; None where pods do not matter.
    """

    name: str
    read: IdentityKey | None
    written: tuple[IdentityKey, ...] = ()
    pod: re.Pattern[str] | None = None


_OF_DEPLOYMENT: Final = re.compile(f"-{_RANDOM}{{1,10}}-{_RANDOM}{{5}}")
_OF_STATEFUL_SET: Final = re.compile("-(0|[1-9][0-9]*)")

SEMANTIC_ATTRIBUTES: Final = (
    SemanticAttribute("messaging.kafka.cluster.id", "cluster_id", ("cluster_id",)),
    SemanticAttribute("kafka.cluster.id", "cluster_id", ("cluster_id",)),
    SemanticAttribute("messaging.client.id", "client_id", ("client_id",)),
    SemanticAttribute("messaging.client_id", "client_id"),
    SemanticAttribute("service.name", "client_id", ("k8s_workload", "client_id")),
    SemanticAttribute("service.namespace", None, ("k8s_namespace",)),
    SemanticAttribute("service.instance.id", "client_instance_id", ("client_instance_id",)),
    SemanticAttribute("telemetry.distro.name", "client_software_name", ("client_software_name",)),
    SemanticAttribute("telemetry.sdk.name", "client_software_name"),
    SemanticAttribute("telemetry.distro.version", "client_software_version", ("client_software_version",)),
    SemanticAttribute("telemetry.sdk.version", "client_software_version"),
    SemanticAttribute("messaging.consumer.group.name", "group_id", ("group_id",)),
    SemanticAttribute("messaging.kafka.consumer.group", "group_id"),
    SemanticAttribute("k8s.namespace.name", "k8s_namespace", ("k8s_namespace",)),
    # Which of them a workload is shows in the names of its pods; those of a DaemonSet look like those of a Job.
    SemanticAttribute("k8s.deployment.name", "k8s_workload", ("k8s_workload",), _OF_DEPLOYMENT),
    SemanticAttribute("k8s.statefulset.name", "k8s_workload", ("k8s_workload",), _OF_STATEFUL_SET),
    SemanticAttribute("k8s.daemonset.name", "k8s_workload"),
    SemanticAttribute("k8s.pod.name", "k8s_pod", ("k8s_pod",)),
)
_SYSTEM: Final = ("messaging.system", "kafka")
"""Written for every client."""
_BY_BROKERS_ALONE: Final = frozenset({"broker_id", "listener", "principal", "client_address", "client_source_port"})
"""Identity keys that are not read from a sender's own claim."""

NAMES_READ: Final[Mapping[IdentityKey, tuple[str, ...]]] = MappingProxyType(
    {
        key: (key, *(attribute.name for attribute in SEMANTIC_ATTRIBUTES if attribute.read == key))
        for key in IDENTITY_KEYS
        if key not in _BY_BROKERS_ALONE
    }
)
"""Names of attributes that tell an identity key, the first that is present and not empty first."""


def semantic_attributes(identity: Mapping[str, str]) -> dict[str, str]:
    """Return an identity under semantic names, without those of which nothing is known."""
    pod = identity.get("k8s_pod", "")
    attributes = dict([_SYSTEM])
    for attribute in SEMANTIC_ATTRIBUTES:
        value = next((identity[key] for key in attribute.written if identity.get(key)), None)
        if value is None:
            continue
        if attribute.pod is None or (pod.startswith(value) and attribute.pod.fullmatch(pod, len(value))):
            attributes[attribute.name] = value
    return attributes
