from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)
from pyspark.sql import SparkSession

from kwitness.contracts.software import OUR_VERSION_SUFFIX
from kwitness.e2e.kafka.local_broker import Listener, LocalBroker
from kwitness.jobs.analyses.unused_topics.job import JOB
from kwitness.jobs.frame import cluster_survey as survey_module
from kwitness.jobs.frame.cluster_state import ClusterState
from kwitness.jobs.frame.cluster_survey import ClusterSurvey, ClusterSurveyError
from kwitness.jobs.frame.kafka_log import KafkaLog
from kwitness.jobs.frame.offsets import TopicPartition as Where
from kwitness.jobs.frame.status import DriverStatus, StatusBoard
from kwitness.jobs.frame.stream import JobStream

from tests.eventually import ANSWER_S, eventually
from tests.jobs.broker_topics import commit, create, write
from tests.jobs.conftest import job_config

pytestmark = pytest.mark.broker

#: May do nothing on the broker of the tests, but what a test allows it.
USER = "alice"


@pytest.fixture
def admin(kafka: LocalBroker) -> AdminClient:
    return AdminClient({"bootstrap.servers": kafka.bootstrap})


@pytest.fixture
def prefix(admin: AdminClient) -> Iterator[str]:
    """Of topics that are there for one test."""
    name = f"survey-{uuid.uuid4().hex[:8]}"
    yield name
    made = [topic for topic in admin.list_topics(timeout=ANSWER_S).topics if topic.startswith(name)]
    for future in admin.delete_topics(made).values() if made else ():
        future.result()


def test_topics_tell_offsets_times_and_sizes(
    spark: SparkSession, kafka: LocalBroker, admin: AdminClient, prefix: str
) -> None:
    create(admin, f"{prefix}.written", f"{prefix}.empty", partitions=2)
    write(kafka, f"{prefix}.written", 7)
    expire(admin, f"{prefix}.written", 3)

    state = survey(spark, kafka)

    topics = {topic.name: topic for topic in state.topics}
    written, empty = topics[f"{prefix}.written"], topics[f"{prefix}.empty"]
    assert state.cluster_id == kafka.cluster_id
    assert state.brokers == ("1",)
    assert spark._jvm.org.apache.kafka.common.utils.AppInfoParser.getVersion().endswith(OUR_VERSION_SUFFIX)  # type: ignore[union-attr]
    assert state.listed == set(topics)
    assert (written.partitions, written.starts, written.ends) == (2, {0: 3, 1: 0}, {0: 7, 1: 0})
    assert written.is_complete
    assert abs((written.latest_timestamp_ms or 0) - time.time() * 1000) < 60_000
    assert written.log_bytes
    assert written.topic_id != empty.topic_id
    assert (empty.ends, empty.latest_timestamp_ms, empty.log_bytes) == ({0: 0, 1: 0}, None, 0)
    assert not written.internal
    assert state.not_allowed == state.unanswered == {}
    stored = asked(spark, kafka).stored()
    assert stored.lacking is None
    assert (stored.by_topic or {})[written.name] == written.log_bytes


def test_groups_tell_members_and_committed_offsets(
    spark: SparkSession, kafka: LocalBroker, admin: AdminClient, prefix: str
) -> None:
    create(admin, f"{prefix}.read", f"{prefix}.held")
    commit(kafka, f"{prefix}.away", f"{prefix}.read", 4)
    member = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": f"{prefix}.there"})
    member.subscribe([f"{prefix}.held"])
    eventually(lambda: member.poll(0.1) is not None or bool(member.assignment()), every=0.1)

    groups = {group.group_id: group for group in survey(spark, kafka).groups}
    member.close()

    away, there = groups[f"{prefix}.away"], groups[f"{prefix}.there"]
    assert (away.state, away.members, away.assigned) == ("Empty", 0, frozenset())
    assert away.committed == {Where(f"{prefix}.read", 0): 4}
    assert (there.state, there.members, there.assigned) == ("Stable", 1, {f"{prefix}.held"})


