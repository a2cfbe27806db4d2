"""What the operator asks of a Kafka cluster, and the two things it changes there: CLIENT_METRICS configs and topics.

Each call opens a client of its own and closes it: a long-lived one would take a broker's restart for a wrong password.
Everything blocks in a thread, with time-outs, so that the event loop never waits for a broker.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, TypeVar

from kafka import errors as kafka_errors
from kafka.admin import AlterConfigOp, ConfigResource, ConfigResourceType

from kwitness.operator.adapters.kafka_client import AdminClient, BootstrapError, open_client
from kwitness.operator.adapters.kafka_connection import KafkaConnection
from kwitness.operator.adapters.kafka_failures import Operation, from_bootstrap, from_exception, from_result, from_topic
from kwitness.operator.adapters.kafka_helpers import KafkaHelpers
from kwitness.operator.adapters.kafka_probe import probe
from kwitness.operator.adapters.own_thread import in_own_thread
from kwitness.operator.model.broker_listeners import BrokerListener, listener_configs, listeners_of
from kwitness.operator.model.cluster_description import (
    TOPIC_CONFIGS,
    BrokerDescription,
    ClusterDescription,
    TopicDescription,
    WantedTopic,
)
from kwitness.operator.model.errors import OperatorError, OvertakenError, TransientError
from kwitness.subscriptions.broker_subscription import CONFIG_KEYS

__all__ = ["KafkaAdmin", "describe"]

_CALL_SECONDS: Final = 120.0
"""Upper bound for one call as a whole; the library's own time-outs of 10 s each come first."""

_MOST_AT_ONCE: Final = 4
"""Calls that read answers in this process: each may need 80 MiB for them, which the chart's memory limit counts."""

_SECOND_TRY_SECONDS: Final = 0.5
"""A connection that a restarting broker cut during SASL looks like a refusal once, but not twice."""

_PROBE_RESOURCE: Final = "kwitness.probe"
"""Name for the ``validate_only`` alter that finds out about ALTER_CONFIGS; nothing of this name is ever written."""

_SEEN: Final = frozenset({0, kafka_errors.UnknownTopicOrPartitionError.errno})
"""What brokers say of a topic that is there, and of one that is not."""

_OF_SUBSCRIPTIONS: Final = frozenset({"Forbidden", "InvalidPattern", "Unsupported", "NotCarriedOut"})
"""Reasons that say nothing against the cluster itself."""

T = TypeVar("T")


class _Fence:
    """What a write is let through by: somebody waits for it, and what it was decided from still holds."""

    def __init__(self, holds: Callable[[], bool]) -> None:
        self._holds = holds
        self._awaited = True

    def leave(self) -> None:
        """Nobody waits any more."""
        self._awaited = False

    def check(self) -> None:
        """Ask right before a write is sent, in the thread that sends it."""
        if not (self._awaited and self._holds()):
            raise OvertakenError


def _always() -> bool:
    return True


