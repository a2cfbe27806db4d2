"""Two tables: facts, which each record is appended to once, and windows, computed from them whenever they are touched.

Each commit of the facts says to which positions in Kafka they go; each commit of the windows says up to which of those
positions the facts are in them. So it can be told at any time, by the tables alone, which windows must be computed
again, and what a driver does after each batch is what it does when it finds the work of one that was killed.

Many facts become windows in pieces, in the order of time. Each commit but the last says how far it has come.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import StructField, StructType

from kwitness.contracts.resources.meta import parse_duration
from kwitness.jobs.frame.delta_table import JobTable, metadata_of, positions_in
from kwitness.jobs.frame.facts import KAFKA_COLUMNS, SEAL, day_column, day_of, unique
from kwitness.jobs.frame.job import COMPUTED_BY, Job, JobInput, WindowsSink
from kwitness.jobs.frame.json_events import problem, rejected_column
from kwitness.jobs.frame.moments import DAY_MS, epoch_ms, in_milliseconds, now_ms
from kwitness.jobs.frame.offsets import Positions
from kwitness.jobs.frame.places import not_below
from kwitness.jobs.frame.settings_digest import digest_of
from kwitness.jobs.frame.sink import Reading
from kwitness.jobs.frame.window_pieces import Piece, pieces
from kwitness.jobs.frame.window_state import GRACE, OPEN, SEALED, states
from kwitness.jobs.frame.windows import (
    WINDOW_COLUMNS,
    Span,
    base_seconds,
    inside,
    joined,
    longer_lengths,
    spans,
    start_of,
    widened,
    window_start,
)

_LOG = logging.getLogger(__name__)
#: Facts that become windows with one commit, which is what a driver that is killed has to do again: half an hour of one
#: core. Smaller pieces would read the files of a day more often.
MAX_FACTS = 20_000_000
#: How much longer than their retention facts stay, for partitions of a topic that are read at different speeds.
_SLACK_MS = DAY_MS
_LATEST = "latest_ms"
_CATCHING_UP = "catching_up"
_HOUR = 3600
_DECODED = ("topic", "partition", "offset", "timestamp_ms", "row", "rejected", "used")


@dataclass(frozen=True, slots=True)
class _Mark:
    """What a commit of the windows holds.

    Attributes
    ----------
    positions
        Facts below them are in it.
    latest_ms
        The latest time in Kafka of any of them that is not in the future; None before the first.
    """

    positions: Positions
    latest_ms: int | None


_Level = tuple[int, Sequence[Span], DataFrame]
"""Windows of a length, in seconds: which are computed, and their rows."""


class WindowTables:
    """The tables of a job whose sink is a `WindowsSink`.

    Parameters
    ----------
    path, facts_path
        Of the table of windows, and of that of facts.
    """

    def __init__(
        self, session: SparkSession, job: Job, sink: WindowsSink, job_input: JobInput, *, path: str, facts_path: str
    ) -> None:
        self._session = session
        self._job = job
        self._sink = sink
        self._input = job_input
        self._base = base_seconds(job_input.window_seconds)
        self._lengths = longer_lengths(self._base, sink.lengths)
        self._retention_ms = in_milliseconds(parse_duration(job_input.parameters.retention))
        # A window must be over before the facts that it is computed from go.
        self._grace_ms = min(in_milliseconds(parse_duration(job_input.parameters.grace)), self._retention_ms)
        self._settings = f"{self._base}/{digest_of(job, job_input)}"
        self._schema = StructType([*job.schema.fields, COMPUTED_BY])
        keys = [field.name for field in WINDOW_COLUMNS]
        self.table = JobTable(session, path, self._schema, keys, partitions=job.layout.partitions)
        facts = StructType([*KAFKA_COLUMNS.fields, *sink.facts.fields])
        self.facts = JobTable(session, facts_path, facts, ("kafka_topic", "kafka_offset"), partitions=("day",))
        self._mark = _Mark({}, None)
        self._begun: Mapping[str, Any] = {}
        self._positions: Positions = {}
        self._latest_ms: int | None = None

    def prepare(self) -> None:
        """Make the tables, and compute what is not in the windows yet: all of them where their table is new."""
        # What was made now holds nothing that would have to be looked for.
        held, kept = ({} if table.ensure() else table.metadata() for table in (self.table, self.facts))
        self._positions = positions_in(kept)
        self._latest_ms = _no_later_than_now(kept.get(_LATEST))
        if self._positions and self._latest_ms is None:
            latest = self.facts.frame().agg(F.max("kafka_timestamp_ms")).collect()[0][0]
            self._latest_ms = _no_later_than_now(latest)
        self._mark = _Mark(positions_in(held), _no_later_than_now(held.get(_LATEST)))
        self._begun = held.get(_CATCHING_UP, {})
        self._catch_up()

    def positions(self) -> Positions:
        """To where in Kafka records are facts."""
        return self._positions

    def read(self, records: DataFrame) -> Reading:
        """Decode records; those of days whose facts have been dropped are too late."""
        decoded = self._sink.decode(records, self._input)
        message = "the facts of the window are not kept any more"
        gone = F.col("row.window_start_ms") < F.lit(self._kept_from_ms(now_ms()) + self._base * 1000)
        judged = (
            decoded.withColumn("problem", F.when(gone, problem("TooLate", message)))
            .withColumn("rejected", F.coalesce("rejected", rejected_column()))
            .withColumn("row", F.when(F.col("problem").isNull(), F.col("row")))
            .withColumn("used", F.when(F.col("problem").isNull(), F.col("used")))
            .select(*_DECODED)
        )
        return Reading(judged, lambda end: self.write(judged, end))

    def write(self, decoded: DataFrame, end: Positions) -> None:
        """Append the facts of one batch and compute the windows that they touch."""
        places = [F.col(name).alias(f"kafka_{name}") for name in _DECODED[:4]]
        day = day_column(F.col("row.window_start_ms")).alias("day")
        rows = decoded.where("row is not null").select(*places, day, "row.*")
        came = self._starts_of(rows)
        # Of a batch before this one whose windows were not computed there are more.
        is_all = self._positions == self._mark.positions
        latest = (one["latest"] for one in came)
        self._latest_ms = _no_later_than_now(
            max((at_ms for at_ms in (*latest, self._latest_ms) if at_ms is not None), default=None)
        )
        positions = {**self._positions, **end}
        self.facts.append(rows, self._metadata(positions))
        self._positions = positions
        self._catch_up(came if is_all else None)

    def tidy(self, now: datetime) -> None:
        """Drop days of facts and windows that are not kept; write small files of closed days together."""
        latest = min(self._latest_ms or 0, epoch_ms(now))
        kept_from = day_of(self._kept_from_ms(epoch_ms(now)))
        closed = f"day < DATE'{day_of(max(0, latest - self._grace_ms))}'"
        self.facts.tidy(F.col("day") < F.lit(kept_from), compacted=closed)
        self.table.tidy(F.expr(self._expired(epoch_ms(now))), compacted=closed)

    def _expired(self, present: int) -> str:
        """The condition in SQL for windows that are not kept any longer, of whole partitions."""
        keep = self._input.parameters.keep
        longest = max((self._base, *self._lengths))
        # What may be computed again is there, with all windows that longer ones are made of.
        needed_ms = self._retention_ms + _SLACK_MS + self._base * 1000 + DAY_MS
        found = []
        for condition, kept in (
            (f"window_seconds < {min(_HOUR, longest)}", keep.windows),
            (f"window_seconds >= {_HOUR} AND window_seconds < {longest}", keep.hours),
            (f"window_seconds >= {longest}", keep.days),
        ):
            if kept is not None:
                kept_ms = max(needed_ms, in_milliseconds(parse_duration(kept)))
                day = day_of(max(0, min(self._latest_ms or 0, present) - kept_ms))
                found.append(f"({condition} AND day < DATE'{day}')")
        return " OR ".join(found)

    def _kept_from_ms(self, present: int) -> int:
        """The start of the first day whose facts are kept. A source's clock that is ahead drops nothing."""
        kept = min(self._latest_ms or 0, present) - self._retention_ms - _SLACK_MS - self._base * 1000
        return max(0, kept) // DAY_MS * DAY_MS

    def _catch_up(self, came: Sequence[Row] | None = None) -> None:
        """Compute the windows that facts beyond the mark touch, those still open, and longer ones that have closed.

        Parameters
        ----------
        came
            Of the facts beyond the mark, as `_starts_of` says it; they are looked for where it is absent.
        """
        latest = self._latest_ms
        if latest is None or (self._positions == self._mark.positions and self._mark.latest_ms is not None):
            return
        if came is None:
            came = self._starts_of(self.facts.frame().where(_beyond(self._mark.positions, self._positions)))
        counted = {row["start"]: row["facts"] for row in came}
        facts = {start: counted.get(start, 0) for start in self._touched(came)}
        goal = self._metadata(self._positions) | {"settings": self._settings}
        # With other facts or settings than the driver before, all is computed again.
        after = self._begun.get("until_ms") if goal.items() <= self._begun.items() else None
        # Longer windows that go on where that driver ended hold windows that it has computed.
        ended = [] if after is None else [after - self._base * 1000]
        touched = spans([*facts, *ended], self._base)
        for piece in pieces(facts, self._base, MAX_FACTS, after):
            self._compute(piece, touched, latest, goal)
        self._begun = {}
        self._mark = _Mark(self._positions, latest)

    def _compute(self, piece: Piece, touched: Sequence[Span], latest: int, goal: Mapping[str, Any]) -> None:
        """Compute the windows of a piece, and commit them."""
        several = spans(piece.starts, self._base)
        wanted = [(self._base, several), *self._longer_wanted(piece, touched, latest)]
        levels: list[_Level] = []
        try:
            for length, of_length in wanted:
                if levels:
                    rows = self._longer_rows(levels[-1], length, of_length)
                else:
                    rows = self._base_rows(several, *self._states(several, latest))
                # Rows of the last level are read once.
                levels.append((length, of_length, rows.persist() if length != wanted[-1][0] else rows))
            made = reduce(DataFrame.unionByName, (rows for _, _, rows in levels))
            places = (f"(window_seconds = {length} AND {inside(of_length)})" for length, of_length in wanted)
            note = self._metadata(self._positions)
            if piece.until is not None:
                note = metadata_of(self._mark.positions) | {_LATEST: self._mark.latest_ms}
                note |= {_CATCHING_UP: dict(goal) | {"until_ms": piece.until}}
            self.table.replace(self._whole(made), " OR ".join(places), note)
            if piece.until is not None:
                _LOG.info("windows are computed up to %d ms since 1970; the facts go on to %d ms", piece.until, latest)
        finally:
            for _, _, rows in levels:
                rows.unpersist()

    def _metadata(self, positions: Positions) -> dict[str, Any]:
        return metadata_of(positions) | {_LATEST: self._latest_ms}

    def _starts_of(self, facts: DataFrame) -> list[Row]:
        """Of the base windows of facts: the start, how many, their latest time in Kafka, and where seals reach."""
        seal = F.when(F.col("kind") == SEAL, F.col("window_end_ms"))
        starts = facts.groupBy(window_start(F.col("window_start_ms"), self._base).alias("start")).agg(
            F.count("*").alias("facts"),
            F.max("kafka_timestamp_ms").alias("latest"),
            F.min(F.when(seal.isNotNull(), F.col("window_start_ms"))).alias("first"),
            F.max(seal).alias("last"),
        )
        return starts.collect()

    def _touched(self, came: Sequence[Row]) -> set[int]:
        """The starts of the base windows to compute."""
        starts = {row["start"] for row in came}
        seals = [(row["first"], row["last"]) for row in came if row["last"] is not None]
        if self._mark.latest_ms is None:
            # All that there is has come now.
            return starts
        # A window was left open where the latest time had not passed its end and the grace.
        present = F.col("state") == OPEN
        oldest = self._mark.latest_ms - self._grace_ms
        if seals:
            # A seal says something of windows that it does not begin in.
            low, high = min(first for first, _ in seals) - self._grace_ms, max(last for _, last in seals)
            kept = F.col("window_start_ms") >= self._kept_from_ms(now_ms())
            present |= (F.col("state") == GRACE) & F.col("window_end_ms").between(low, high) & kept
            oldest = min(oldest, low)
        # By day and time first, so that windows of long ago are not looked at.
        day = day_of(max(0, oldest - self._base * 1000))
        recent = (F.col("day") >= F.lit(day)) & (F.col("window_end_ms") >= oldest)
        rows = self.table.frame().where((F.col("window_seconds") == self._base) & recent & present)
        starts |= {row[0] for row in rows.select("window_start_ms").distinct().collect()}
        # The facts of all of these are there: housekeeping leaves those of open windows, and newer ones than it dropped
        # are all that is read.
        return starts

    def _states(self, touched: Sequence[Span], latest: int) -> tuple[DataFrame, int]:
        """The states of the base windows, and how many of their facts are there again."""
        beyond = joined(Span(one.start, one.end + self._grace_ms + 1) for one in touched)
        names = ("kind", "event_source", "event_epoch", "event_seq", "window_start_ms", "window_end_ms")
        places = ("kafka_topic", "kafka_partition", "kafka_offset", "sealed_records")
        near = self.facts.frame().where(f"{inside(touched)} OR ({inside(beyond)} AND kind = '{SEAL}')")
        start = window_start(F.col("window_start_ms"), self._base)
        found = states(near.select(*names, *places), start, self._base * 1000, self._grace_ms, latest).toArrow()
        repeats = sum(many or 0 for many in found["repeats"].to_pylist())
        # As rows that the planner has at hand, so that the join with them is a small one.
        return self._session.createDataFrame(found.select(["window_start_ms", "state"])), repeats

    def _base_rows(self, touched: Sequence[Span], found: DataFrame, repeats: int) -> DataFrame:
        start = window_start(F.col("window_start_ms"), self._base)
        facts = self.facts.frame().where(inside(touched))
        # To sort them all, wide as they are, is worth it only where some are there twice.
        rows = self._sink.windows(unique(facts, start) if repeats else facts, self._input)
        return self._placed(rows.join(F.broadcast(found), "window_start_ms"), self._base)

    def _longer_wanted(self, piece: Piece, touched: Sequence[Span], latest: int) -> list[tuple[int, tuple[Span, ...]]]:
        """The lengths of longer windows, with those to compute in a piece."""
        several = [(length, piece.ending(self._due(length, touched, latest), length)) for length in self._lengths]
        # A day may end in a piece without an hour; it is made of hours all the same.
        while several and not several[-1][1]:
            several.pop()
        return several

    def _due(self, length: int, touched: Sequence[Span], latest: int) -> tuple[Span, ...]:
        """Windows of a longer length that have closed by now: those that are touched, and those that had not before."""
        closed = start_of(max(0, latest - self._grace_ms - 1), length)
        # Where nothing was computed yet, all that there is is touched.
        before = min((one.start for one in touched), default=closed)
        if self._mark.latest_ms is not None:
            before = max(0, self._mark.latest_ms - self._grace_ms - 1)
        newly = Span(start_of(before, length), closed)
        several = [Span(one.start, min(one.end, closed)) for one in widened(touched, length)]
        return joined(one for one in (*several, newly) if one.start < one.end)

    def _longer_rows(self, below: _Level, length: int, wanted: Sequence[Span]) -> DataFrame:
        seconds, replaced, made = below
        kept = F.expr(f"window_seconds = {seconds} AND {inside(wanted)} AND NOT {inside(replaced)}")
        parts = self.table.frame().where(kept).select(*made.columns).unionByName(made.where(inside(wanted)))
        start = window_start(F.col("window_start_ms"), length)
        found = parts.groupBy(start.alias("window_start_ms")).agg(
            F.when(F.bool_and(F.col("state") == SEALED), SEALED).otherwise(GRACE).alias("state")
        )
        rows = self._sink.longer(parts, length, self._input)
        return self._placed(rows.join(F.broadcast(found), "window_start_ms"), length)

    def _placed(self, rows: DataFrame, seconds: int) -> DataFrame:
        """Rows with the columns that the frame fills."""
        start = F.col("window_start_ms")
        own = {
            "day": day_column(start),
            "window_seconds": F.lit(seconds),
            "window_end_ms": start + F.lit(seconds * 1000),
            COMPUTED_BY.name: F.lit(self._job.computed_by),
        }
        columns = set(rows.columns) | set(own)
        return rows.withColumns(own).select(
            *(_as(field) for field in self._schema if field.name in columns),
        )

    def _whole(self, rows: DataFrame) -> DataFrame:
        """Rows with those that follow from others, and so all columns of the table."""
        whole = rows if self._sink.derived is None else self._sink.derived(rows, self._input)
        return whole.select(*(_as(field) for field in self._schema))


def _no_later_than_now(at_ms: int | None) -> int | None:
    """A time in Kafka; a clock that was ahead would close all windows until the present is there."""
    return None if at_ms is None else min(at_ms, now_ms())


def _as(field: StructField) -> Column:
    """A column as the table has it."""
    return F.col(field.name).cast(field.dataType).alias(field.name)


def _beyond(positions: Positions, present: Positions) -> Column:
    """Whether a fact is not below the position of its partition; all are of a topic that was recreated meanwhile."""
    reached = {where: offset for where, offset in positions.items() if offset <= present.get(where, 0)}
    return not_below(reached, "kafka_")
