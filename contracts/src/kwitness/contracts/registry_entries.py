"""The shapes of the registries' entries. The entries themselves are in `contracts/registry/*.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "ClientMetric",
    "KafkaApi",
    "KafkaError",
    "KubernetesEvent",
    "OwnMetric",
    "Reason",
    "RecordHeader",
    "Software",
    "SoftwareDefect",
    "Topic",
    "WarningType",
]

Version = tuple[int, int, int]
"""Major, minor and patch."""
Role = Literal["producer", "consumer", "share consumer", "admin", "streams"]


@dataclass(frozen=True, slots=True)
class ClientMetric:
    """A metric that Kafka clients push.

    Attributes
    ----------
    name
        Name on the wire, such as org.apache.kafka.producer.node.request.latency.avg.
    prometheus_name
        The one name it has in Prometheus, whoever sent it.
    type
        The one type it has in Prometheus, whatever the client declares.
    unit
        Unit of the value on the wire: ms, ns, s, bytes or 1.
    scale
        Factor from the wire to the base unit (0.001 for ms).
    combine
        How instances that share a series combine.
    required
        Whether KIP-714 as adopted demands it.
    role
        Which kind of client sends it; None for all under one name.
    senders
        Client libraries known to send it: java, librdkafka.
    help
        What it is, for HELP.
    """

    name: str
    prometheus_name: str
    type: Literal["counter", "gauge"]
    unit: Literal["ms", "ns", "s", "bytes", "1"]
    scale: float
    combine: Literal["sum", "max", "min", "mean"]
    required: bool
    role: Role | None
    senders: tuple[str, ...]
    help: str


@dataclass(frozen=True, slots=True)
class OwnMetric:
    """A metric of our own processes; `source` says which one exposes it.

    `bounds` are those of a histogram whose counts come from elsewhere, in the metric's unit.
    """

    name: str
    type: Literal["counter", "gauge", "histogram"]
    labels: tuple[str, ...]
    source: str
    help: str
    bounds: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class KafkaError:
    """An error code of Kafka's protocol, and its name there."""

    code: int
    name: str


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of the platform; `name` follows the prefix that the KafkaCluster sets.

    Attributes
    ----------
    name
        Name after the prefix.
    key, value
        What the record's key and value are.
    schema, version
        The name and version that each record carries.
    status
        Whether something writes it already.
    writer
        Where its records come from.
    brought_by
        Which resources have it written: the end of "nothing has written it: ... would".
    help
        What it is for.
    """

    name: str
    key: str
    value: str
    schema: str
    version: int
    status: Literal["used", "reserved"]
    writer: str
    brought_by: str
    help: str


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """A header of records in `topics` (names without the prefix), as UTF-8 text of `type`."""

    name: str
    type: Literal["string", "int64", "boolean"]
    topics: tuple[str, ...]
    required: bool
    help: str


@dataclass(frozen=True, slots=True)
class Software:
    """A client software by the name it announces (KIP-511).

    Attributes
    ----------
    name
        The announced name.
    engine
        What speaks the protocol: librdkafka, java, or an implementation of its own.
    version
        Where librdkafka's version is in the announced one: suffix, same or none.
    pushes_since
        First version that pushes telemetry (of librdkafka, for its bindings), never, or unknown.
    kafka_4_since
        First version that Kafka 4.0 was decided to go on answering (KIP-896; of librdkafka, for its bindings), or
        unknown.
    language
        For which language it is.
    """

    name: str
    engine: Literal["librdkafka", "java", "other"]
    version: Literal["suffix", "same", "none"]
    pushes_since: str
    kafka_4_since: str
    language: str


@dataclass(frozen=True, slots=True)
class SoftwareDefect:
    """Something that is known to be wrong with a client software.

    Attributes
    ----------
    id
        A stable word that begins with the harm.
    harm
        What it does to telemetry: some is lost, wrong or costly; or to the client: a crash, a disconnection.
    software
        The announced name; librdkafka stands for all its bindings.
    affected
        First and last version of each range, both affected; of librdkafka, for its bindings.
    fixed_in
        First version without it, of each release line that has one.
    effect
        What such a client does, as the end of a sentence about it.
    source
        Where the project says so.
    """

    id: str
    harm: Literal["Crash", "Disconnect", "Lost", "Wrong", "Costly"]
    software: str
    affected: tuple[tuple[Version, Version], ...]
    fixed_in: tuple[str, ...]
    effect: str
    source: str


@dataclass(frozen=True, slots=True)
class KafkaApi:
    """An API of Kafka.

    Attributes
    ----------
    number
        Its number on the wire, `api_key`.
    name
        Its name in the newest release that has it.
    versions
        First and last version, by the release of Kafka whose brokers answer them and whose Java clients know them.
    """

    number: int
    name: str
    versions: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason of a condition; without `kinds` every kind may have it.

    `kstatus` is the condition that is True beside Ready for as long as Ready has this reason.
    """

    reason: str
    condition: str
    status: Literal["True", "False", "Unknown"]
    kinds: tuple[str, ...]
    meaning: str
    remedy: str
    kstatus: Literal["Stalled", "Reconciling", "none"] = "none"


@dataclass(frozen=True, slots=True)
class WarningType:
    """A type of warning in the status of a resource of `kind`; `source` says who notices."""

    type: str
    source: Literal["operator", "plugin"]
    meaning: str
    kind: str = "KafkaCluster"


@dataclass(frozen=True, slots=True)
class KubernetesEvent:
    """An event that the operator writes about resources of `kinds`."""

    reason: str
    type: Literal["Normal", "Warning"]
    kinds: tuple[str, ...]
    meaning: str
