"""Spark as a driver has it, on a core of its own, and the processor time that it takes."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from kwitness.bench.paired_measurement import COMPONENT_CORE, GENERATOR_CORE
from kwitness.contracts.job_config import JobConfig
from kwitness.images.spark_classes import spark_variables
from kwitness.jobs.driver.lifecycle import open_session
from kwitness.jobs.driver.spark_settings import spark_settings

__all__ = ["ProcessorTime", "configuration", "start"]


def configuration(job_type: str, folder: Path) -> JobConfig:
    """The configuration of a job whose tables are under a folder, and whose Kafka is not there."""
    return JobConfig.model_validate(
        {
            "type": job_type,
            "cluster_id": "c",
            "kafka": {"bootstrap_servers": ["localhost:1"]},
            "table_path": str(folder / "table"),
            "checkpoint_path": str(folder / "checkpoint"),
            "quarantine_path": str(folder / "quarantine"),
        }
    )


def start(job_type: str, folder: Path) -> SparkSession:
    """Spark on its own core, one task at a time; this process, which only waits, on the other."""
    settings = spark_settings(configuration(job_type, folder), spark_variables())
    os.sched_setaffinity(0, {COMPONENT_CORE})
    session = open_session(
        settings | {"spark.master": "local[1]", "spark.driver.memory": "1g", "spark.local.dir": str(folder / "spark")}
    )
    os.sched_setaffinity(0, {GENERATOR_CORE})
    return session


class ProcessorTime:
    """Processor time of Java and every process below it. Looks often, because workers end and take theirs with them."""

    def __init__(self, session: SparkSession) -> None:
        gateway: Any = session.sparkContext._gateway  # noqa: SLF001 - the one way to the process id
        self._root: int = gateway.proc.pid
        self._ticks: dict[int, int] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._watch, daemon=True).start()

    def seconds(self) -> float:
        """Up to now."""
        self._look()
        with self._lock:
            return sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK")

    def _watch(self) -> None:
        while True:
            self._look()
            time.sleep(0.2)

    def _look(self) -> None:
        waiting = [self._root]
        with self._lock:
            while waiting:
                pid = waiting.pop()
                process = Path("/proc") / str(pid)
                try:
                    fields = (process / "stat").read_text().rpartition(")")[2].split()
                    tasks = [(task / "children").read_text().split() for task in (process / "task").iterdir()]
                except (FileNotFoundError, ProcessLookupError):
                    continue  # it ended between two looks
                waiting += [int(child) for children in tasks for child in children]
                self._ticks[pid] = int(fields[11]) + int(fields[12])
