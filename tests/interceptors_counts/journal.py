"""What an application says of itself, and what its interceptors reported: the same counts, by client and topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

Place = tuple[str, str]
"""Client id and topic."""

REASONS: Final[Mapping[str, str]] = {
    # confluent-kafka's names.
    "MSG_SIZE_TOO_LARGE": "MESSAGE_TOO_LARGE",
    "_INVALID_DIFFERENT_RECORD": "INVALID_RECORD",
    "_MSG_TIMED_OUT": "timed_out",
    "_PURGE_QUEUE": "purged",
    "_QUEUE_FULL": "queue_full",
    # Classes of kafka-clients.
    "InvalidRecordException": "INVALID_RECORD",
    "KafkaException": "INVALID_RECORD",  # of the others in its batch
    "RecordTooLargeException": "MESSAGE_TOO_LARGE",
    "TimeoutException": "timed_out",
    "TopicAuthorizationException": "TOPIC_AUTHORIZATION_FAILED",
    "TransactionAbortedException": "purged",
}
"""Words of rows by those of client libraries, where they differ."""


@dataclass
class Done:
    """What one client did with one topic."""

    sent: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    consumed: int = 0
    commits: int = 0
    commit_failures: Counter[str] = field(default_factory=Counter)
    offsets: Counter[tuple[int, int]] = field(default_factory=Counter)
    """Places of what was acknowledged or consumed, and how often."""
    committed: dict[int, int] = field(default_factory=dict)
    """The last one of each partition."""
    told_ms: dict[int, int] = field(default_factory=dict)
    """When each offset of partition 0 was acknowledged."""


def said(journal: Path) -> dict[Place, Done]:
    """Read a journal; of one that was killed the last line may be a part of one."""
    found: dict[Place, Done] = {}
    for line in journal.read_text().splitlines(keepends=True):
        if not line.endswith("\n"):
            break
        time_ms, word, client_id, topic, *rest = line.split()
        done = found.setdefault((client_id, topic), Done())
        match word, rest:
            case "sent", []:
                done.sent += 1
            case "refused", [reason]:
                done.refused[REASONS.get(reason, reason)] += 1
            case "failed", [reason]:
                done.failures[REASONS.get(reason, reason)] += 1
            case "acknowledged", [partition, offset]:
                done.acknowledged += 1
                done.offsets[int(partition), int(offset)] += 1
                done.told_ms[int(offset)] = int(time_ms)
            case "consumed", [partition, offset]:
                done.consumed += 1
                done.offsets[int(partition), int(offset)] += 1
            case "committed", [partition, offset]:
                done.commits += 1
                done.committed[int(partition)] = int(offset)
            case "uncommitted", [reason]:
                done.commit_failures[REASONS.get(reason, reason)] += 1
            case _:
                raise AssertionError(f"no line of a journal: {line!r}")
    return found


def reported(rows: Iterable[Mapping[str, Any]]) -> dict[Place, Done]:
    """Sum up rows of topics; offsets are those of their ranges, which must not have been merged."""
    found: dict[Place, Done] = {}
    for row in rows:
        if row.get("kind") != "topic":
            continue
        done = found.setdefault((row["client_id"], row["topic"]), Done())
        done.sent += row.get("sent", 0)
        done.acknowledged += row.get("acknowledged", 0)
        done.failures.update(row.get("failures", {}))
        done.consumed += row.get("consumed", 0)
        done.commits += row.get("commits", 0)
        done.commit_failures.update(row.get("commit_failures", {}))
        assert not row.get("partitions_left_out")
        for part in row.get("partitions", ()):
            assert not part.get("offset_ranges_merged"), row
            for one in part.get("offset_ranges", ()):
                done.offsets.update((part["partition"], offset) for offset in range(one["first"], one["last"] + 1))
            if "committed_offset" in part:
                done.committed[part["partition"]] = part["committed_offset"]
    return found
