"""Both clusters at one time: a row for each partition of what is mirrored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.analyses.mirror_audit.offset_syncs import OffsetSync, in_order, is_of_syncs, sync_of
from kwitness.jobs.analyses.mirror_audit.schema import MAX_SYNCS, PARTITION, SPAN, TABLE_SCHEMA
from kwitness.jobs.analyses.mirror_audit.transform import mirrored_as, span_ms_of, tolerance_ms_of
from kwitness.jobs.analyses.mirror_audit.verdicts import Counted, Sides, bounded, judge
from kwitness.jobs.frame.cluster_state import ClusterState, SurveyedTopic
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.kafka_options import KafkaSettingsError
from kwitness.jobs.frame.longs import as_longs
from kwitness.jobs.frame.offsets import TopicPartition
from kwitness.jobs.frame.second_cluster import Comparison

Place = tuple[str, int]


def compare(comparison: Comparison, table: DataFrame, job_input: JobInput) -> DataFrame:
    """Rows of the table's schema, one for each partition of mirrored topics, as of now.

    Raises
    ------
    KafkaSettingsError
        `MirrorIsSource`: topics would be compared with themselves.
    """
    here, there = comparison.here, comparison.there
    refuse_itself(here, there, job_input)
    topics = mirrored(here, there, job_input)
    settled_ms = here.surveyed_ms - tolerance_ms_of(job_input) - span_ms_of(job_input)
    partitions = table.where(F.col("kind") == PARTITION).select("topic", "partition", "syncs", "target_topic").collect()
    told: dict[Place, list[tuple[int, int]]] = {}
    for sync in _syncs(comparison):
        told.setdefault((sync.topic, sync.partition), []).append((sync.source, sync.mirror))
    known = {(row["topic"], row["partition"]): [tuple(one) for one in row["syncs"] or ()] for row in partitions}
    syncs = {place: in_order(known.get(place, ()), told.get(place, ())) for place in {*known, *told}}
    rows = compared_rows(
        here,
        there,
        topics,
        counted=_counted(table, settled_ms),
        syncs=syncs,
        compacted=comparison.compacted(topics),
        waiting=comparison.first_after(newest_at_mirror(here, there, topics)),
        job_input=job_input,
    )
    return comparison.session.createDataFrame(rows, TABLE_SCHEMA, verifySchema=False)


def refuse_itself(here: ClusterState, there: ClusterState | None, job_input: JobInput) -> None:
    """Topics must not be compared with themselves."""
    chosen = job_input.parameters.topics
    if there is not None and here.cluster_id == there.cluster_id and chosen.source_prefix == chosen.mirror_prefix:
        raise KafkaSettingsError(
            "MirrorIsSource",
            f"the mirror's brokers are those of the source, cluster {here.cluster_id}, and topics have the same names: "
            "name the KafkaCluster of the mirror, or the prefix that its topics have",
        )


def mirrored(here: ClusterState, there: ClusterState | None, job_input: JobInput) -> dict[str, str]:
    """What the mirror calls each topic of the source. Topics that are not named are mirrored if they are there."""
    named = bool(job_input.parameters.topics.names)
    found: dict[str, str] = {}
    for topic in here.topics:
        name = mirrored_as(topic.name, job_input.parameters)
        if name is None or topic.internal or topic.name in job_input.own_topics:
            continue
        if named or there is None or name in there.listed:
            found[topic.name] = name
    return found


def compared_rows(
    here: ClusterState,
    there: ClusterState | None,
    topics: Mapping[str, str],
    *,
    counted: Mapping[Place, Counted],
    syncs: Mapping[Place, Iterable[tuple[int, int]]],
    compacted: Mapping[str, bool],
    waiting: Mapping[TopicPartition, int | None],
    job_input: JobInput,
) -> list[tuple[Any, ...]]:
    """Pure: rows of the table from what both sides say.

    Parameters
    ----------
    waiting
        Times of the first records that are later than all at the mirror; None where there is none. Partitions of which
        this is not known are absent.
    """
    at_source = {topic.name: topic for topic in here.topics}
    at_mirror = {} if there is None else {topic.name: topic for topic in there.topics}
    rows = []
    for name, mirror in sorted(topics.items()):
        source, target = at_source[name], at_mirror.get(mirror)
        for partition in range(source.partitions):
            place = TopicPartition(name, partition)
            is_listed = there is not None and mirror in there.listed
            unanswered = _unanswered(source, target, partition, is_listed=is_listed, is_time_known=place in waiting)
            lag_ms = _lag_ms(here, waiting[place]) if target is not None and place in waiting else None
            known = bounded(syncs.get((name, partition), ()), MAX_SYNCS)
            seen = counted.get((name, partition))
            sides = Sides(
                source_end=source.ends.get(partition),
                target_end=None if target is None else target.ends.get(partition),
                away=there is None,
                unanswered=unanswered,
                lag_ms=lag_ms,
                tolerance_ms=tolerance_ms_of(job_input),
                compacted=compacted.get(name),
                syncs=tuple(known),
                counted=seen,
            )
            row = {
                **judge(sides),
                "kind": PARTITION,
                "topic": name,
                "partition": partition,
                "time_ms": 0,
                "lag_ms": lag_ms,
                "source_records": None if seen is None else seen.source,
                "target_records": None if seen is None else seen.target,
                "target_topic": mirror,
                "source_start": source.starts.get(partition),
                "source_end": sides.source_end,
                "target_start": None if target is None else target.starts.get(partition),
                "target_end": sides.target_end,
                "unanswered": unanswered,
                "syncs": known,
                "surveyed_ms": here.surveyed_ms,
                "last_ms": here.surveyed_ms,
            }
            rows.append(tuple(as_longs(row.get(column)) for column in TABLE_SCHEMA.names))
    return rows


def newest_at_mirror(
    here: ClusterState, there: ClusterState | None, topics: Mapping[str, str]
) -> dict[TopicPartition, int]:
    """The time of the mirror's latest record, by partition at the source; below all times where it never had one."""
    at_mirror = {topic.name: topic for topic in (there.topics if there is not None else ())}
    found: dict[TopicPartition, int] = {}
    for topic in here.topics:
        target = at_mirror.get(topics.get(topic.name, ""), SurveyedTopic(""))
        for partition in topic.ends:
            at_ms = -1 if target.ends.get(partition) == 0 else target.latest.get(partition)
            # Of a record from the future it is not known when it was written, so what is later than it says nothing.
            if at_ms is not None and at_ms <= here.surveyed_ms:
                found[TopicPartition(topic.name, partition)] = at_ms
    return found


