"""Where in Kafka a job is, and which records were gone before it came. Pure decisions over offsets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kwitness.contracts.envelopes.driver_status import LossReason


class TopicPartition(NamedTuple):
    """One partition of one topic."""

    topic: str
    partition: int


Positions = Mapping[TopicPartition, int]
"""For each partition the offset of the next record."""


@dataclass(frozen=True, slots=True, order=True)
class DataLoss:
    """Records that were gone before the job read them: offsets `first_offset` to `last_offset`, both included.

    Attributes
    ----------
    reason
        `Expired`: retention removed them. `CheckpointLost`: they were gone when the job began again without its
        checkpoint. `TopicRecreated`: the topic was recreated, and these records of the new one were passed over.
    """

    topic: str
    partition: int
    first_offset: int
    last_offset: int
    reason: LossReason


def planned_losses(start: Positions, end: Positions, log_start: Positions) -> tuple[DataLoss, ...]:
    """Losses of a batch that reads from `start` to `end` (excluded) while the log begins at `log_start`.

    A partition that is not in `start` is new and is read from 0.
    """
    losses = []
    for partition, until in end.items():
        since, begin = start.get(partition, 0), log_start.get(partition, 0)
        if until < since:
            losses.append(_loss(partition, begin, until, "TopicRecreated"))
        else:
            losses.append(_loss(partition, since, min(begin, until), "Expired"))
    return tuple(sorted(loss for loss in losses if loss is not None))


def span(start: Positions, end: Positions) -> int:
    """How many offsets a batch reads."""
    return sum(max(0, until - start.get(partition, 0)) for partition, until in end.items())


def records_of(losses: Iterable[DataLoss], reason: str) -> int:
    """How many records were lost for a reason."""
    return sum(loss.last_offset - loss.first_offset + 1 for loss in losses if loss.reason == reason)


def restart_losses(committed: Positions, log_start: Positions) -> tuple[DataLoss, ...]:
    """Losses of a job that had come to `committed`, lost its checkpoint, and can read from `log_start` only."""
    found = (
        _loss(partition, position, log_start.get(partition, position), "CheckpointLost")
        for partition, position in committed.items()
    )
    return tuple(sorted(loss for loss in found if loss is not None))


def moved_into(start: Positions, end: Positions, before: Positions, after: Positions) -> bool:
    """Whether the log's start moved past unread records of the batch while it was read.

    Then it cannot be told which of them were read, and the batch has to be read again.
    """
    return any(
        after.get(partition, 0) > max(start.get(partition, 0), before.get(partition, 0))
        and before.get(partition, 0) < until
        for partition, until in end.items()
    )


def behind(positions: Positions, log_end: Positions, log_start: Positions) -> dict[TopicPartition, int]:
    """Partitions with records that were not read yet, and how many."""
    counts = {
        partition: end - max(positions.get(partition, 0), log_start.get(partition, 0))
        for partition, end in log_end.items()
    }
    return {partition: count for partition, count in counts.items() if count > 0}


def never_written(log_end: Positions) -> frozenset[str]:
    """Topics none of whose partitions ever had a record."""
    return frozenset(where.topic for where in log_end) - {where.topic for where, end in log_end.items() if end > 0}


def furthest(*many: Positions) -> dict[TopicPartition, int]:
    """For each partition the greatest of several positions."""
    found: dict[TopicPartition, int] = {}
    for positions in many:
        for partition, offset in positions.items():
            found[partition] = max(offset, found.get(partition, 0))
    return found


def resumed(start: Positions, end: Positions, applied: Positions) -> dict[TopicPartition, int]:
    """Where a batch that was planned from `start` to `end` begins, since records below `applied` had their effect.

    A partition that ends before its start is of a recreated topic and begins where it was planned.
    """
    return {
        partition: max(since, min(applied.get(partition, 0), until)) if since <= until else since
        for partition, until in end.items()
        for since in (start.get(partition, 0),)
    }


def reached(start: Positions, end: Positions, applied: Positions) -> dict[TopicPartition, int]:
    """To where records have had their effect after a batch that was planned from `start` to `end`.

    A batch below what was `applied` before it takes nothing back; one of a recreated topic does. Partitions that are in
    no batch any more are of a topic that is gone: should it come back, it is another one.
    """
    return {
        partition: until if until < start.get(partition, 0) else max(until, applied.get(partition, 0))
        for partition, until in end.items()
    }


def recreated(start: Positions, end: Positions) -> bool:
    """Whether a batch that was planned from `start` to `end` goes back somewhere."""
    return any(until < start.get(partition, 0) for partition, until in end.items())


def distinct(losses: Iterable[DataLoss]) -> list[DataLoss]:
    """Losses in order, each once.

    A batch that is done again finds what had expired the first time as a part of what has expired now.
    """
    longest: dict[tuple[str, int, int, str], DataLoss] = {}
    for loss in sorted(losses):
        first = loss.first_offset if loss.reason == "Expired" else loss.last_offset
        longest[loss.topic, loss.partition, first, loss.reason] = loss
    return sorted(longest.values())


def within(positions: Positions, log_end: Positions) -> dict[TopicPartition, int]:
    """Those of the positions that the log reaches: the others are of a topic that was recreated, or is gone."""
    return {partition: position for partition, position in positions.items() if position <= log_end.get(partition, 0)}


def from_json(text: str) -> dict[TopicPartition, int]:
    """Read positions as Spark writes them: `{"topic": {"0": 42}}`."""
    return {
        TopicPartition(topic, int(partition)): int(offset)
        for topic, partitions in json.loads(text).items()
        for partition, offset in partitions.items()
    }


def to_json(positions: Positions) -> str:
    """Write positions as Spark does."""
    topics: dict[str, dict[str, int]] = {}
    for (topic, partition), offset in sorted(positions.items()):
        topics.setdefault(topic, {})[str(partition)] = offset
    return json.dumps(topics)


def _loss(partition: TopicPartition, first: int, until: int, reason: LossReason) -> DataLoss | None:
    if first >= until:
        return None
    return DataLoss(partition.topic, partition.partition, first, until - 1, reason)