def test_what_the_credential_may_not_see_is_named_and_the_rest_is_there(
    spark: SparkSession, kafka: LocalBroker, admin: AdminClient, prefix: str
) -> None:
    create(admin, f"{prefix}.allowed", f"{prefix}.hidden")
    commit(kafka, f"{prefix}.group", f"{prefix}.allowed", 1)
    allow(admin, ResourceType.TOPIC, f"{prefix}.allowed")

    state = eventually(
        lambda: found if f"{prefix}.allowed" in (found := survey(spark, kafka, as_user=True)).listed else None,
        every=0.2,
    )

    assert state is not None
    topic = next(one for one in state.topics if one.name == f"{prefix}.allowed")
    assert f"{prefix}.hidden" not in state.listed
    assert (topic.ends, topic.log_bytes) == ({0: 0}, None)
    assert f"{prefix}.group" not in {group.group_id for group in state.groups}
    assert set(state.not_allowed) == {"groups", "logDirs"}
    assert all("Describe on the cluster" in lacking for lacking in state.not_allowed.values())
    stored = asked(spark, kafka, as_user=True).stored()
    assert (stored.by_topic, stored.lacking) == (None, state.not_allowed["logDirs"])
    assert state.lacks("groups")


def test_more_topics_than_are_asked_for_at_a_time_all_answer(
    spark: SparkSession, kafka: LocalBroker, admin: AdminClient, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{prefix}.{number}" for number in range(5)]
    create(admin, *names)
    monkeypatch.setattr(survey_module, "_TOPICS_AT_A_TIME", 2)

    state = survey(spark, kafka)

    assert set(names) <= {topic.name for topic in state.topics}


def test_a_survey_that_takes_too_long_says_what_it_lacks(
    spark: SparkSession, kafka: LocalBroker, admin: AdminClient, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(admin, f"{prefix}.late")
    monkeypatch.setattr(survey_module, "_SURVEY_SECONDS", -1.0)

    state = survey(spark, kafka)

    assert state.topics == ()
    assert f"{prefix}.late" in state.listed
    assert "did not answer" in state.unanswered["topics"]


def test_a_cluster_that_is_away_is_said_to_be(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey_module, "_REQUEST_MS", 400)

    with pytest.raises(ClusterSurveyError, match="Timeout"):
        ClusterSurvey(spark, {"bootstrap.servers": "127.0.0.1:1"}).read()


def test_a_stream_goes_on_when_a_survey_fails_and_waits_before_the_next(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(survey_module, "_REQUEST_MS", 400)
    config = job_config(tmp_path, type="UnusedTopics")
    options = {"bootstrap.servers": "127.0.0.1:1"}
    log = KafkaLog(spark, options)
    board = StatusBoard(DriverStatus())
    stream = JobStream(session=spark, job=JOB, config=config, log=log, options=options, board=board)
    log.close()

    for _ in range(2):
        stream.survey_when_due()

    said = [record.getMessage() for record in caplog.records if "survey" in record.getMessage()]
    assert len(said) == 1
    assert "TimeoutException" in said[0]


def survey(spark: SparkSession, kafka: LocalBroker, *, as_user: bool = False) -> ClusterState:
    return asked(spark, kafka, as_user=as_user).read()


def asked(spark: SparkSession, kafka: LocalBroker, *, as_user: bool = False) -> ClusterSurvey:
    if not as_user:
        return ClusterSurvey(spark, {"bootstrap.servers": kafka.bootstrap})
    login = "org.apache.kafka.common.security.plain.PlainLoginModule required"
    options = {
        "bootstrap.servers": kafka.bootstrap_of(Listener.SASL_PLAINTEXT_PLAIN),
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": f'{login} username="{USER}" password="{kafka.users[USER]}";',
    }
    return ClusterSurvey(spark, options)


def expire(admin: AdminClient, topic: str, before: int) -> None:
    for future in admin.delete_records([TopicPartition(topic, 0, before)]).values():
        future.result()


def allow(admin: AdminClient, kind: ResourceType, name: str) -> None:
    right = AclBinding(
        kind,
        name,
        ResourcePatternType.LITERAL,
        f"User:{USER}",
        "*",
        AclOperation.DESCRIBE,
        AclPermissionType.ALLOW,
    )
    for future in admin.create_acls([right]).values():
        future.result()
