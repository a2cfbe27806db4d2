"""What a survey of the cluster adds to the table: how long offsets have stood still, and what that proves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.resources.meta import parse_duration
from kwitness.jobs.analyses.unused_topics import schema as columns
from kwitness.jobs.analyses.unused_topics.coverage import Coverage, coverage
from kwitness.jobs.analyses.unused_topics.verdicts import Evidence, judge
from kwitness.jobs.frame.cluster_state import ClusterState, SurveyedGroup, SurveyedTopic
from kwitness.jobs.frame.cluster_survey import ClusterSurvey
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.moments import in_milliseconds

_Row = Mapping[str, Any]
#: Groups that a row tells of; a topic with more is in use.
_MAX_GROUPS = 200


def survey(session: SparkSession, asked: ClusterSurvey, table: DataFrame, job_input: JobInput) -> DataFrame:
    """Rows of the table's schema, one for each topic, as of now."""
    state = asked.read()
    # Records of observers name their cluster; one that should not is held to be of this one, which errs to "used".
    known = table.where(F.coalesce("cluster_id", F.lit(state.cluster_id)) == state.cluster_id).collect()
    compacted = asked.compacted(topic.name for topic in state.topics if not _is_empty(topic))
    rows = surveyed_rows(state, [row.asDict(recursive=True) for row in known], compacted, job_input)
    return session.createDataFrame(rows, columns.TABLE_SCHEMA, verifySchema=False)


def surveyed_rows(
    state: ClusterState, known: Iterable[_Row], compacted: Mapping[str, bool], job_input: JobInput
) -> list[tuple[Any, ...]]:
    """Pure: rows of the table from what the cluster says and what is in the table.

    Topics whose cleanup policy is not known are absent from `compacted`.
    """
    known = list(known)
    period_ms = in_milliseconds(parse_duration(job_input.parameters.unused_for))
    seen = coverage(
        known,
        brokers=state.brokers,
        since_ms=state.surveyed_ms - period_ms,
        until_ms=state.surveyed_ms,
    )
    uses, before = _by_subject(known)
    groups = _by_topic(state)
    ignored = job_input.own_topics | set(job_input.parameters.ignore)
    found = []
    for topic in state.topics:
        row = before.get(topic.name, {})
        latest = _latest(
            uses.get((columns.TOPIC, topic.name), ()), uses.get((columns.TOPIC_ID, topic.topic_id or ""), ())
        )
        on_it = groups.get(topic.name, [])
        surveyed = _topic(topic, state, row, on_it)
        evidence = replace(
            _evidence({**latest, **surveyed}, topic, groups_complete=_is_complete(state, on_it)),
            keeps_state=False if _is_empty(topic) else compacted.get(topic.name),
        )
        found.append(
            {
                **latest,
                **surveyed,
                **_verdicts(evidence, seen, state.surveyed_ms - period_ms, state.surveyed_ms),
                "subject": topic.name,
                "reported": not (topic.internal or topic.name.startswith("__") or topic.name in ignored),
                "first_seen_ms": state.surveyed_ms,
                "last_seen_ms": state.surveyed_ms,
            }
        )
    # What is not listed any more is gone, or may not be described any more; it is told once.
    found += [
        {
            "subject": name,
            "listed": False,
            "reported": False,
            "first_seen_ms": row["first_seen_ms"],
            "last_seen_ms": row["last_seen_ms"],
        }
        for name, row in before.items()
        if name not in state.listed and row["listed"] is not False
    ]
    same = {"cluster_id": state.cluster_id, "kind": columns.TOPIC, "surveyed_ms": state.surveyed_ms}
    empty: _Row = {"counted_days": [], "observed_days": []}
    return [tuple({**empty, **row, **same}.get(name) for name in columns.TABLE_SCHEMA.names) for row in found]


def _by_subject(known: Iterable[_Row]) -> tuple[dict[tuple[str, str], list[_Row]], dict[str, _Row]]:
    """Rows by kind and subject, whatever their cluster; and rows of topics with a survey's columns by name."""
    uses: dict[tuple[str, str], list[_Row]] = {}
    surveyed: dict[str, _Row] = {}
    for row in known:
        uses.setdefault((row["kind"], row["subject"]), []).append(row)
        if row["kind"] == columns.TOPIC and row["cluster_id"] is not None:
            surveyed[row["subject"]] = row
    return uses, surveyed


def _latest(*rows: Iterable[_Row]) -> dict[str, Any]:
    """Who wrote and who read last, of a topic's rows by its name and by its id."""
    found: dict[str, Any] = {}
    for prefix, names in (("last_produced_", columns.LAST_PRODUCED), ("last_fetched_", columns.LAST_FETCHED)):
        used = [row for some in rows for row in some if row[f"{prefix}ms"] is not None]
        if used:
            last = max(used, key=lambda row, prefix=prefix: row[f"{prefix}ms"])  # type: ignore[misc]
            found |= {prefix + name: last[prefix + name] for name in names}
    return found