def _unanswered(
    source: SurveyedTopic, target: SurveyedTopic | None, partition: int, *, is_listed: bool, is_time_known: bool
) -> str | None:
    """The question about a partition that has no answer; None where all have one, or the mirror cannot have any."""
    if partition not in source.ends:
        return "source.endOffsets"
    if target is None:
        return "mirror.topics" if is_listed else None
    if partition not in target.ends:
        return "mirror.endOffsets" if partition < target.partitions else None
    return None if is_time_known else "latestTimestamps"


def _lag_ms(here: ClusterState, waiting_ms: int | None) -> int:
    """For how long the first record that the mirror lacks has been there."""
    return 0 if waiting_ms is None else max(0, here.surveyed_ms - waiting_ms)


def _counted(table: DataFrame, until_ms: int) -> dict[Place, Counted]:
    """Spans that are old enough, by partition."""
    spans = table.where((F.col("kind") == SPAN) & (F.col("time_ms") < until_ms)).groupBy("topic", "partition")
    names = ("source_records", "target_records", "missing", "extra")
    # Each may be the largest that a column holds.
    sums = [F.sum(F.col(name).cast("decimal(19,0)")).alias(name) for name in names]
    return {
        (row["topic"], row["partition"]): Counted(
            **{name.removesuffix("_records"): int(row[name] or 0) for name in names}, transactional=row["transactional"]
        )
        for row in spans.agg(*sums, F.max("transactional").alias("transactional")).collect()
    }


def _syncs(comparison: Comparison) -> Iterable[OffsetSync]:
    """What MirrorMaker says; nothing if its topic may not be read, or if there are several, of several mirrors."""
    topics = [name for name in comparison.here.listed if is_of_syncs(name)]
    rows = comparison.read(topics) if len(topics) == 1 else None
    if rows is None:
        return []
    decoded = (sync_of(row["key"], row["value"]) for row in rows.select("key", "value").toLocalIterator())
    return [one for one in decoded if one is not None]
