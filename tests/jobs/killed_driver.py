"""A real driver that is killed by SIGKILL, Java and all, within the sink of a batch. Run as a process of its own.

python -m tests.jobs.killed_driver CONFIG BATCH

Its status at that moment is on standard output, as JSON.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.driver import lifecycle
from kwitness.jobs.frame import stream
from kwitness.jobs.frame.delta_table import JobTable
from kwitness.jobs.frame.status import DriverStatus, StatusBoard

#: Small, so that there are several batches.
MAX_RECORDS = 40


def main() -> None:
    """Run the driver until it is killed."""
    config = JobConfig.model_validate_json(Path(sys.argv[1]).read_bytes())
    fatal_batch = int(sys.argv[2])
    stream.MAX_RECORDS = MAX_RECORDS
    board = StatusBoard(DriverStatus())
    run_batch, merge = stream.JobStream.run_batch, JobTable.merge

    def kill_all(*_: Any, **__: Any) -> None:
        """End this process and its Java process as a power cut would."""
        sys.stdout.write(board.read().answer().model_dump_json(exclude_none=True))
        sys.stdout.flush()
        session = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
        gateway: Any = session.sparkContext._gateway
        os.kill(gateway.proc.pid, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)

    def batch_then_death(self: stream.JobStream, frame: Any, batch_id: int) -> None:
        if batch_id == fatal_batch:
            # One table is written, or none where all is well with the records; the other is not.
            self.sink.table.merge = kill_all  # type: ignore[method-assign]
            self.quarantine.merge = lambda *given: (merge(self.quarantine, *given), kill_all())  # type: ignore[method-assign, assignment]
        run_batch(self, frame, batch_id)
        if batch_id == fatal_batch:
            kill_all()

    stream.JobStream.run_batch = batch_then_death  # type: ignore[method-assign]
    lifecycle.Driver(config, os.environ, board).run()


if __name__ == "__main__":
    main()
