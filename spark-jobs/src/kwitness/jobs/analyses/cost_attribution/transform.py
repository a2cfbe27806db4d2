"""From windows of traffic, values of headers and samples of stored bytes to what each group used, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from typing import NamedTuple
from zoneinfo import ZoneInfo

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import StringType

from kwitness.contracts.owners import OwnerList
from kwitness.jobs.analyses.cost_attribution.base_windows import base_windows
from kwitness.jobs.analyses.cost_attribution.division import divided, sorted_parts, whole_sum
from kwitness.jobs.analyses.cost_attribution.header_values import tagged
from kwitness.jobs.analyses.cost_attribution.months import Month, months_of_days, span_of
from kwitness.jobs.analyses.cost_attribution.owner_times import OwnerTimes
from kwitness.jobs.analyses.cost_attribution.prices import USAGES
from kwitness.jobs.analyses.cost_attribution.pricing import Pricing
from kwitness.jobs.analyses.cost_attribution.schema import (
    ATTRIBUTED,
    CLIENT,
    COSTS,
    GROUP_COLUMNS,
    TABLE_SCHEMA,
    UNATTRIBUTED,
    WHOLE,
)
from kwitness.jobs.analyses.cost_attribution.stored import Measured, measured
from kwitness.jobs.frame.facts import day_of
from kwitness.jobs.frame.job import Computed, JobInput, TableInputs
from kwitness.jobs.frame.owners import owner_of
from kwitness.jobs.frame.stored_samples import sample_times
from kwitness.jobs.frame.window_state import OPEN
from kwitness.jobs.frame.windows import Span, inside, joined, window_start

LONGEST_GAP_MS = 26 * 3_600_000
"""How far apart two samples of stored bytes may be: somewhat more than a day, so that one run a day is enough."""
_HOUR_MS = 3_600_000
_PARTITION, _API, _PRODUCE = "partition", "api", "Produce"
_MOVED = ("bytes_in", "bytes_out", "requests")
_GROUPS = tuple(one.name for one in GROUP_COLUMNS.values())
Keep = Callable[[DataFrame], DataFrame]


class Periods(NamedTuple):
    """Spans that are computed, months or days.

    Attributes
    ----------
    spans
        By name.
    lengths
        By the same name: how long its month is, in milliseconds.
    """

    spans: dict[str, Span]
    lengths: dict[str, int]

    @classmethod
    def of_months(cls, names: Iterable[str], zone: ZoneInfo) -> Periods:
        """Return the months of these names."""
        spans = {name: span_of(Month.named(name), zone) for name in sorted(names)}
        return cls(spans, {name: span.end - span.start for name, span in spans.items()})

    @property
    def all(self) -> tuple[Span, ...]:
        """All of them, put together where they touch."""
        return joined(self.spans.values())

    def column(self, milliseconds: Column) -> Column:
        """The period that holds a time; null where it is none of these."""
        return F.coalesce(
            *(
                F.when((milliseconds >= span.start) & (milliseconds < span.end), F.lit(name))
                for name, span in self.spans.items()
            )
        )


def periods(days: Iterable[date], job_input: JobInput) -> tuple[str, ...]:
    """The months that a part of some days in UTC belongs to."""
    return tuple(month.name for month in months_of_days(days, zone_of(job_input)))


def compute(inputs: TableInputs, names: Sequence[str], job_input: JobInput) -> Computed:
    """All rows of some months."""
    return computed(inputs, Periods.of_months(names, zone_of(job_input)), job_input)


def computed(inputs: TableInputs, months: Periods, job_input: JobInput) -> Computed:
    """All rows of some periods, whose column `month` has the period's name."""
    owned = OwnerTimes.within(Span(months.all[0].start, months.all[-1].end), job_input.owners)
    table = inputs.tables["Traffic"]
    windows = windows_of(table, months)
    traffic = (
        table.where(inside(months.all))
        .where(windows.condition)
        .withColumn("month", months.column(F.col("window_start_ms")))
        .where("month is not null")
        .withColumn("owned_at_ms", owned.column(F.col("window_start_ms")))
    )
    lines = inputs.keep(_lines(traffic, inputs, months, job_input))
    times = sample_times(inputs.samples, months.all[0].start, months.all[-1].end)
    known = {name: measured(times, span, LONGEST_GAP_MS) for name, span in months.spans.items()}
    byte_hours = _byte_hours(inputs.samples, months, known, owned)
    used = _used(lines.unionByName(_stored(lines, byte_hours, job_input)), job_input)
    return Computed(_priced(used, months, known, windows.open, job_input), windows.open)


