"""The stream of one job: from Kafka through the job's transform into its tables, one micro-batch after the other.

Spark runs a batch again that it cannot tell to have finished. That does no harm: each commit of a table says to which
positions in Kafka it belongs, and records below them are not written again; quarantine and losses are written by key.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.streaming.query import StreamingQuery

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.frame.checkpoint import Checkpoint
from kwitness.jobs.frame.cluster_survey import ClusterSurvey, ClusterSurveyError
from kwitness.jobs.frame.delta_table import JobTable, keep_first
from kwitness.jobs.frame.findings import MAX_EXAMPLES
from kwitness.jobs.frame.hadoop_files import HadoopFiles
from kwitness.jobs.frame.job import Job, rejected_in
from kwitness.jobs.frame.kafka_frames import records_of as kinded
from kwitness.jobs.frame.kafka_log import KafkaLog
from kwitness.jobs.frame.kafka_options import kafka_options
from kwitness.jobs.frame.lattice_sink import LatticeTable
from kwitness.jobs.frame.ledger import NO_RECORD
from kwitness.jobs.frame.losses import LossTable
from kwitness.jobs.frame.moments import now_ms
from kwitness.jobs.frame.offsets import (
    DataLoss,
    Positions,
    furthest,
    moved_into,
    never_written,
    planned_losses,
    reached,
    records_of,
    recreated,
    restart_losses,
    resumed,
    span,
    within,
)
from kwitness.jobs.frame.places import not_below
from kwitness.jobs.frame.rejection import QUARANTINE_SCHEMA, outdated
from kwitness.jobs.frame.second_cluster import Comparison, SecondCluster, SecondClusterError, read_all, refuse_the_same
from kwitness.jobs.frame.sink import Reading
from kwitness.jobs.frame.sinks import job_input, make_sink
from kwitness.jobs.frame.status import StatusBoard

_LOG = logging.getLogger(__name__)
#: Records of one micro-batch by one or two cores, so that a driver that was away does not read a week at once.
MAX_RECORDS = 50_000
#: With more cores, for each of them: 20,000.
_SHARE_OF_A_CORE = 0.4
#: How often a batch is read again because retention moved into it meanwhile.
_READS = 3
_TIDY_SECONDS = 3600.0
_FIND_SECONDS = 600.0
#: Between two surveys of a stream, and how long one waits for a batch.
_SURVEY_SECONDS = 600.0
_SURVEY_WAITS_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class _Batch:
    """A micro-batch that was read.

    Attributes
    ----------
    used
        Records that could be used, whether or not there are rows of them.
    rejected
        Records that cannot be used, by reason.
    losses
        Ranges that were gone.
    """

    reading: Reading
    used: int
    rejected: Mapping[str, int]
    losses: tuple[DataLoss, ...]

    @property
    def read(self) -> int:
        """Records that were there."""
        return self.used + sum(self.rejected.values())


class JobStream:
    """A job at work.

    Parameters
    ----------
    log
        Asked by the batches of this stream only.
    options
        Consumer settings by Kafka's names.
    """

    def __init__(
        self,
        *,
        session: SparkSession,
        job: Job,
        config: JobConfig,
        log: KafkaLog,
        options: Mapping[str, str],
        board: StatusBoard,
    ) -> None:
        self._session = session
        self._job = job
        self._config = config
        self._log = log
        self._options = options
        self._board = board
        self._input = job_input(job, config)
        self._topics = {getattr(config.topics, kind): kind for kind in job.inputs.topics}
        self._checkpoint = Checkpoint(HadoopFiles(session), config.checkpoint_path)
        self.sink = make_sink(session, job, self._input, config)
        keys = ("topic", "partition", "offset", "timestamp_ms")
        self.quarantine = JobTable(session, f"{config.quarantine_path}/records", QUARANTINE_SCHEMA, keys)
        self._losses = LossTable(session, f"{config.quarantine_path}/losses")
        self._tidy_at = time.monotonic() + _TIDY_SECONDS
        self._find_at = float("-inf")
        self._positions: Positions | None = None
        self._applied: Positions = {}
        self._survey_at = time.monotonic()
        # Surveys come from the driver's thread and batches from Spark's; writing a table at once they would clash.
        self._writing = threading.Lock()

    @property
    def positions(self) -> Positions | None:
        """To where all is in the table; None before the first batch."""
        if self._positions is None:
            self._positions = self._checkpoint.finished()
        return self._positions

    @property
    def records_per_batch(self) -> int:
        """The most records of one micro-batch: it grows with the executors, so that they are the only limit."""
        executors = self._config.executors
        return round(MAX_RECORDS * max(1.0, _SHARE_OF_A_CORE * max(1, executors.instances) * executors.cores))

    @property
    def topics(self) -> tuple[str, ...]:
        """Names of the topics it reads."""
        return tuple(self._topics)

    def lacking(self, ends: Positions) -> tuple[str, ...]:
        """Which topics that the job needs never had a record, as the platform calls them, where logs end so."""
        return self._job.inputs.lacking([self._topics[topic] for topic in never_written(ends)])

    def prepare(self) -> None:
        """Make the tables, and find out what was lost if the checkpoint is gone. No other stream runs now."""
        refuse_the_same(self._config)
        self.sink.prepare()
        self.quarantine.ensure()
        self._board.change(ledger=self._board.read().ledger.abandon())
        self._board.add_losses(self._losses.read())
        ends, applied = self._log.ends(self.topics), self.sink.positions()
        # A topic that ends before the place to which it was read is another one of the same name.
        self._applied = within(applied, ends)
        for where in sorted(applied.keys() - self._applied.keys()):
            _LOG.warning(
                "%s-%d ends before offset %d, to which it was read: it is another topic", *where, applied[where]
            )
        if not self._checkpoint.exists():
            committed = furthest(self._applied, within(self.quarantine.positions(), ends))
            self._report(restart_losses(committed, self._log.starts(self.topics)))
        self._positions = self._checkpoint.finished()
        self._board.change(table_version=self.sink.table.version())

    def start(self, *, waiting: bool) -> StreamingQuery:
        """Start reading where the checkpoint says, or at the beginning.

        Parameters
        ----------
        waiting
            Whether the query goes on for ever and waits for its trigger between batches. Else one batch follows the
            other, and it ends when all is read that is there now.
        """
        frame = self._session.readStream.format("kafka").options(**self._source_options()).load()
        writer = (
            frame.writeStream.queryName(self._config.name or self._job.name)
            .option("checkpointLocation", self._config.checkpoint_path)
            .foreachBatch(self.run_batch)
        )
        if not waiting:
            return writer.trigger(availableNow=True).start()
        return writer.trigger(
            processingTime=f"{max(1, round(self._config.run.trigger_seconds * 1000))} milliseconds"
        ).start()

    def run_batch(self, frame: DataFrame, batch_id: int) -> None:
        """Do one micro-batch."""
        with self._writing:
            self._run_batch(frame, batch_id)

    def survey(self) -> None:
        """Ask the cluster what it says of itself, and merge that into the table; only for jobs that want it.

        Raises
        ------
        ClusterSurveyError
            The cluster does not answer, or batches write all the time.
        """
        if not isinstance(self.sink, LatticeTable):
            return
        if self._job.inputs.second_cluster:
            self._compare(self.sink)
        if not self._job.inputs.survey:
            return
        asked = ClusterSurvey(self._session, self._options)
        # Asked before batches have to wait.
        state = asked.read()
        for part, lacking in {**state.unanswered, **state.not_allowed}.items():
            _LOG.warning("the survey of the cluster lacks %s: %s", part, lacking)
        if not self._writing.acquire(timeout=_SURVEY_WAITS_SECONDS):
            raise ClusterSurveyError("a batch was being written, so what the cluster said was not")
        try:
            self.sink.survey(asked, self._applied)
            self._board.change(table_version=self.sink.table.version())
        finally:
            self._writing.release()

    def _compare(self, sink: LatticeTable) -> None:
        """Read the second cluster, and merge what a comparison says; where it is away, what the first one says."""
        config = self._config.second
        if config is None:
            raise ValueError(f"{self._job.name} compares with a second cluster, and its configuration names none")
        asked = ClusterSurvey(self._session, self._options)
        here, there = asked.read(), None
        options = kafka_options(config.kafka, f"{self._options['client.id']}-second")
        second = SecondCluster(self._session, options)
        kinds = {getattr(config.topics, kind): kind for kind in sink.second_kinds}
        with self._writing:
            try:
                for stretch in second.stretches(kinds, sink.second_positions):
                    self._take(sink.read_second(kinded(stretch.rows, kinds), stretch.positions), config.cluster_id)
                there = second.survey()
            except SecondClusterError as error:
                _LOG.warning("%s; what the first one says is compared with nothing", error)
            read = partial(read_all, self._session, self._options)
            comparison = Comparison(self._session, here, there, asked.compacted, asked.first_after, read)
            sink.compare(comparison, self._applied)
            self._board.change(table_version=self.sink.table.version())

    def _take(self, reading: Reading, cluster_id: str) -> None:
        """Write what was read in the second cluster; in the quarantine its topics have the cluster's id before them."""
        decoded = reading.decoded.persist()
        try:
            rejected = rejected_in(decoded).withColumn("topic", F.concat(F.lit(f"{cluster_id}/"), "topic"))
            if count := rejected.count():
                _LOG.warning("%d records of the second cluster cannot be used: the quarantine has them", count)
                self.quarantine.merge(rejected, keep_first, self._applied)
            reading.write(self._applied)
        finally:
            decoded.unpersist()

    def survey_when_due(self) -> None:
        """Survey the cluster if the last time is long enough ago; one that fails is left for the next time."""
        if time.monotonic() < self._survey_at:
            return
        self._survey_at = time.monotonic() + _SURVEY_SECONDS
        try:
            self.survey()
        except ClusterSurveyError as error:
            _LOG.warning("%s; it is surveyed again in %d s", error, _SURVEY_SECONDS)

    def _run_batch(self, frame: DataFrame, batch_id: int) -> None:
        since, end = self._checkpoint.planned(batch_id)
        # What a commit says it holds is not written again, whatever the checkpoint says.
        start, to = resumed(since, end, self._applied), reached(since, end, self._applied)
        planned = span(start, end)
        self._board.change(ledger=self._board.read().ledger.accept(planned))
        batch = self._read(frame, start, end)
        try:
            # Before the commit: done again, a batch that is in the table does not know what had gone before it.
            self._report(batch.losses)
            self._write(batch, to, always=recreated(since, end))
            self._positions = self._applied = to
        finally:
            batch.reading.decoded.unpersist()
        run = self._board.read().last_run
        # What is not there and was not lost never was a record.
        expired = min(planned - batch.read, records_of(batch.losses, "Expired"))
        dropped = {**batch.rejected, "Expired": expired, NO_RECORD: planned - batch.read - expired}
        self._board.change(ledger=self._board.read().ledger.settle(batch.used, dropped))
        self._board.change_run(
            rows=run.rows + batch.read,
            batches=run.batches + 1,
            quarantined=run.quarantined + sum(batch.rejected.values()),
        )
        if time.monotonic() >= self._tidy_at:
            self.tidy()
        else:
            self._board.change(table_version=self.sink.table.version())

    def tidy(self) -> None:
        """Vacuum and compact the tables: expired rows go, small files become one, files of old versions go.

        A stream does so now and then. A run that ends is over before that, so its driver asks for it at the end.
        """
        self._tidy_at = time.monotonic() + _TIDY_SECONDS
        now = datetime.now(UTC)
        self.sink.tidy(now)
        self.quarantine.tidy(outdated(self.quarantine.frame(), now))
        self._board.change(table_version=self.sink.table.version())

    def find(self) -> None:
        """Put into the status what in the table somebody should look at."""
        self._find_at = time.monotonic() + _FIND_SECONDS
        if self._job.findings is None:
            return
        found = self._job.findings(self.sink.table.frame(), self._input, now_ms())
        self._board.change(findings=found.examples[:MAX_EXAMPLES], finding_counts=dict(found.counts))

    def find_when_due(self) -> None:
        """Do so if the last time is ten minutes ago: something may be wrong because time passed, without a record."""
        if time.monotonic() >= self._find_at:
            self.find()

    def records(self, frame: DataFrame) -> DataFrame:
        """Kafka's rows with the columns that transforms expect."""
        return kinded(frame, self._topics)

    def _read(self, frame: DataFrame, start: Positions, end: Positions) -> _Batch:
        before = self._log.starts(self.topics)
        records = self.records(frame).where(not_below(start))
        for attempt in range(1, _READS + 1):
            reading = self.sink.read(records)
            # Read once, for rows and rejected ones alike, and before it is decided what was lost.
            decoded = reading.decoded.persist()
            counted = decoded.groupBy("rejected.reason").agg(F.count("rejected"), F.sum("used")).collect()
            after = self._log.starts(self.topics)
            if attempt == _READS or not moved_into(start, end, before, after):
                break
            decoded.unpersist()
            before = after
        return _Batch(
            reading=reading,
            used=sum(used or 0 for _, _, used in counted),
            rejected={reason: rejected for reason, rejected, _ in counted if rejected},
            losses=planned_losses(start, end, after),
        )

    def _write(self, batch: _Batch, to: Positions, *, always: bool) -> None:
        if batch.rejected:
            rejected = rejected_in(batch.reading.decoded)
            self.quarantine.merge(rejected, keep_first, to)
        # A commit without rows, too, says to where records were read.
        if batch.used or always:
            batch.reading.write(to)

    def _report(self, losses: tuple[DataLoss, ...]) -> None:
        self._losses.add(losses)
        self._board.add_losses(losses)
        for loss in losses:
            _LOG.warning("records were gone before they were read: %s", loss)
        # Expired ones are part of the batch that was to read them; the others were never in one.
        for reason in {loss.reason for loss in losses} - {"Expired"}:
            count = records_of(losses, reason)
            self._board.change(ledger=self._board.read().ledger.accept(count).settle(0, {reason: count}))

    def _source_options(self) -> dict[str, Any]:
        return {
            **{f"kafka.{key}": value for key, value in self._options.items()},
            "subscribe": ",".join(self.topics),
            "includeHeaders": "true",
            "startingOffsets": self._config.run.starting,
            "maxOffsetsPerTrigger": str(self.records_per_batch),
            "groupIdPrefix": self._options["client.id"],
            # Spark goes on where records are gone; this stream finds out which and reports them.
            "failOnDataLoss": "false",
        }
