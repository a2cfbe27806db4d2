"""What a Kafka cluster says of itself at one time: topics, offsets, consumer groups, sizes. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kwitness.jobs.frame.offsets import TopicPartition

Part = Literal["topics", "endOffsets", "latestTimestamps", "groups", "logDirs"]
"""What a survey asks for, one after the other."""


@dataclass(frozen=True, slots=True)
class SurveyedTopic:
    """One topic.

    Attributes
    ----------
    topic_id
        As Kafka prints a Uuid; another one after the topic was recreated. None where brokers have no ids.
    starts
        The first offset that is still there, by partition; partitions that did not answer are absent.
    ends
        The next offset to be written, likewise.
    latest
        The largest timestamp of a record, which producers may choose, by partition; partitions that have none, or did
        not answer, are absent.
    log_bytes
        Bytes of all replicas on all brokers; None where the credential may not know.
    """

    name: str
    topic_id: str | None = None
    internal: bool = False
    partitions: int = 0
    starts: Mapping[int, int] = field(default_factory=dict)
    ends: Mapping[int, int] = field(default_factory=dict)
    latest: Mapping[int, int] = field(default_factory=dict)
    log_bytes: int | None = None

    @property
    def latest_timestamp_ms(self) -> int | None:
        """The largest timestamp of all partitions."""
        return max(self.latest.values(), default=None)

    @property
    def is_complete(self) -> bool:
        """Whether the end of each partition is known."""
        return len(self.ends) == self.partitions > 0


@dataclass(frozen=True, slots=True)
class SurveyedGroup:
    """One consumer group.

    Attributes
    ----------
    state
        As Kafka calls it: Stable, Empty, ...; None where it could not be described.
    members
        How many there are now.
    assigned
        Topics of which a member has partitions now.
    committed
        Its committed offsets; None where they could not be read.
    """

    group_id: str
    state: str | None = None
    members: int = 0
    assigned: frozenset[str] = frozenset()
    committed: Mapping[TopicPartition, int] | None = None


@dataclass(frozen=True, slots=True)
class ClusterState:
    """The answer of a survey.

    Attributes
    ----------
    surveyed_ms
        When it began, in milliseconds since the epoch.
    brokers
        Ids of the brokers that are there now.
    listed
        Names of all topics that the credential may describe.
    topics
        Those of them that answered in time.
    groups
        Groups that the credential may describe.
    not_allowed
        What the credential may not see, with what it lacks.
    unanswered
        What did not come for another reason, with that reason.
    """

    cluster_id: str
    surveyed_ms: int
    brokers: tuple[str, ...] = ()
    listed: frozenset[str] = frozenset()
    topics: tuple[SurveyedTopic, ...] = ()
    groups: tuple[SurveyedGroup, ...] = ()
    not_allowed: Mapping[Part, str] = field(default_factory=dict)
    unanswered: Mapping[Part, str] = field(default_factory=dict)

    def lacks(self, part: Part) -> bool:
        """Whether something of a part is missing, for whatever reason."""
        return part in self.not_allowed or part in self.unanswered


@dataclass(frozen=True, slots=True)
class StoredBytes:
    """What topics store, at one time.

    Attributes
    ----------
    surveyed_ms
        When brokers were asked, in milliseconds since the epoch.
    by_topic
        Bytes of all replicas on all brokers; None where not all of it is known.
    lacking
        Why it is not.
    """

    surveyed_ms: int
    by_topic: Mapping[str, int] | None
    lacking: str | None = None
