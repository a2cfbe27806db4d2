"""What a stream asks of the place where its records go. Two kinds: `LatticeTable` and `WindowTables`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pyspark.sql import DataFrame

from kwitness.jobs.frame.delta_table import JobTable
from kwitness.jobs.frame.offsets import Positions


@dataclass(frozen=True, slots=True)
class Reading:
    """Records that were decoded, and what writes them.

    Attributes
    ----------
    decoded
        Of `kwitness.jobs.frame.job.decoded_schema`; kept by the stream until all is written.
    write
        Writes what was decoded; the commit says to which positions in Kafka it belongs.
    """

    decoded: DataFrame
    write: Callable[[Positions], None]


class Sink(Protocol):
    """Where the records of one job go."""

    @property
    def table(self) -> JobTable:
        """The table that people read."""

    def prepare(self) -> None:
        """Make what is not there, and finish what a driver that was killed had begun."""

    def positions(self) -> Positions:
        """To where in Kafka records have had their effect; those below must not be written again."""

    def read(self, records: DataFrame) -> Reading:
        """Decode records; nothing runs before the frame is asked for its rows."""

    def tidy(self, now: datetime) -> None:
        """Drop what is outdated, write small files together."""