def zone_of(job_input: JobInput) -> ZoneInfo:
    """The time zone whose months are meant."""
    return ZoneInfo(job_input.parameters.time_zone)


def _keys(job_input: JobInput) -> tuple[str, ...]:
    """The columns that tell groups apart, in the order of the table."""
    return tuple(one.name for word, one in GROUP_COLUMNS.items() if word in job_input.parameters.group_by)


class Windows(NamedTuple):
    """What windows the table of traffic has.

    Attributes
    ----------
    condition
        Which of them are added up, in SQL.
    open
        Periods that are not over, or of which a window is open.
    """

    condition: str
    open: frozenset[str]


def windows_of(table: DataFrame, months: Periods) -> Windows:
    """The windows of some periods in a table of traffic."""
    # Of later days as well, since they say which months are over.
    since = table.where(F.col("day") >= F.lit(day_of(months.all[0].start)))
    month = months.column(F.col("window_start_ms")).alias("month")
    found = since.groupBy("day", "window_seconds", month).agg(
        F.max("window_end_ms").alias("end_ms"), F.bool_or(F.col("state") == OPEN).alias("is_open")
    )
    rows = found.collect()
    condition = base_windows((row["day"], row["window_seconds"]) for row in rows if row["month"])
    seconds = min((row["window_seconds"] for row in rows), default=0)
    latest = max((row["end_ms"] for row in rows if row["window_seconds"] == seconds), default=0)
    opened = {row["month"] for row in rows if row["is_open"]}
    return Windows(
        condition, frozenset(name for name, span in months.spans.items() if name in opened or span.end > latest)
    )


def _lengths(rows: DataFrame) -> list[tuple[date, int]]:
    """The days and lengths of windows that there are rows of."""
    return [(row[0], row[1]) for row in rows.select("day", "window_seconds").distinct().collect()]


def _lines(traffic: DataFrame, inputs: TableInputs, months: Periods, job_input: JobInput) -> DataFrame:
    """What each client sent, fetched and asked for, by topic and value of the header, with whose it is."""
    by_hour = "Header" in job_input.parameters.group_by
    moved = _moved(traffic, inputs.keep, by_hour=by_hour)
    if by_hour:
        # Headers of an hour that two months share tell of both.
        table = inputs.tables.get("HeaderDrift")
        near = joined(Span(one.start - _HOUR_MS, one.end + _HOUR_MS) for one in months.all)
        rows = None if table is None else table.where(inside(near))
        seen = None if rows is None else rows.where(base_windows(_lengths(rows)))
        lines = tagged(moved, seen, job_input.parameters.header, _MOVED)
    else:
        lines = moved.withColumns({"header_value": _no_text(), "attribution": F.lit(ATTRIBUTED)})
    owner = owner_of(
        job_input.owners,
        F.col("owned_at_ms"),
        principal=F.col("principal"),
        client_id=F.col("client_id"),
        namespace=F.col("k8s_namespace"),
        topic=F.col("topic"),
    )
    nothing = F.lit(0).cast(WHOLE).alias("stored_byte_hours")
    plain = (*CLIENT, "topic", "header_value", "attribution", *_MOVED)
    return lines.select("month", *plain, owner["owner"].alias("owner"), nothing)


