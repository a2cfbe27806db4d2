"""The mirror audit of what MirrorMaker 2 itself does between two clusters: in step, killed, and after retention."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.e2e.kafka.mirror_maker import MirrorMaker
from kwitness.jobs.analyses.mirror_audit.job import JOB

from tests import soak
from tests.eventually import eventually
from tests.jobs.broker_topics import create, tell, write
from tests.jobs.conftest import job_config, run_once
from tests.jobs.tables import read
from tests.jobs.test_mirror_audit import record_of, sent
from tests.jobs.test_mirror_verdicts import parameters

# Two brokers, MirrorMaker three times and Spark: it takes minutes where much else runs.
pytestmark = [pytest.mark.broker, pytest.mark.soak, soak.alone, pytest.mark.timeout(1200)]

ORDERS, MIRRORED, TRAFFIC = "orders", "main.orders", "kwitness.traffic"
SETTINGS = {
    # It says how far it is when it ends, and not while a test kills it.
    "eu.offset.flush.interval.ms": "3600000",
    "offset.lag.max": "5",
    "refresh.topics.interval.seconds": "5",
}


class Mirrored(NamedTuple):
    """Two clusters and what mirrors one into the other."""

    main: LocalBroker
    eu: LocalBroker
    maker: MirrorMaker

    def end(self, broker: LocalBroker, topic: str) -> int:
        """The next offset of a topic's only partition."""
        where, admin = TopicPartition(topic, 0), AdminClient({"bootstrap.servers": broker.bootstrap})
        return int(admin.list_offsets({where: OffsetSpec.latest()})[where].result().offset)

    def comes_to(self, offset: int) -> None:
        """Wait until the mirror's topic has so many records, and no more come."""
        eventually(lambda: self._mirrored_end(), lambda end: end >= offset)  # noqa: PLW0108
        time.sleep(2)
        assert self._mirrored_end() == offset

    def _mirrored_end(self) -> int:
        admin = AdminClient({"bootstrap.servers": self.eu.bootstrap})
        return self.end(self.eu, MIRRORED) if MIRRORED in admin.list_topics(timeout=10).topics else 0


@pytest.fixture
def mirrored() -> Iterator[Mirrored]:
    with LocalBroker() as main, LocalBroker() as eu:
        create(AdminClient({"bootstrap.servers": main.bootstrap}), ORDERS, TRAFFIC)
        create(AdminClient({"bootstrap.servers": eu.bootstrap}), TRAFFIC)
        write(main, ORDERS, 30)
        with MirrorMaker(("main", main.bootstrap), ("eu", eu.bootstrap), [ORDERS], SETTINGS) as maker:
            yield Mirrored(main, eu, maker)


def test_what_mirrormaker_loses_and_sends_again_is_told_exactly(
    spark: SparkSession, tmp_path: Path, mirrored: Mirrored
) -> None:
    config = _config(mirrored, tmp_path)
    mirrored.comes_to(30)
    hours_ago = time.time_ns() // 1_000_000 - 7_200_000
    tell(mirrored.main, TRAFFIC, record_of(sent(1, ORDERS, 0, 30, hours_ago)))
    tell(mirrored.eu, TRAFFIC, record_of(sent(1, MIRRORED, 0, 30, hours_ago)))

    in_step = _audited(spark, config)

    assert (in_step["verdict"], in_step["evidence"]) == ("InStep", "offset-syncs"), mirrored.maker.logs()
    assert (in_step["missing"], in_step["extra"], in_step["lag_records"]) == (0, 0, 0)

    # Killed before it said how far it was, it sends all again; and more after that.
    mirrored.maker.kill()
    write(mirrored.main, ORDERS, 10)
    mirrored.maker.start()
    mirrored.comes_to(30 + 40)
    again = _audited(spark, config)

    assert (again["verdict"], again["missing"], again["extra"]) == ("Extra", 0, 30)

    # Retention takes 15 of the records that came while it was away.
    mirrored.maker.stop()
    write(mirrored.main, ORDERS, 20)
    admin = AdminClient({"bootstrap.servers": mirrored.main.bootstrap})
    [gone] = admin.delete_records([TopicPartition(ORDERS, 0, 55)]).values()
    gone.result()
    mirrored.maker.start()
    mirrored.comes_to(70 + 5)
    lost = _audited(spark, config)

    assert (lost["verdict"], lost["missing"], lost["extra"]) == ("Missing", 15, 30)
    assert (lost["source_end"], lost["target_end"], lost["lag_records"]) == (60, 75, 0)

    mirrored.eu.kill()
    away = _audited(spark, config)

    assert away["verdict"] == "TargetUnreachable"
    assert (away["source_end"], away["syncs"]) == (60, lost["syncs"]), "the source's side goes on"


def _audited(spark: SparkSession, config: JobConfig) -> dict[str, Any]:
    run_once(spark, config, JOB)
    [row] = [one for one in read(config.table_path) if (one["kind"], one["topic"]) == ("partition", ORDERS)]
    return row


def _config(mirrored: Mirrored, folder: Path) -> JobConfig:
    topics = {"traffic": TRAFFIC}
    return job_config(
        folder,
        type="MirrorAudit",
        cluster_id=mirrored.main.cluster_id,
        kafka={"bootstrap_servers": [mirrored.main.bootstrap]},
        topics=topics,
        parameters=parameters(names=[ORDERS], mirrorPrefix="main.").model_dump(mode="json"),
        window_seconds=60.0,
        second={
            "cluster_id": mirrored.eu.cluster_id,
            "kafka": {"bootstrap_servers": [mirrored.eu.bootstrap]},
            "topics": topics,
        },
    )
