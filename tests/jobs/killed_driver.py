"""A real driver that is killed by SIGKILL, Java and all, at the worst moment. Run as a process of its own.

python killed_driver.py CONFIG after-sink|within-sink
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs import stream
from kwitness.jobs.delta_table import JobTable
from kwitness.jobs.driver import Driver
from kwitness.jobs.status import DriverStatus, StatusBoard

#: Small, so that there are several batches; the second one is the last that this driver does.
stream.MAX_RECORDS = 40
_FATAL_BATCH = 1


def kill_all() -> None:
    """End this process and its Java process as a power cut would."""
    session = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    gateway: Any = session.sparkContext._gateway
    os.kill(gateway.proc.pid, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Run the driver until it is killed."""
    config = JobConfig.model_validate_json(Path(sys.argv[1]).read_bytes())
    run_batch, merge = stream.JobStream.run_batch, JobTable.merge

    def batch_then_death(self: stream.JobStream, frame: Any, batch_id: int) -> None:
        self.fatal = batch_id == _FATAL_BATCH  # type: ignore[attr-defined]
        if self.fatal and sys.argv[2] == "within-sink":  # type: ignore[attr-defined]
            self.table.merge = kill_all  # type: ignore[method-assign, assignment]
            self.quarantine.merge = lambda *given: (merge(self.quarantine, *given), kill_all())  # type: ignore[method-assign, assignment]
        run_batch(self, frame, batch_id)
        if self.fatal:  # type: ignore[attr-defined]
            kill_all()

    stream.JobStream.run_batch = batch_then_death  # type: ignore[method-assign]
    Driver(config, os.environ, StatusBoard(DriverStatus())).run()


if __name__ == "__main__":
    main()