def _moved(traffic: DataFrame, keep: Keep, *, by_hour: bool) -> DataFrame:
    """Bytes and requests by month, time of owners, hour, api, client and topic.

    Requests have no topic. Those that move records are divided among the topics that they named in the same time.
    """
    hour = window_start(F.col("window_start_ms"), _HOUR_MS // 1000) if by_hour else F.lit(None).cast("long")
    timed = traffic.withColumns({"hour": hour, "topic": F.coalesce("topic", "topic_id")})
    key = ("month", "owned_at_ms", "hour", "api", *CLIENT)
    sums = (
        timed.where(F.col("kind").isin(_PARTITION, _API))
        .groupBy("kind", *key, "topic")
        .agg(whole_sum("bytes").alias("bytes"), whole_sum("requests").alias("named"))
    )
    # The one reading of the table; what follows is as small as its clients are few.
    summed = keep(sums)
    of_topics = summed.where(F.col("kind") == _PARTITION)
    parts = sorted_parts(("topic",), "named", only=(F.col("kind") == _PARTITION) & (F.col("named") > 0))
    asked = summed.groupBy(*key).agg(
        F.sum(F.when(F.col("kind") == _API, F.col("named"))).cast(WHOLE).alias("requests"), parts.alias("parts")
    )
    requests = divided(asked.where("requests > 0"), ("requests",), "named")
    nothing = F.lit(0).cast(WHOLE)
    is_in = F.col("api") == _PRODUCE
    bytes_moved = of_topics.select(
        *key,
        "topic",
        F.when(is_in, F.col("bytes")).otherwise(nothing).alias("bytes_in"),
        F.when(is_in, nothing).otherwise(F.col("bytes")).alias("bytes_out"),
        nothing.alias("requests"),
    )
    asked_of = requests.select(
        *key, F.col("part.topic").alias("topic"), nothing.alias("bytes_in"), nothing.alias("bytes_out"), "requests"
    )
    return (
        bytes_moved.unionByName(asked_of)
        .groupBy(*key, "topic")
        .agg(*(F.sum(name).cast(WHOLE).alias(name) for name in _MOVED))
    )


def _byte_hours(samples: DataFrame, months: Periods, known: Mapping[str, Measured], owned: OwnerTimes) -> DataFrame:
    """Stored bytes times hours by month, time of owners and topic."""
    counted = [
        # A sample after the end of a month says what was stored at its end.
        (month, at, ms, owned.before(min(at, months.spans[month].end - 1)))
        for month, found in known.items()
        for at, ms in found.weights.items()
    ]
    weights = samples.sparkSession.createDataFrame(
        counted, "month string, sampled_ms long, counted_ms long, owned_at_ms long"
    )
    byte_ms = F.col("stored_bytes").cast("decimal(19,0)") * F.col("counted_ms").cast("decimal(13,0)")
    total = F.sum(byte_ms)
    return (
        samples.join(F.broadcast(weights), "sampled_ms")
        .select("month", "owned_at_ms", "counted_ms", F.explode("stored_bytes").alias("topic", "stored_bytes"))
        .groupBy("month", "owned_at_ms", "topic")
        .agg(((total - F.pmod(total, F.lit(_HOUR_MS))) / _HOUR_MS).cast(WHOLE).alias("stored_byte_hours"))
        .where("stored_byte_hours > 0")
    )


def _stored(lines: DataFrame, byte_hours: DataFrame, job_input: JobInput) -> DataFrame:
    """Stored bytes as lines: the owner of a topic has them, and among groups who wrote has them, by bytes written."""
    keys = _keys(job_input)
    told = tuple(dict.fromkeys((*(name for name in keys if name != "topic"), "owner", "attribution")))
    written = (
        lines.where("bytes_in > 0").groupBy("month", "topic", *told).agg(F.sum("bytes_in").cast(WHOLE).alias("written"))
    )
    writers = written.groupBy("month", "topic").agg(sorted_parts(told, "written").alias("parts"))
    parts = divided(byte_hours.join(writers, ["month", "topic"], "left"), ("stored_byte_hours",), "written")
    of_topic = owner_of(job_input.owners, F.col("owned_at_ms"), topic=F.col("topic"))["owner"]
    # An owner is told by the topic alone; whatever else has a row each is told by who wrote.
    needs_writers = bool(set(keys) - {"owner", "topic"})
    alone = F.lit(needs_writers) | of_topic.isNull() if "owner" in keys else F.lit(needs_writers)
    nobody = F.when(alone, UNATTRIBUTED).otherwise(ATTRIBUTED)
    found = {
        **{name: F.col(f"part.{name}") if name in told else _no_text() for name in (*CLIENT, "header_value")},
        "attribution": F.coalesce(F.col("part.attribution"), nobody),
        "owner": F.coalesce(of_topic, F.col("part.owner")),
        **{name: F.lit(0).cast(WHOLE) for name in _MOVED},
    }
    return parts.withColumns(found).select(*lines.columns)


def _used(lines: DataFrame, job_input: JobInput) -> DataFrame:
    """What each group used, and how much of that is nobody's."""
    keys = _keys(job_input)
    nobody = F.col("owner").isNull() if job_input.owners is not None else F.lit(False)
    shown = {name: F.col(name) if name in keys else _no_text() for name in _GROUPS}
    sums = [F.sum(name).cast(WHOLE).alias(name) for name in USAGES]
    unowned = [F.sum(f"unowned_{name}").cast(WHOLE).alias(f"unowned_{name}") for name in USAGES]
    parts = {f"unowned_{name}": F.when(nobody, F.col(name)).otherwise(F.lit(0).cast(WHOLE)) for name in USAGES}
    used = lines.withColumns(parts).withColumns(shown).groupBy("month", *_GROUPS, "attribution").agg(*sums, *unowned)
    return used.where(" OR ".join(f"{name} > 0" for name in USAGES))


def _priced(
    used: DataFrame,
    months: Periods,
    known: Mapping[str, Measured],
    opened: AbstractSet[str],
    job_input: JobInput,
) -> DataFrame:
    """Rows of the table."""
    card, owners = job_input.rate_card, job_input.owners
    pricing = Pricing(card, months.lengths)
    rows = pricing.rows(used, (*_GROUPS, "attribution"))
    by_month: dict[str, Mapping[str, object]] = {
        "month_start_ms": {name: span.start for name, span in months.spans.items()},
        "month_end_ms": {name: span.end for name, span in months.spans.items()},
        "stored_known_ms": {name: one.known_ms for name, one in known.items()},
        "stored_gap_ms": {name: one.gap_ms for name, one in known.items()},
        "state": {name: "open" if name in opened else "closed" for name in months.spans},
    }
    told = {
        **{name: _looked_up(values, F.col("month")) for name, values in by_month.items()},
        "grouped_by": F.lit(",".join(word for word in GROUP_COLUMNS if word in job_input.parameters.group_by)),
        "currency": F.lit(card.currency if card else None).cast("string"),
        "missing_rates": F.array(*(F.lit(one) for one in card.holes)) if card and card.holes else _no_texts(),
        "cost": sum((F.col(name) for name in COSTS.values()), F.lit(0)),
    }
    if owners is None:
        told["unowned_cost"] = F.lit(None)
    return _with_contacts(rows.withColumns(told), owners).select(
        *(F.col(field.name).cast(field.dataType).alias(field.name) for field in TABLE_SCHEMA)
    )


def _with_contacts(rows: DataFrame, owners: OwnerList | None) -> DataFrame:
    """Rows with the contact that the first entry of their owner names."""
    contacts = {entry.team: entry.contact for entry in reversed(owners.owners if owners else ()) if entry.contact}
    if not contacts:
        return rows.withColumn("owner_contact", _no_text())
    # Joined, since there are as many teams as entries, and a map is searched from its beginning for each row.
    named = rows.sparkSession.createDataFrame(list(contacts.items()), "owner string, owner_contact string")
    return rows.join(F.broadcast(named), "owner", "left")


def _looked_up(values: Mapping[str, object], key: Column) -> Column:
    pairs = [F.lit(one) for pair in values.items() for one in pair]
    return F.try_element_at(F.create_map(*pairs), key)


def _no_text() -> Column:
    return F.lit(None).cast(StringType())


def _no_texts() -> Column:
    return F.array().cast("array<string>")
