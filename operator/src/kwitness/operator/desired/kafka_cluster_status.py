"""The status of a KafkaCluster, from what was seen of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from kwitness.contracts.envelopes import MOST_INSTANCES, BrokerState, ClusterState
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.sasl import MECHANISMS
from kwitness.contracts.software import parse_version
from kwitness.contracts.software_defects import pushes_null
from kwitness.contracts.topics import USED_TOPICS, topic_name
from kwitness.operator.model.cluster_description import (
    BrokerDescription,
    ClusterDescription,
    TopicDescription,
    WantedTopic,
)
from kwitness.operator.model.listed_names import some_of
from kwitness.operator.model.store import Key
from kwitness.subscriptions.broker_subscription import ALL_METRICS, BrokerSubscription
from kwitness.subscriptions.risk import SAFE_PREFIX, Software, endangered_by

__all__ = ["cluster_fields", "disconnected_software", "topic_names", "wanted_topics", "warnings"]

_CVE_LIST: Final = "https://kafka.apache.org/cve-list"
_FIXED_IN: Final = {(4, 2): (4, 2, 2), (4, 3): (4, 3, 2)}
_FIXED_FOR_GOOD: Final = (4, 4, 0)
_PRESENT_MS: Final = 3_600_000
"""Software not seen for an hour, while other software was, counts as gone."""
_RACK, _VERSION, _LISTENER = 255, 64, 128
_NODE_IDS, _FIRST, _LISTENERS, _WARNINGS = 1000, 10, 64, 64
_NEARLY: Final = 80
"""Percent of the client instances that a broker can remember from which on it is a warning."""
"""Bounds of the definition. What brokers say is cut to them, since one text too long would have all of it refused."""
_WORD: Final = re.compile(r"[A-Z][A-Za-z0-9]{0,63}")


def topic_names(cluster: KafkaCluster) -> tuple[str, ...]:
    """Names of the platform's topics on this cluster."""
    return tuple(topic_name(cluster.spec.topics.prefix, topic.name) for topic in USED_TOPICS)


def wanted_topics(cluster: KafkaCluster, brokers: int) -> tuple[WantedTopic, ...]:
    """The platform's topics as they are created when they are missing."""
    spec = cluster.spec.topics.on_create
    replication = spec.replication_factor or min(3, max(1, brokers))
    configs = {
        "cleanup.policy": "delete",
        "retention.ms": str(round(parse_duration(spec.retention).total_seconds() * 1000)),
    }
    if replication >= 3:  # noqa: PLR2004 - with two replicas a minimum of two would stop writes at every restart
        configs["min.insync.replicas"] = "2"
    return tuple(WantedTopic(name, spec.partitions, replication, configs) for name in topic_names(cluster))


def cluster_fields(
    seen: ClusterDescription, inventory: ClusterState | None, found: list[dict[str, Any]]
) -> dict[str, Any]:
    """Fields of the status; ``found`` are the warnings."""
    heartbeats = {state.broker_id: state for state in inventory.brokers} if inventory else {}
    versions = sorted({state.kafka_version for state in heartbeats.values() if state.kafka_version}, key=_sortable)
    return {
        "clusterId": seen.cluster_id,
        "brokers": _brokers(seen.brokers, heartbeats),
        "kafkaVersion": (versions[0] if versions else seen.lower_bound)[:_VERSION],
        "listeners": _listeners(heartbeats),
        "warnings": found,
    }


def _brokers(brokers: Sequence[BrokerDescription], heartbeats: Mapping[str, BrokerState]) -> dict[str, Any]:
    plugins = {broker.id: _of(heartbeats, broker.id, "plugin_version") for broker in brokers}
    return {
        "total": len(brokers),
        "telemetry": sum(broker.telemetry is True for broker in brokers),
        "plugin": sum(version is not None for version in plugins.values()),
        "nodeIds": [broker.id for broker in brokers[:_NODE_IDS]],
        "first": [
            _without_none(
                {
                    "id": broker.id,
                    "host": broker.host,
                    "port": broker.port,
                    "rack": broker.rack if broker.rack is None else broker.rack[:_RACK],
                    "telemetry": broker.telemetry,
                    "plugin": plugins[broker.id],
                    "version": _of(heartbeats, broker.id, "kafka_version"),
                }
            )
            for broker in brokers[:_FIRST]
        ],
    }


