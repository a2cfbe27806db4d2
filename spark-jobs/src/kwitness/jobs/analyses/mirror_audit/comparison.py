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
        waiting=comparison.first_after(_latest(here, there, topics)),
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
    waiting: Mapping[TopicPartition, int],
    job_input: JobInput,
) -> list[tuple[Any, ...]]:
    """Pure: rows of the table from what both sides say; `waiting` are times of first records that the mirror lacks."""
    at_source = {topic.name: topic for topic in here.topics}
    at_mirror = {} if there is None else {topic.name: topic for topic in there.topics}
    rows = []
    for name, mirror in sorted(topics.items()):
        source, target = at_source[name], at_mirror.get(mirror)
        for partition in range(source.partitions):
            if partition not in source.ends:
                # Without a leader; its row stays as it is.
                continue
            lag_ms = _lag_ms(here, target, waiting.get(TopicPartition(name, partition)))
            known = bounded(syncs.get((name, partition), ()), MAX_SYNCS)
            seen = counted.get((name, partition))
            sides = Sides(
                source_end=source.ends[partition],
                target_end=None if target is None else target.ends.get(partition),
                away=there is None,
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
                "source_end": source.ends[partition],
                "target_start": None if target is None else target.starts.get(partition),
                "target_end": sides.target_end,
                "syncs": known,
                "surveyed_ms": here.surveyed_ms,
                "last_ms": here.surveyed_ms,
            }
            rows.append(tuple(row.get(column) for column in TABLE_SCHEMA.names))
    return rows


def _latest(here: ClusterState, there: ClusterState | None, topics: Mapping[str, str]) -> dict[TopicPartition, int]:
    """The time of the mirror's latest record of a topic, for each of its partitions at the source."""
    latest = {topic.name: topic.latest_timestamp_ms for topic in (there.topics if there is not None else ())}
    return {
        TopicPartition(topic.name, partition): at_ms
        for topic in here.topics
        for at_ms in (latest.get(topics.get(topic.name, "")),)
        if at_ms is not None
        for partition in topic.ends
    }


def _lag_ms(here: ClusterState, target: SurveyedTopic | None, waiting_ms: int | None) -> int | None:
    """For how long the first record that the mirror lacks has been there."""
    if target is None or (target.latest_timestamp_ms is None and waiting_ms is None):
        return None
    return 0 if waiting_ms is None else max(0, here.surveyed_ms - waiting_ms)


def _counted(table: DataFrame, until_ms: int) -> dict[Place, Counted]:
    """Spans that are old enough, by partition."""
    spans = table.where((F.col("kind") == SPAN) & (F.col("time_ms") < until_ms)).groupBy("topic", "partition")
    sums = [F.sum(name).alias(name) for name in ("source_records", "target_records", "missing", "extra")]
    return {
        (row["topic"], row["partition"]): Counted(
            row["source_records"], row["target_records"], row["missing"], row["extra"], row["transactional"]
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
