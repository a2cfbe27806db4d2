"""One local Spark for all tests of the jobs: two cores, two shuffle partitions."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.images.image_parts import QUICK, otlp_decoder
from kwitness.images.s3a_jars import s3a_jars
from kwitness.images.spark_classes import spark_variables
from kwitness.jobs.analyses.client_inventory.job import JOB
from kwitness.jobs.driver.lifecycle import open_session
from kwitness.jobs.driver.spark_settings import spark_settings
from kwitness.jobs.frame.job import Job
from kwitness.jobs.frame.kafka_log import KafkaLog
from kwitness.jobs.frame.kafka_options import kafka_options
from kwitness.jobs.frame.status import DriverStatus, StatusBoard
from kwitness.jobs.frame.stream import JobStream


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    # Before Java begins, which gives its own environment to the workers.
    decoder = str(otlp_decoder(profile=QUICK))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [decoder, os.environ.get("PYTHONPATH")]))
    sys.path.append(decoder)
    config = job_config(tmp_path_factory.mktemp("session"))
    settings = spark_settings(config, spark_variables(s3a_jars()))
    faster = {
        "spark.master": "local[2]",
        # The heap of one driver does for one job; this session serves all types one after the other, and keeps of each.
        "spark.driver.memory": "1536m",
        # What the first compiler makes for one job fits into 48 MB; here it would be thrown away and made again.
        "spark.driver.extraJavaOptions": f"{settings['spark.driver.extraJavaOptions']} -XX:ReservedCodeCacheSize=240m",
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.local.dir": str(tmp_path_factory.mktemp("local")),
    }
    session = open_session(settings | faster)
    yield session
    session.stop()


def job_config(folder: Path, **changes: object) -> JobConfig:
    """A configuration whose table, checkpoint and quarantine are under `folder`."""
    settings: dict[str, object] = {
        "type": "ClientInventory",
        "name": "inventory",
        "cluster_id": "cluster-1",
        "kafka": {"bootstrap_servers": ["localhost:1"]},
        "run": {"mode": "once"},
        "table_path": (folder / "table").as_uri(),
        "checkpoint_path": (folder / "checkpoint").as_uri(),
        "quarantine_path": (folder / "quarantine").as_uri(),
        "status_port": 0,
    }
    return JobConfig.model_validate(settings | changes)


def run_once(spark: SparkSession, config: JobConfig, job: Job = JOB) -> StatusBoard:
    """One run over everything that is there, in the tests' own session, as `once` does it."""
    with begun(spark, config, job) as (stream, board):
        assert stream.start(waiting=False).awaitTermination(200), "the run did not end"
        stream.survey()
    return board


@contextmanager
def begun(spark: SparkSession, config: JobConfig, job: Job = JOB) -> Iterator[tuple[JobStream, StatusBoard]]:
    """A stream that has made its tables, and found out what was lost."""
    board = StatusBoard(DriverStatus())
    options = kafka_options(config.kafka, "kwitness-job-test")
    log = KafkaLog(spark, options)
    try:
        stream = JobStream(session=spark, job=job, config=config, log=log, options=options, board=board)
        stream.prepare()
        yield stream, board
    finally:
        log.close()