def _of(heartbeats: Mapping[str, BrokerState], broker_id: int, field: str) -> str | None:
    found: str | None = getattr(heartbeats.get(str(broker_id)), field, None)
    return found if found is None else found[:_VERSION]


def _listeners(heartbeats: Mapping[str, BrokerState]) -> list[dict[str, Any]]:
    names: dict[str, bool] = {}
    for state in heartbeats.values():
        for listener in (state.listeners or "").split(","):
            name = listener.partition("://")[0].strip()
            if name:
                short = name[:_LISTENER]
                names[short] = names.get(short, False) or name == state.inter_broker_listener
    return [{"name": name, "interBroker": inter_broker} for name, inter_broker in sorted(names.items())[:_LISTENERS]]


def warnings(
    *,
    cluster: KafkaCluster,
    seen: ClusterDescription,
    inventory: ClusterState | None,
    deletion_held: Collection[str],
    disconnected: Sequence[str] = (),
    elsewhere: Mapping[Key, Sequence[str]] = MappingProxyType({}),
    owners: Mapping[str, str] = MappingProxyType({}),
    clients: Mapping[str, str] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """What to know about a cluster that works; one entry per type, sorted.

    ``disconnected`` is what `disconnected_software` found; ``owners`` what is wrong with the owners, and ``clients``
    with versions of clients, by type. ``elsewhere`` is by TelemetryCollector which brokers report to it instead.
    """
    found: dict[str, str] = {**owners, **clients}
    versions = [state.kafka_version for state in inventory.brokers if state.kafka_version] if inventory else []
    if message := _defects(versions, seen.lower_bound):
        found["KnownDefects"] = message
    without = [str(broker.id) for broker in seen.brokers if broker.telemetry is False]
    if without:
        found["TelemetryMissing"] = (
            f"brokers {', '.join(without)} take no client telemetry: install the kwitness plugin there"
            " (metric.reporters), or clients connected to them stay silent"
        )
    if differing := _differing(cluster, seen.topics, len(seen.brokers)):
        found["TopicDiffers"] = f"{'; '.join(differing)}; existing topics are never changed"
    if cluster.spec.authentication.insecure_plaintext and cluster.spec.authentication.type in MECHANISMS:
        found["PlaintextCredentials"] = (
            "the operator's password travels unencrypted (spec.authentication.insecurePlaintext)"
        )
    if elsewhere:
        where = "; ".join(
            f"of broker{'s' if len(ids) > 1 else ''} {some_of(ids)} to TelemetryCollector {key}"
            for key, ids in sorted(elsewhere.items())
        )
        found["ReportedElsewhere"] = (
            f"plugins report {where}, and not to the collector that acts for this cluster, which knows nothing of these"
            " brokers: change kwitness.collector.url there, or name the other collector in spec.collectorRef"
        )
    if deletion_held:
        found["DeletionHeld"] = (
            f"{', '.join(sorted(deletion_held))} stays on the broker though its resource is gone or suspended: without"
            " it, another subscription would abort librdkafka 2.5.0 to 2.5.2 clients, or could, as it is not known who"
            " is connected"
        )
    if disconnected:
        found["ClientsDisconnected"] = (
            f"{', '.join(disconnected[:5])} take one of several prefixes into account and push a null payload if that"
            " matches nothing, upon which the broker closes the connection, at every push: upgrade to librdkafka 2.10.1"
            f" or newer, make spec.metrics of what reaches them just {SAFE_PREFIX} or {ALL_METRICS}, or keep them out"
            " by spec.match"
        )
    found.update(_from_plugins(inventory.brokers if inventory else ()))
    return [{"type": kind, "message": message[:1024]} for kind, message in sorted(found.items())[:_WARNINGS]]


def _from_plugins(brokers: Sequence[BrokerState]) -> dict[str, str]:
    found: dict[str, str] = {}
    near = [(one.broker_id, share) for one in brokers if (share := nearly_full(one)) is not None]
    if near:
        shares = ", ".join(f"{share} % in broker {broker_id}" for broker_id, share in near[:10])
        found["ClientInstancesNearLimit"] = (
            f"brokers remember at most {MOST_INSTANCES} client instances each, and have nearly reached that ({shares});"
            " beyond it the one that asked least recently is"
            " forgotten, has its pushes refused and falls silent: spread clients over more brokers, keep clients open"
            " instead of making one for each task, or turn telemetry off for short-lived ones"
            " (enable.metrics.push=false)"
        )
    for state in brokers:
        if state.gauge_truncated:
            found["GaugeTruncated"] = (
                f"broker {state.broker_id} counts connections of 100 software versions per network thread at most and"
                " has reached that; its counts are incomplete"
            )
        for word in filter(_WORD.fullmatch, state.warnings):
            found[word] = f"broker {state.broker_id}'s plugin warns of {word}: see its log"
    return found


def nearly_full(broker: BrokerState) -> int | None:
    """How many percent of the client instances that it can remember a broker does; None while that is no warning."""
    share = 100 * (broker.client_instances or 0) // MOST_INSTANCES
    return share if share >= _NEARLY else None


def disconnected_software(
    inventory: ClusterState | None, subscriptions: Collection[BrokerSubscription] | None
) -> list[str]:
    """Name and version of present software that the broker may disconnect when it pushes, sorted.

    Judged by what librdkafka 2.5 can send, as for clients at risk; later versions can send a little more.
    """
    software = inventory.software if inventory else ()
    newest = max((one.last_seen_ms for one in software), default=0)
    return sorted(
        f"{one.client_software_name} {one.client_software_version}"
        for one in software
        if newest - one.last_seen_ms < _PRESENT_MS
        and pushes_null(one.client_software_name, one.client_software_version)
        and endangered_by(subscriptions or (), Software(one.client_software_name, one.client_software_version))
    )


def _defects(versions: Collection[str], lower_bound: str) -> str | None:
    what = "defects in handling client telemetry (unbounded decompression) and tagged fields before authentication"
    affected = sorted({version for version in versions if _is_affected(version)}, key=_sortable)
    if affected:
        return f"Kafka {', '.join(affected)} has {what}, fixed in 4.2.2, 4.3.2 and 4.4.0: upgrade, see {_CVE_LIST}"
    if not versions and _sortable(lower_bound) < _FIXED_FOR_GOOD:
        return (
            f"{what} cannot be ruled out: without the plugin the version is only known to be {lower_bound} or newer;"
            f" fixed in 4.2.2, 4.3.2 and 4.4.0, see {_CVE_LIST}"
        )
    return None


def _is_affected(version: str) -> bool:
    number = _sortable(version)
    return number < _FIXED_IN.get(number[:2], _FIXED_FOR_GOOD)


def _sortable(version: str) -> tuple[int, int, int]:
    return parse_version(version) or (0, 0, 0)


def _differing(cluster: KafkaCluster, present: Mapping[str, TopicDescription], brokers: int) -> list[str]:
    differing = []
    for wanted in wanted_topics(cluster, brokers):
        topic = present.get(wanted.name)
        if topic is None:
            continue
        if topic.partitions != wanted.partitions:
            differing.append(f"{wanted.name} has {topic.partitions} partitions, not {wanted.partitions}")
        if topic.replication_factor != wanted.replication_factor:
            differing.append(f"{wanted.name} has {topic.replication_factor} replicas, not {wanted.replication_factor}")
        for key, value in wanted.configs.items():
            if (found := topic.configs.get(key, value)) != value:
                differing.append(f"{wanted.name} has {key} {found}, not {value}")
    return differing


def _without_none(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value is not None}
