"""Asks a Kafka cluster what it says of itself, with an admin client of the driver's own and the job's credential.

What the credential may not see is named in the answer and does no harm to the rest of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from kwitness.jobs.frame import moments
from kwitness.jobs.frame.cluster_state import ClusterState, Part, StoredBytes, SurveyedGroup, SurveyedTopic
from kwitness.jobs.frame.offsets import TopicPartition

#: Topics, and groups, that are asked for at a time; each is a handful of requests to each broker.
_TOPICS_AT_A_TIME = 200
_GROUPS_AT_A_TIME = 50
#: How long one request may take, and all of them.
_REQUEST_MS = 20_000
_SURVEY_SECONDS = 300.0
_NOT_ALLOWED = ("ClusterAuthorizationException", "GroupAuthorizationException", "TopicAuthorizationException")
_NEEDS_CLUSTER = "needs the operation Describe on the cluster"
_Answer = TypeVar("_Answer")


class ClusterSurveyError(RuntimeError):
    """The cluster does not answer at all."""


class ClusterSurvey:
    """One survey; the cluster is asked when the answer is read first.

    Parameters
    ----------
    options
        Client settings by Kafka's names.
    now_ms
        The time, in milliseconds since the epoch.
    """

    def __init__(
        self,
        session: SparkSession,
        options: Mapping[str, str],
        now_ms: Callable[[], int] = moments.now_ms,
    ) -> None:
        self._jvm: Any = session.sparkContext._jvm  # noqa: SLF001 - PySpark has no public way to Kafka's Java client
        self._options = {
            **options,
            "default.api.timeout.ms": str(_REQUEST_MS),
            "request.timeout.ms": str(_REQUEST_MS // 2),
        }
        self._now_ms = now_ms
        self._state: ClusterState | None = None

    def read(self) -> ClusterState:
        """What the cluster says; the same however often it is read.

        Raises
        ------
        ClusterSurveyError
            Not even the list of topics came.
        """
        if self._state is None:
            self._state = self._ask()
        return self._state

    def stored(self) -> StoredBytes:
        """What topics store now, and nothing else: a request to each broker.

        Raises
        ------
        ClusterSurveyError
            The cluster does not answer.
        """
        return self._asked(_Questions.ask_stored)

    def compacted(self, topics: Iterable[str]) -> dict[str, bool]:
        """Of each topic that says so, whether compaction may remove its records; it takes DescribeConfigs on them."""
        names = sorted(topics)
        if not names:
            return {}
        config = self._jvm.org.apache.kafka.common.config.ConfigResource
        kind = getattr(config, "Type").TOPIC  # noqa: B009 - a nested enum of Java's
        resources = {name: config(kind, name) for name in names}
        with self._client() as admin:
            asked = self._jvm.java.util.ArrayList()
            for resource in resources.values():
                asked.add(resource)
            answers = admin.describeConfigs(asked).values()
            found: dict[str, bool] = {}
            for name, resource in resources.items():
                with suppress(Py4JJavaError):
                    policy = _get(answers.get(resource)).get("cleanup.policy")
                    found[name] = "compact" in str(policy.value()).split(",")
            return found

    def first_after(self, times: Mapping[TopicPartition, int]) -> dict[TopicPartition, int | None]:
        """The timestamp of the first record that is later than a time, by partition; None where there is none.

        Partitions that do not answer are absent.
        """
        if not times:
            return {}
        partition = self._jvm.org.apache.kafka.common.TopicPartition
        spec = self._jvm.org.apache.kafka.clients.admin.OffsetSpec
        places = {where: partition(*where) for where in times}
        asked = self._jvm.java.util.HashMap()
        for where, place in places.items():
            asked.put(place, spec.forTimestamp(times[where] + 1))
        found: dict[TopicPartition, int | None] = {}
        with self._client() as admin:
            answers = admin.listOffsets(asked)
            for where, place in places.items():
                with suppress(Py4JJavaError):
                    info = _get(answers.partitionResult(place))
                    found[where] = int(info.timestamp()) if info.offset() >= 0 else None
        return found

    def _ask(self) -> ClusterState:
        return self._asked(_Questions.ask)

    def _asked(self, question: Callable[[_Questions], _Answer]) -> _Answer:
        try:
            with self._client() as admin:
                return question(_Questions(self._jvm, admin, self._now_ms()))
        except Py4JJavaError as error:
            raise ClusterSurveyError(f"the cluster could not be surveyed: {_reason(error)}") from error

    @contextmanager
    def _client(self) -> Iterator[Any]:
        settings = self._jvm.java.util.Properties()
        for key, value in self._options.items():
            settings.put(key, value)
        admin = self._jvm.org.apache.kafka.clients.admin.Admin.create(settings)
        try:
            yield admin
        finally:
            admin.close(self._jvm.java.time.Duration.ofSeconds(1))


class _Questions:
    """The requests of one survey, in order; what is missing is written down as they go."""

    def __init__(self, jvm: Any, admin: Any, surveyed_ms: int) -> None:
        self._jvm = jvm
        self._kafka = jvm.org.apache.kafka.clients.admin
        self._admin = admin
        self._surveyed_ms = surveyed_ms
        self._ends_at = time.monotonic() + _SURVEY_SECONDS
        self._not_allowed: dict[Part, str] = {}
        self._unanswered: dict[Part, str] = {}

    def ask(self) -> ClusterState:
        cluster_id, brokers = self._cluster()
        listings = {one.name(): one for one in self._listings()}
        topics = self._topics(listings)
        sizes = {} if "logDirs" in self._not_allowed else self._log_sizes(brokers)
        groups = self._groups()
        measured = not ({"logDirs"} & {*self._not_allowed, *self._unanswered})
        return ClusterState(
            cluster_id=cluster_id,
            surveyed_ms=self._surveyed_ms,
            brokers=tuple(map(str, brokers)),
            listed=frozenset(listings),
            topics=tuple(replace(topic, log_bytes=sizes.get(topic.name, 0) if measured else None) for topic in topics),
            groups=groups,
            not_allowed=self._not_allowed,
            unanswered=self._unanswered,
        )

    def ask_stored(self) -> StoredBytes:
        _, brokers = self._cluster()
        if (refused := self._not_allowed.get("logDirs")) is not None:
            return StoredBytes(self._surveyed_ms, None, refused)
        sizes = self._log_sizes(brokers)
        lacking = self._not_allowed.get("logDirs") or self._unanswered.get("logDirs")
        return StoredBytes(self._surveyed_ms, None if lacking else sizes, lacking)

    def _cluster(self) -> tuple[str, list[int]]:
        options = self._kafka.DescribeClusterOptions().includeAuthorizedOperations(True)
        described = self._admin.describeCluster(options)
        allowed = _get(described.authorizedOperations())
        # Without this right brokers list the groups that one may describe, and do not say that there are others.
        if allowed is None or "DESCRIBE" not in {one.name() for one in allowed}:
            self._not_allowed["groups"] = f"{_NEEDS_CLUSTER} to list all groups"
            self._not_allowed["logDirs"] = _NEEDS_CLUSTER
        return _get(described.clusterId()), sorted(node.id() for node in self._each(_get(described.nodes())))

    def _listings(self) -> Iterable[Any]:
        options = self._kafka.ListTopicsOptions().listInternal(True)
        return self._each(_get(self._admin.listTopics(options).listings()))

    def _topics(self, listings: Mapping[str, Any]) -> list[SurveyedTopic]:
        found: list[SurveyedTopic] = []
        for page in self._pages("topics", sorted(listings), _TOPICS_AT_A_TIME):
            answers = self._admin.describeTopics(self._list(page)).topicNameValues()
            leaders: dict[str, list[int]] = {}
            partitions: dict[str, int] = {}
            for name in page:
                description = self._answer("topics", answers.get(name))
                if description is not None:
                    infos = list(description.partitions())
                    partitions[name] = len(infos)
                    # A partition without a leader does not answer before the request's time is over.
                    leaders[name] = [one.partition() for one in infos if one.leader() is not None]
            asked = {(name, one): self._partition(name, one) for name in leaders for one in leaders[name]}
            starts = self._offsets("endOffsets", asked, self._kafka.OffsetSpec.earliest())
            ends = self._offsets("endOffsets", asked, self._kafka.OffsetSpec.latest())
            filled = {key: asked[key] for key, end in ends.items() if end[0] > starts.get(key, (0, 0))[0]}
            latest = self._offsets("latestTimestamps", filled, self._kafka.OffsetSpec.maxTimestamp())
            for name, count in partitions.items():
                found.append(
                    SurveyedTopic(
                        name=name,
                        topic_id=_topic_id(listings[name]),
                        internal=bool(listings[name].isInternal()),
                        partitions=count,
                        starts={one: starts[name, one][0] for one in leaders[name] if (name, one) in starts},
                        ends={one: ends[name, one][0] for one in leaders[name] if (name, one) in ends},
                        latest={
                            partition: latest[name, partition][1]
                            for partition in leaders[name]
                            if latest.get((name, partition), (0, -1))[1] >= 0
                        },
                    )
                )
        return found

    def _offsets(
        self, part: Part, partitions: Mapping[tuple[str, int], Any], spec: Any
    ) -> dict[tuple[str, int], tuple[int, int]]:
        """Offset and timestamp by topic and partition; those that do not answer are absent."""
        if not partitions:
            return {}
        asked = self._jvm.java.util.HashMap()
        for partition in partitions.values():
            asked.put(partition, spec)
        answers = self._admin.listOffsets(asked)
        try:
            # One answer for all, since each call into the JVM costs a tenth of a millisecond.
            infos = _get(answers.all())
            found = {key: infos.get(partition) for key, partition in partitions.items()}
        except Py4JJavaError:
            found = {key: self._answer(part, answers.partitionResult(one)) for key, one in partitions.items()}
        return {key: (info.offset(), info.timestamp()) for key, info in found.items() if info is not None}

    def _log_sizes(self, brokers: Sequence[int]) -> dict[str, int]:
        sizes: dict[str, int] = {}
        answers = self._admin.describeLogDirs(self._list(brokers)).descriptions()
        for broker in brokers:
            folders = self._answer("logDirs", answers.get(broker))
            for folder in () if folders is None else self._each(folders.values()):
                if folder.error() is not None:
                    self._unanswered["logDirs"] = f"a log directory of broker {broker} is offline"
                    continue
                for entry in folder.replicaInfos().entrySet():
                    topic = entry.getKey().topic()
                    sizes[topic] = sizes.get(topic, 0) + entry.getValue().size()
        return sizes

    def _groups(self) -> tuple[SurveyedGroup, ...]:
        listed = self._admin.listConsumerGroups()
        for error in self._each(_get(listed.errors())):
            self._unanswered["groups"] = f"a broker did not list its groups: {error.toString()}"
        names = sorted(one.groupId() for one in self._each(_get(listed.valid())))
        found: list[SurveyedGroup] = []
        for page in self._pages("groups", names, _GROUPS_AT_A_TIME):
            descriptions = self._admin.describeConsumerGroups(self._list(page)).describedGroups()
            asked = self._jvm.java.util.HashMap()
            for name in page:
                asked.put(name, self._kafka.ListConsumerGroupOffsetsSpec())
            offsets = self._admin.listConsumerGroupOffsets(asked)
            for name in page:
                group = self._group(name, self._answer("groups", descriptions.get(name), name))
                committed = self._answer("groups", offsets.partitionsToOffsetAndMetadata(name), name)
                found.append(replace(group, committed=None if committed is None else _committed(committed)))
        return tuple(found)

    def _pages(self, part: Part, names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
        for start in range(0, len(names), size):
            if time.monotonic() > self._ends_at:
                self._unanswered[part] = f"{len(names) - start} of {len(names)} did not answer in {_SURVEY_SECONDS:g} s"
                return
            yield names[start : start + size]

    def _answer(self, part: Part, future: Any, of_what: str = "") -> Any:
        """The answer, or None; then it is written down why."""
        try:
            return _get(future)
        except Py4JJavaError as error:
            reason = _reason(error)
            missing = self._not_allowed if reason.startswith(_NOT_ALLOWED) else self._unanswered
            missing.setdefault(part, f"{of_what}: {reason}" if of_what else reason)
            return None

    def _group(self, name: str, description: Any) -> SurveyedGroup:
        if description is None:
            return SurveyedGroup(name)
        members = list(self._each(description.members()))
        assigned = {one.topic() for member in members for one in member.assignment().topicPartitions()}
        return SurveyedGroup(name, description.state().toString(), len(members), frozenset(assigned))

    def _each(self, collection: Any) -> Iterable[Any]:
        """The entries of a Java collection, of which py4j knows lists and sets only."""
        entries: Iterable[Any] = self._jvm.java.util.ArrayList(collection)
        return entries

    def _list(self, entries: Iterable[Any]) -> Any:
        collected = self._jvm.java.util.ArrayList()
        for entry in entries:
            collected.add(entry)
        return collected

    def _partition(self, topic: str, partition: int) -> Any:
        return self._jvm.org.apache.kafka.common.TopicPartition(topic, partition)


def _get(future: Any) -> Any:
    # Requests have a timeout of their own, after which the future fails.
    return future.get()


def _committed(offsets: Any) -> dict[TopicPartition, int]:
    return {
        TopicPartition(entry.getKey().topic(), entry.getKey().partition()): entry.getValue().offset()
        for entry in offsets.entrySet()
        # A partition without a committed offset has none here.
        if entry.getValue() is not None
    }


def _topic_id(listing: Any) -> str | None:
    text: str = listing.topicId().toString()
    return None if text == "A" * 22 else text


def _reason(error: Py4JJavaError) -> str:
    exception: Any = error.java_exception
    cause = exception.getCause() or exception
    # Its text may hold what a client chose, such as the name of a group.
    return str(cause.getClass().getSimpleName())