def _by_topic(state: ClusterState) -> dict[str, list[tuple[SurveyedGroup, dict[int, int]]]]:
    """Groups with members or committed offsets on a topic, with those offsets by partition."""
    found: dict[str, list[tuple[SurveyedGroup, dict[int, int]]]] = {}
    for group in state.groups:
        offsets: dict[str, dict[int, int]] = {topic: {} for topic in group.assigned}
        for where, offset in (group.committed or {}).items():
            offsets.setdefault(where.topic, {})[where.partition] = offset
        for topic, committed in offsets.items():
            found.setdefault(topic, []).append((group, committed))
    return found


def _topic(
    topic: SurveyedTopic, state: ClusterState, row: _Row, groups: list[tuple[SurveyedGroup, dict[int, int]]]
) -> dict[str, Any]:
    same = row.get("surveyed_ms") is not None and bool(row["listed"]) and row["topic_id"] == topic.topic_id
    old = row if same else {}
    # A partition that was never written is as one that was not there, so that adding some is no use of a topic.
    ends = {**_offsets(old.get("end_offsets")), **{one: end for one, end in topic.ends.items() if end > 0}}
    ends_moved = same and ends != _offsets(old["end_offsets"])
    return {
        "listed": True,
        "topic_id": topic.topic_id,
        "partitions": topic.partitions,
        "end_offsets": _as_rows(ends),
        "ends_since_ms": old["ends_since_ms"] if same and not ends_moved else state.surveyed_ms,
        "ends_moved_ms": state.surveyed_ms if ends_moved else old.get("ends_moved_ms"),
        "latest_timestamp_ms": topic.latest_timestamp_ms,
        "records": sum(end - topic.starts.get(one, end) for one, end in topic.ends.items()),
        "log_bytes": topic.log_bytes,
        **_groups(state, old, groups),
    }


def _groups(state: ClusterState, old: _Row, groups: list[tuple[SurveyedGroup, dict[int, int]]]) -> dict[str, Any]:
    complete = _is_complete(state, groups)
    before = {one["group_id"]: one for one in old.get("groups") or ()}
    # Where not all groups could be seen, one that is new may have been there.
    was_complete = old.get("groups_since_ms") is not None
    used = any(_is_used(group, committed, before, was_complete=was_complete) for group, committed in groups)
    present = {
        group.group_id: {
            "group_id": group.group_id,
            "state": group.state,
            "members": group.members,
            "committed": _as_rows(committed),
        }
        for group, committed in groups
    }
    # What did not answer this time is compared with what it said before, the next time.
    told = present if complete else {**before, **present}
    since = old.get("groups_since_ms")
    if used or (since is None and complete):
        since = state.surveyed_ms if complete or was_complete else None
    return {
        "groups": list(told.values())[:_MAX_GROUPS],
        "groups_since_ms": since,
        "groups_used_ms": state.surveyed_ms if used else old.get("groups_used_ms"),
    }


def _is_complete(state: ClusterState, groups: Sized) -> bool:
    return not state.lacks("groups") and len(groups) <= _MAX_GROUPS


def _is_used(
    group: SurveyedGroup, committed: Mapping[int, int], before: Mapping[str, _Row], *, was_complete: bool
) -> bool:
    if group.members:
        return True
    if group.group_id in before:
        # Offsets that Kafka has dropped, since the group is empty for long, are no use.
        return bool(set(committed.items()) - set(_offsets(before[group.group_id]["committed"]).items()))
    return was_complete and bool(committed)


def _is_empty(topic: SurveyedTopic) -> bool:
    """Return whether the topic can hold no record."""
    return all(topic.starts.get(partition, 0) >= end for partition, end in topic.ends.items())


def _evidence(row: _Row, topic: SurveyedTopic, *, groups_complete: bool) -> Evidence:
    return Evidence(
        last_produced_ms=row.get("last_produced_ms"),
        last_fetched_ms=row.get("last_fetched_ms"),
        latest_timestamp_ms=topic.latest_timestamp_ms,
        ends_complete=topic.is_complete,
        ends_since_ms=row["ends_since_ms"],
        ends_moved_ms=row["ends_moved_ms"],
        groups_complete=groups_complete,
        groups_since_ms=row["groups_since_ms"],
        groups_used_ms=row["groups_used_ms"],
    )


def _verdicts(evidence: Evidence, seen: Coverage, since_ms: int, until_ms: int) -> dict[str, Any]:
    judgement = judge(evidence, seen, since_ms=since_ms, until_ms=until_ms)
    return {
        "coverage": seen.level,
        "not_observed": list(seen.not_observed),
        "written": judgement.produce,
        "fetched": judgement.fetch,
        "verdict": judgement.verdict,
        "missing": list(judgement.missing),
    }


def _offsets(rows: Iterable[_Row] | None) -> dict[int, int]:
    return {row["partition"]: row["offset"] for row in rows or ()}


def _as_rows(offsets: Mapping[int, int]) -> list[dict[str, int]]:
    return [{"partition": partition, "offset": offset} for partition, offset in sorted(offsets.items())]
