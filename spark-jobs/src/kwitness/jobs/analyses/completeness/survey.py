"""What a survey of the cluster adds to the table: where logs begin and end, and what groups have committed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import ArrayType, IntegerType, StringType, StructField, StructType

from kwitness.jobs.analyses.completeness.schema import BATCH_SCHEMA, LOG, NO_PARTITION, PLACE
from kwitness.jobs.analyses.completeness.transform import changed
from kwitness.jobs.frame.cluster_state import ClusterState
from kwitness.jobs.frame.cluster_survey import ClusterSurvey
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.offsets import TopicPartition

_LINE = StructType(
    [
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("log", LOG),
        StructField("new", ArrayType(BATCH_SCHEMA)),
    ]
)
_Row = Mapping[str, Any]


def survey(session: SparkSession, asked: ClusterSurvey, table: DataFrame, job_input: JobInput) -> DataFrame:
    """Rows of the table's schema: of each partition of which something was told, as of now."""
    told = {TopicPartition(*row) for row in table.select(*PLACE).where(F.col("partition") >= 0).distinct().collect()}
    state = asked.read()
    compacted = asked.compacted({one.topic for one in told} & {one.name for one in state.topics})
    lines = [(*where, log, None) for where, log in sorted(logs(state, told, compacted).items())]
    # Of whole topics, too, time goes on.
    lines += [
        (topic, NO_PARTITION, {"surveyed_ms": state.surveyed_ms, "start": 0, "end": 2**63 - 1}, None)
        for topic in sorted({row.topic for row in table.where(F.col("partition") < 0).select("topic").collect()})
    ]
    return changed(table, session.createDataFrame(lines, _LINE), job_input)


def logs(state: ClusterState, told: set[TopicPartition], compacted: Mapping[str, bool]) -> dict[TopicPartition, _Row]:
    """Pure: what a survey says of partitions, as `LOG` has it; those that did not answer are absent."""
    committed: dict[TopicPartition, list[_Row]] = {}
    for group in state.groups:
        for where, offset in (group.committed or {}).items():
            committed.setdefault(where, []).append({"group_id": group.group_id, "offset": offset})
    return {
        where: {
            "surveyed_ms": state.surveyed_ms,
            "start": topic.starts[where.partition],
            "end": topic.ends[where.partition],
            "topic_id": topic.topic_id,
            "compacted": compacted.get(topic.name),
            "committed": committed.get(where, []),
        }
        for topic in state.topics
        for where in (TopicPartition(topic.name, number) for number in range(topic.partitions))
        if where in told and where.partition in topic.starts and where.partition in topic.ends
    }
