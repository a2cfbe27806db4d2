"""Spark's own checkpoint of a query: which offsets a micro-batch was planned with. Read only."""

from __future__ import annotations

from dataclasses import dataclass

from py4j.protocol import Py4JJavaError

from kwitness.jobs.frame.hadoop_files import HadoopFiles
from kwitness.jobs.frame.offsets import Positions, from_json


class CheckpointError(ValueError):
    """A file of the checkpoint is there and cannot be read."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The checkpoint folder of one query with one source.

    Spark writes `offsets/<batch>` before it runs a batch and `commits/<batch>` after it; `sources/0/0` holds where
    batch 0 began. The last line of each is the source's offsets as JSON (Structured Streaming's log format v1).
    """

    files: HadoopFiles
    path: str

    def exists(self) -> bool:
        """Whether the query has run before."""
        return self.files.exists(f"{self.path}/offsets") and bool(self.files.names(f"{self.path}/offsets"))

    def planned(self, batch_id: int) -> tuple[Positions, Positions]:
        """From where to where (excluded) a batch reads.

        Raises
        ------
        CheckpointError
            Spark has not planned the batch, or what it wrote cannot be read.
        """
        start = f"offsets/{batch_id - 1}" if batch_id > 0 else "sources/0/0"
        return self._positions(start), self._positions(f"offsets/{batch_id}")

    def finished(self) -> Positions | None:
        """To where the batches are finished; None before the first.

        Raises
        ------
        CheckpointError
            It cannot be told.
        """
        folder = f"{self.path}/commits"
        if not self.files.exists(folder):
            return None
        batches = [int(name) for name in self.files.names(folder) if name.isdigit()]
        return self._positions(f"offsets/{max(batches)}") if batches else None

    def _positions(self, name: str) -> Positions:
        path = f"{self.path}/{name}"
        try:
            return from_json(self.files.read_text(path).splitlines()[-1])
        except (OSError, ValueError, LookupError, AttributeError, Py4JJavaError) as error:
            # Of Java's exceptions: a file whose checksum is another one.
            raise CheckpointError(f"{path} of the checkpoint cannot be read ({type(error).__name__})") from error