class KafkaAdmin:
    """The adapter; its state is who may read answers now."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(_MOST_AT_ONCE)
        self._helpers = KafkaHelpers()

    async def observe(
        self,
        connection: KafkaConnection,
        topics: tuple[str, ...],
        listeners: tuple[str, ...] = (),
        *,
        reached: bool = True,
    ) -> ClusterDescription:
        """Describe the cluster and find out whether the operator's permissions suffice.

        Brokers are asked for their ``listeners`` of these names; without any for none. A cluster that was not
        ``reached`` the last time is described by a helper process.

        Raises
        ------
        OperatorError
            Reasons HostNotAllowed, Unreachable, TlsFailed, AuthenticationFailed, Forbidden, ClusterIdChanged,
            AnswerTooLarge.
        """
        if not reached:
            await _probed(connection)
            return await self._helpers.describe(connection, topics, listeners)
        return await self._in_thread(connection, lambda client: _observe(client, connection, topics, listeners))

    async def subscriptions(self, connection: KafkaConnection) -> dict[str, dict[str, str]]:
        """Every CLIENT_METRICS resource with the values that are set on it.

        Raises
        ------
        OperatorError
            As `observe`.
        """
        return await self._in_thread(connection, lambda client: _subscriptions(client, connection))

    async def alter(
        self,
        connection: KafkaConnection,
        changes: Mapping[str, Mapping[str, str] | None],
        *,
        holds: Callable[[], bool] = _always,
    ) -> dict[str, OperatorError | None]:
        """Write (or, for None, remove) CLIENT_METRICS resources, all in one request.

        Returns the error of each, None where it was carried out. ``holds`` is asked right before the request is sent,
        in another thread.

        Raises
        ------
        OvertakenError
            It does not hold; nothing was sent.
        OperatorError
            When the request as a whole failed.
        """
        fence = _Fence(holds)
        return await self._in_thread(connection, lambda client: _alter(client, connection, changes, fence), fence)

    async def create_topics(
        self,
        connection: KafkaConnection,
        topics: tuple[WantedTopic, ...],
        *,
        holds: Callable[[], bool] = _always,
    ) -> dict[str, OperatorError | None]:
        """Create topics; one that exists by now counts as created. ``holds`` is as in `alter`.

        Raises
        ------
        OvertakenError
            As in `alter`.
        OperatorError
            When the request as a whole failed.
        """
        fence = _Fence(holds)
        return await self._in_thread(
            connection, lambda client: _create_topics(client, connection, topics, fence), fence
        )

    async def _in_thread(
        self, connection: KafkaConnection, action: Callable[[AdminClient], T], fence: _Fence | None = None
    ) -> T:
        def work() -> T:
            with _client(connection) as client:
                return action(client)

        # A listener that does not answer keeps no place from others.
        await _probed(connection)
        try:
            async with self._places, _deadline():
                return await in_own_thread(work)
        finally:
            if fence is not None:
                # The thread goes on after the deadline, and may find out what it likes.
                fence.leave()


async def _probed(connection: KafkaConnection) -> None:
    async with _deadline():
        await in_own_thread(lambda: probe(connection))


@asynccontextmanager
async def _deadline() -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(_CALL_SECONDS):
            yield
    except TimeoutError as error:
        raise TransientError("Unreachable", f"the cluster did not answer within {_CALL_SECONDS:g} s") from error


def describe(connection: KafkaConnection, topics: tuple[str, ...], listeners: tuple[str, ...]) -> ClusterDescription:
    """Do as `KafkaAdmin.observe` does. Blocks."""
    with _client(connection) as client:
        return _observe(client, connection, topics, listeners)


@contextmanager
def _client(connection: KafkaConnection) -> Iterator[AdminClient]:
    try:
        client = open_client(connection)
    except BootstrapError:
        time.sleep(_SECOND_TRY_SECONDS)
        probe(connection)
        try:
            client = open_client(connection)
        except BootstrapError as error:
            raise from_bootstrap(error, connection) from error
    try:
        _check_cluster(client, connection)
        yield client
    finally:
        client.close()


def _check_cluster(client: AdminClient, connection: KafkaConnection) -> None:
    # A cluster recreated at the same address must get nothing before its KafkaCluster has been looked at again.
    found = client._manager.cluster.cluster_id  # noqa: SLF001 - asking would be a request more for each call
    if connection.cluster_id not in {None, found}:
        raise TransientError(
            "ClusterIdChanged", f"the addresses lead to cluster {found}, no longer to {connection.cluster_id}"
        )


def _observe(
    client: AdminClient, connection: KafkaConnection, topics: tuple[str, ...], listeners: tuple[str, ...]
) -> ClusterDescription:
    with _translated("DESCRIBE", connection):
        cluster_id, brokers = client.describe_brokers()
        found = client.describe_topics(list(topics))
        existing = [topic for topic in found if topic["error_code"] == 0]
        topic_configs = _topic_configs(client, [topic["name"] for topic in existing])
    configs, refused = _permitted_subscriptions(client, connection)
    return ClusterDescription(
        cluster_id=cluster_id,
        brokers=tuple(
            BrokerDescription(
                id=broker["broker_id"],
                host=broker["host"],
                port=broker["port"],
                rack=broker.get("rack"),
                telemetry=_telemetry(client, broker["broker_id"]),
                listeners=_listeners(client, broker["broker_id"], listeners),
            )
            for broker in sorted(brokers, key=lambda one: int(one["broker_id"]))
        ),
        lower_bound=".".join(str(part) for part in client._manager.broker_version),  # noqa: SLF001 - no other way
        topics={
            topic["name"]: TopicDescription(
                partitions=len(topic["partitions"]),
                replication_factor=min((len(one["replica_nodes"]) for one in topic["partitions"]), default=0),
                configs=topic_configs.get(topic["name"], {}),
            )
            for topic in existing
        },
        subscriptions=configs,
        refused=refused,
        hidden_topics=frozenset(topic["name"] for topic in found if topic["error_code"] not in _SEEN),
    )


def _permitted_subscriptions(
    client: AdminClient, connection: KafkaConnection
) -> tuple[dict[str, dict[str, str]], OperatorError | None]:
    """Every CLIENT_METRICS resource, or why the operator cannot read or write them: then nobody needs to know them."""
    try:
        configs = _subscriptions(client, connection)
        _check_alter(client, connection)
    except OperatorError as error:
        if error.reason not in _OF_SUBSCRIPTIONS:
            raise
        return {}, error
    return configs, None


def _telemetry(client: AdminClient, broker_id: int) -> bool | None:
    try:
        return client.has_telemetry(broker_id)
    except kafka_errors.KafkaError:
        # The others still count; a broker that is down comes back with the next look.
        return None


def _listeners(client: AdminClient, broker_id: int, names: tuple[str, ...]) -> tuple[BrokerListener, ...] | None:
    if not names:
        return None
    wanted = dict.fromkeys(listener_configs(names))
    resource = ConfigResource(ConfigResourceType.BROKER, str(broker_id), configs=wanted)
    try:
        described = client.describe_configs([resource], config_filter="all").get("broker", {})
        configs = {key: entry["value"] for key, entry in described.get(str(broker_id), {}).items()}
        return listeners_of(broker_id, configs, names) if configs else None
    except (kafka_errors.KafkaError, ValueError):
        # As of a broker that is down.
        return None


def _topic_configs(client: AdminClient, names: list[str]) -> dict[str, dict[str, str]]:
    if not names:
        return {}
    wanted = [ConfigResource(ConfigResourceType.TOPIC, name, configs=dict.fromkeys(TOPIC_CONFIGS)) for name in names]
    # For a topic that may not be described the library drops the error and returns no values.
    described = client.describe_configs(wanted, config_filter="all").get("topic", {})
    return {name: {key: entry["value"] for key, entry in entries.items()} for name, entries in described.items()}


def _subscriptions(client: AdminClient, connection: KafkaConnection) -> dict[str, dict[str, str]]:
    kind = ConfigResourceType.CLIENT_METRICS
    with _translated("DESCRIBE_CONFIGS", connection):
        listed = client.list_config_resources([kind]).get("client_metrics", [])
        if not listed:
            return {}
        described = client.describe_configs([ConfigResource(kind, name) for name in sorted(listed)])
    found: dict[str, dict[str, Any]] = described.get("client_metrics", {})
    return {
        name: {key: entry["value"] for key, entry in entries.items() if entry["value"] is not None}
        for name, entries in found.items()
    }


def _check_alter(client: AdminClient, connection: KafkaConnection) -> None:
    resource = ConfigResource(ConfigResourceType.CLIENT_METRICS, _PROBE_RESOURCE, configs={"interval.ms": "300000"})
    with _translated("ALTER_CONFIGS", connection):
        answer = client.alter_configs([resource], validate_only=True, raise_on_unknown=False, incremental=True)
    error = from_result(answer["client_metrics"][_PROBE_RESOURCE], "ALTER_CONFIGS", connection)
    if error is not None:
        raise error


def _alter(
    client: AdminClient,
    connection: KafkaConnection,
    changes: Mapping[str, Mapping[str, str] | None],
    fence: _Fence,
) -> dict[str, OperatorError | None]:
    if not changes:
        return {}
    # Removals first: within one request a subscription must not lose its protection before it is gone itself.
    ordered = sorted(changes.items(), key=lambda item: (item[1] is not None, item[0]))
    resources = [
        ConfigResource(
            ConfigResourceType.CLIENT_METRICS,
            name,
            configs={key: _operation(configs, key) for key in CONFIG_KEYS},
        )
        for name, configs in ordered
    ]
    fence.check()
    with _translated("ALTER_CONFIGS", connection):
        answer = client.alter_configs(resources, raise_on_unknown=False, incremental=True)
    results: dict[str, str] = answer.get("client_metrics", {})
    return {name: from_result(results.get(name, "no answer"), "ALTER_CONFIGS", connection) for name in changes}


def _operation(configs: Mapping[str, str] | None, key: str) -> tuple[AlterConfigOp, str | None]:
    # Kafka 3.7 takes an empty list for a list of one empty entry and refuses it; the default is the empty list.
    value = (configs or {}).get(key)
    return (AlterConfigOp.SET, value) if value else (AlterConfigOp.DELETE, None)


def _create_topics(
    client: AdminClient, connection: KafkaConnection, topics: tuple[WantedTopic, ...], fence: _Fence
) -> dict[str, OperatorError | None]:
    wanted = {
        topic.name: {
            "num_partitions": topic.partitions,
            "replication_factor": topic.replication_factor,
            "configs": dict(topic.configs),
        }
        for topic in topics
    }
    fence.check()
    with _translated("CREATE", connection):
        answer = client.create_topics(wanted, raise_errors=False)
    already_there = kafka_errors.TopicAlreadyExistsError.errno
    results: dict[str, OperatorError | None] = {}
    for topic in answer["topics"]:
        good = topic["error_code"] in {0, already_there}
        results[topic["name"]] = None if good else from_topic(topic["error_code"], connection)
    return results


@contextmanager
def _translated(operation: Operation, connection: KafkaConnection) -> Iterator[None]:
    try:
        yield
    except kafka_errors.KafkaError as error:
        raise from_exception(error, operation, connection) from error
