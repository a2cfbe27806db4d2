"""What a mirror audit says, without Spark: offsets of MirrorMaker, counts, and clusters that are not there."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.contracts.resources.analytics_parameters import MirrorAuditParameters
from kwitness.jobs.analyses.mirror_audit.comparison import (
    compared_rows,
    mirrored,
    newest_at_mirror,
    refuse_itself,
)
from kwitness.jobs.analyses.mirror_audit.offset_syncs import OffsetSync, compared, in_order, is_of_syncs, sync_of
from kwitness.jobs.analyses.mirror_audit.rows import row_after
from kwitness.jobs.analyses.mirror_audit.schema import MAX_CHANGED, MAX_RANGES, TABLE_SCHEMA
from kwitness.jobs.analyses.mirror_audit.transform import mirrored_as
from kwitness.jobs.analyses.mirror_audit.verdicts import Counted, Sides, judge
from kwitness.jobs.frame.cluster_state import ClusterState, SurveyedTopic
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.kafka_options import KafkaSettingsError
from kwitness.jobs.frame.offsets import TopicPartition

from tests.jobs.test_intervals import NUMBERS, intervals


def parameters(**topics: Any) -> MirrorAuditParameters:
    target = {"clusterRef": {"name": "mirror"}}
    return MirrorAuditParameters.model_validate({"target": target, "topics": {"mirrorPrefix": "eu.", **topics}})


def job_input(**topics: Any) -> JobInput:
    return JobInput(parameters(**topics), 60.0, frozenset({"kwitness.traffic"}))


def sync(topic: str, partition: int, source: int, mirror: int) -> tuple[bytes, bytes]:
    """A record as MirrorMaker 2 writes it."""
    name = topic.encode()
    return struct.pack(f">h{len(name)}si", len(name), name, partition), struct.pack(">qq", source, mirror)


def sides(**changes: Any) -> Sides:
    known: dict[str, Any] = {
        "source_end": 100,
        "target_end": 90,
        "away": False,
        "lag_ms": 0,
        "tolerance_ms": 300_000,
        "compacted": False,
        "counted": Counted(100, 90, 0, 0),
    }
    return Sides(**(known | changes))


def test_what_mirrormaker_writes_is_read() -> None:
    assert sync_of(*sync("orders", 3, 7, 5)) == OffsetSync("orders", 3, 7, 5)
    assert is_of_syncs("mm2-offset-syncs.eu.internal")
    assert not is_of_syncs("mm2-offset-syncs.internal")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (None, b""),
        (sync("a", 0, 1, 1)[0], None),
        (sync("a", 0, 1, 1)[0], b"\0" * 15),
        (b"\0", sync("a", 0, 1, 1)[1]),
        (b"\0\x09ab", sync("a", 0, 1, 1)[1]),
        (struct.pack(">h2si", 2, b"\xff\xfe", 0), sync("a", 0, 1, 1)[1]),
        sync("a", -1, 1, 1),
        sync("a", 0, -1, 1),
        sync("", 0, 1, 1),
    ],
)
def test_what_is_no_sync_says_nothing(key: bytes | None, value: bytes | None) -> None:
    assert sync_of(key, value) is None


@given(st.binary(max_size=40), st.binary(max_size=20))
def test_whatever_somebody_writes_there_is_read_or_passed_over(key: bytes, value: bytes) -> None:
    found = sync_of(key, value)

    assert found is None or sync(*found) == (key, value)


@given(st.lists(st.sampled_from(["both", "source", "mirror"]), max_size=40), st.sets(st.integers(0, 39)))
def test_offsets_between_syncs_say_what_only_one_side_has(kinds: list[str], told: set[int]) -> None:
    """Records one after the other, of which some are on one side alone; each on both sides may be a sync."""
    pairs, source, mirror, fewer, more = [], 0, 0, 0, 0
    since: tuple[int, int] | None = None
    for number, kind in enumerate(kinds):
        if kind == "both" and number in told:
            if since is not None:
                step = (source - since[0]) - (mirror - since[1])
                fewer, more = fewer + max(0, step), more + max(0, -step)
            since = (source, mirror)
            pairs.append(since)
        source, mirror = source + (kind != "mirror"), mirror + (kind != "source")

    found = compared([*pairs, *pairs])

    assert (found is None) == (len(pairs) < 2)
    assert found is None or found == (fewer, more, pairs[-1])


def test_a_mirror_that_was_recreated_is_not_compared_with_what_it_was() -> None:
    assert compared([(0, 500), (100, 600), (200, 10), (210, 20)]) == (0, 0, (210, 20))


def test_what_a_killed_mirror_sent_again_is_counted_once() -> None:
    """It had not said how far it was, and began again; syncs of both lives are of the same offsets at the source."""
    first, again = [(0, 0), (10, 10), (20, 20)], [(0, 30), (10, 40), (20, 50), (40, 70)]

    assert compared([*first, *again]) == (0, 30, (40, 70))


def test_syncs_stay_in_the_order_in_which_they_were_written() -> None:
    gone, there = [(0, 0), (20, 20)], [(0, 30), (10, 40)]

    assert in_order([*gone, (10, 40)], there) == [*gone, *there], "what is gone from the topic was there before"
    assert in_order([*gone, (10, 40)], ()) == [*gone, (10, 40)], "when it cannot be read"
    assert in_order([(10, 40)], [*gone, *there]) == [*gone, *there], "when only the newest were kept"


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (sides(away=True, target_end=None), ("TargetUnreachable", None, None, None, None)),
        (sides(target_end=None), ("NotMirrored", None, None, None, None)),
        (sides(), ("InStep", "approximate", 0, 0, None)),
        (sides(counted=Counted(100, 90, 8, 0)), ("Missing", "approximate", 8, 0, None)),
        (sides(counted=Counted(90, 100, 0, 7)), ("Extra", "approximate", 0, 7, None)),
        (sides(lag_ms=300_001), ("Behind", "approximate", 0, 0, None)),
        (sides(counted=None), ("NotSeen", None, None, None, None)),
        (sides(syncs=((0, 0), (80, 80))), ("InStep", "offset-syncs", 0, 0, 10)),
        (sides(syncs=((0, 0), (80, 77)), counted=Counted(9, 9, 9, 0)), ("Missing", "offset-syncs", 3, 0, 7)),
        (sides(syncs=((0, 0), (80, 82))), ("Extra", "offset-syncs", 0, 2, 12)),
        (sides(syncs=((0, 0), (80, 77)), compacted=None), ("InStep", "approximate", 0, 0, 7)),
        (sides(syncs=((0, 0), (80, 77)), counted=None), ("NotSeen", None, None, None, 7)),
        (sides(syncs=((0, 0), (80, 80)), counted=None, compacted=True), ("InStep", "offset-syncs", 0, 0, 10)),
        (
            sides(syncs=((0, 0), (80, 77)), counted=Counted(9, 9, 0, 0, transactional=True)),
            ("InStep", "approximate", 0, 0, 7),
        ),
    ],
)
def test_a_partition_is_judged_by_the_best_evidence_there_is(known: Sides, said: tuple[Any, ...]) -> None:
    row = judge(known)

    assert tuple(row.get(name) for name in ("verdict", "evidence", "missing", "extra", "lag_records")) == said


@given(NUMBERS, NUMBERS, NUMBERS, st.integers(0, 9))
def test_a_span_grows_by_what_is_new(first: set[int], again: set[int], target: set[int], batch: int) -> None:
    row: dict[str, Any] | None = None
    for side, offsets in (("source", first), ("source", again), ("target", target), ("source", first)):
        ranges = [{"first": low, "last": high} for low, high in intervals(offsets)]
        new = dict.fromkeys(TABLE_SCHEMA.names) | {"kind": "span", "tolerance": batch, "transactional": False}
        row = row_after(row, {**new, f"{side}_ranges": ranges, "last_ms": 5})

    assert row is not None
    assert (row["source_records"], row["target_records"]) == (len(first | again), len(target))
    difference = len(first | again) - len(target)
    assert (row["missing"], row["extra"]) == (max(0, difference - batch), max(0, -difference - batch))


def test_offsets_that_somebody_made_up_make_no_large_rows() -> None:
    many = [{"first": 3 * one, "last": 3 * one} for one in range(5 * MAX_RANGES)] + [
        {"first": 2**62, "last": 2**63 - 1}
    ]
    new = dict.fromkeys(TABLE_SCHEMA.names) | {"kind": "span", "tolerance": 1, "transactional": False}

    row = row_after(None, new | {"source_ranges": many, "last_ms": 5})

    assert len(row["source_ranges"]) == MAX_RANGES
    assert 2**62 < row["source_records"] < 2**63
    assert row["tolerance"] == 1 + 2 * (4 * MAX_RANGES + 1)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 3)), max_size=9))
def test_a_record_that_comes_again_counts_once_as_changed(came: list[tuple[int, int]]) -> None:
    row: dict[str, Any] | None = dict.fromkeys(TABLE_SCHEMA.names) | {"kind": "topic", "changed": 7}
    for number, count in came:
        new = dict.fromkeys(TABLE_SCHEMA.names) | {"kind": "topic", "last_ms": number}
        row = row_after(row, {**new, "changed_rows": [{"row": number, "last_ms": number, "changed": count}]})

    assert row is not None
    assert row["changed"] == 7 + sum(dict(reversed(came)).values())


def test_of_many_records_that_counted_changes_the_latest_are_remembered() -> None:
    row: dict[str, Any] | None = None
    for batch in range(2):
        several = [{"row": at, "last_ms": at, "changed": 1} for at in range(batch * 700, (batch + 1) * 700)]
        row = row_after(row, dict.fromkeys(TABLE_SCHEMA.names) | {"kind": "topic", "changed_rows": several})

    assert row is not None
    assert row["changed"] == 1400
    assert [entry["row"] for entry in row["changed_rows"]] == list(range(1400 - MAX_CHANGED, 1400))


@pytest.mark.parametrize(
    ("topic", "topics", "there"),
    [
        ("orders", {}, "eu.orders"),
        ("src.orders", {"sourcePrefix": "src."}, "eu.orders"),
        ("orders", {"sourcePrefix": "src."}, None),
        ("orders", {"names": ["payments"]}, None),
        ("payments", {"names": ["payments"]}, "eu.payments"),
    ],
)
def test_the_mirrors_name_of_a_topic(topic: str, topics: dict[str, Any], there: str | None) -> None:
    assert mirrored_as(topic, parameters(**topics)) == there


def survey(cluster_id: str = "here", **ends: int) -> ClusterState:
    topics = tuple(
        SurveyedTopic(name.replace("__", "."), partitions=1, starts={0: 0}, ends={0: end}, latest={0: end * 1000})
        for name, end in ends.items()
    )
    return ClusterState(cluster_id, 1_000_000, listed=frozenset(one.name for one in topics), topics=topics)


def test_topics_that_are_not_named_are_compared_where_the_mirror_has_them() -> None:
    here, there = survey(orders=9, own=9, kwitness__traffic=9), survey("there", eu__orders=8)

    assert mirrored(here, there, job_input()) == {"orders": "eu.orders"}
    assert mirrored(here, there, job_input(names=["orders", "own"])) == {"orders": "eu.orders", "own": "eu.own"}
    assert mirrored(here, None, job_input()).keys() == {"orders", "own"}


def test_rows_of_both_sides_have_lag_and_ends() -> None:
    here, there = survey(orders=900, own=9), survey("there", eu__orders=500)
    topics = {"orders": "eu.orders", "own": "eu.own"}
    waiting = {TopicPartition("orders", 0): 600_000}
    found = {}
    for target in (there, None):
        rows = compared_rows(
            here, target, topics, counted={}, syncs={}, compacted={}, waiting=waiting, job_input=job_input()
        )
        found[target is None] = [dict(zip(TABLE_SCHEMA.names, row, strict=True)) for row in rows]

    orders, own = found[False]
    assert (orders["verdict"], orders["lag_ms"], orders["source_end"], orders["target_end"]) == (
        "Behind", 400_000, 900, 500,
    )  # fmt: skip
    assert own["verdict"] == "NotMirrored"
    assert {row["verdict"] for row in found[True]} == {"TargetUnreachable"}


def compared_with(mirror: SurveyedTopic | None, requested: dict[TopicPartition, int], **source: Any) -> dict[int, Any]:
    """Rows of both partitions of a topic that is in step but for what `mirror` does not say; its verdicts."""
    ends: dict[str, Any] = {"partitions": 2, "starts": {0: 0, 1: 0}, "ends": {0: 500, 1: 900}}
    here = replace(survey(), topics=(SurveyedTopic("orders", **(ends | source)),), listed=frozenset({"orders"}))
    there = replace(survey("there"), topics=() if mirror is None else (mirror,), listed=frozenset({"eu.orders"}))

    def first_after(times: Mapping[TopicPartition, int]) -> dict[TopicPartition, int | None]:
        requested.update(times)
        # The source has a record each second, the last of them at 900 s.
        return {where: at + 1000 if at < 900_000 else None for where, at in times.items()}

    rows = compared_rows(
        here,
        there,
        {"orders": "eu.orders"},
        counted={("orders", partition): Counted(9, 9) for partition in range(2)},
        syncs={},
        compacted={},
        waiting=first_after(newest_at_mirror(here, there, {"orders": "eu.orders"})),
        job_input=job_input(),
    )
    known = [dict(zip(TABLE_SCHEMA.names, row, strict=True)) for row in rows]
    return {row["partition"]: (row["verdict"], row["unanswered"], row["lag_ms"]) for row in known}


IN_STEP = ("InStep", None, 0)


@pytest.mark.parametrize(
    ("mirror", "of_source", "first"),
    [
        ({"latest": {0: 300_000, 1: 900_000}}, {}, ("Behind", None, 699_000)),
        ({"ends": {0: 0, 1: 900}, "latest": {1: 900_000}}, {}, ("Behind", None, 1_000_001 - 1_000)),
        ({"latest": {0: 900_000, 1: 900_000}}, {}, IN_STEP),
        ({"latest": {1: 900_000}}, {}, ("NotSeen", "latestTimestamps", None)),
        ({"latest": {0: 2**62, 1: 900_000}}, {}, ("NotSeen", "latestTimestamps", None)),
        ({"ends": {1: 900}, "latest": {1: 900_000}}, {}, ("NotSeen", "mirror.endOffsets", None)),
        ({"latest": {0: 900_000, 1: 900_000}}, {"ends": {1: 900}}, ("NotSeen", "source.endOffsets", None)),
    ],
)
def test_each_partition_is_compared_by_its_own_answers(
    mirror: dict[str, Any], of_source: dict[str, Any], first: tuple[Any, ...]
) -> None:
    known: dict[str, Any] = {"partitions": 2, "starts": {0: 0, 1: 0}, "ends": {0: 500, 1: 900}}

    found = compared_with(SurveyedTopic("eu.orders", **(known | mirror)), {}, **of_source)

    assert found == {0: first, 1: IN_STEP}


def test_a_mirror_that_does_not_answer_is_not_absent() -> None:
    requested: dict[TopicPartition, int] = {}

    assert set(compared_with(None, requested).values()) == {("NotSeen", "mirror.topics", None)}
    assert requested == {}
    short = SurveyedTopic("eu.orders", partitions=1, starts={0: 0}, ends={0: 500}, latest={0: 900_000})
    assert compared_with(short, requested) == {0: IN_STEP, 1: ("NotMirrored", None, None)}


def test_offsets_prove_that_nothing_waits_where_times_do_not() -> None:
    pairs = ((0, 0), (90, 80))

    assert judge(sides(unanswered="latestTimestamps", lag_ms=None))["verdict"] == "NotSeen"
    assert judge(sides(unanswered="latestTimestamps", lag_ms=None, syncs=((0, 0), (90, 90))))["verdict"] == "NotSeen"
    assert judge(sides(unanswered="latestTimestamps", lag_ms=None, syncs=pairs, counted=None))["lag_records"] == 0
    assert (
        judge(sides(unanswered="mirror.endOffsets", target_end=None, counted=Counted(9, 1, 8)))["verdict"] == "Missing"
    )


def test_syncs_of_any_offsets_make_no_number_too_large() -> None:
    here, there = survey(orders=900), survey("there", eu__orders=500)
    most = 2**63 - 1

    rows = compared_rows(
        here,
        there,
        {"orders": "eu.orders"},
        counted={("orders", 0): Counted(2**64, 2**64, 2**64, 2**64)},
        syncs={("orders", 0): [(0, 0), (1, most), (most, most), (most, 0), (0, most)]},
        compacted={"orders": False},
        waiting={},
        job_input=job_input(),
    )

    [row] = [dict(zip(TABLE_SCHEMA.names, row, strict=True)) for row in rows]
    assert row["source_records"] == most
    assert all(abs(value) <= most for value in row.values() if isinstance(value, int))
    assert row["syncs"] == [(0, 0), (1, most), (most, most), (most, 0), (0, most)]


def test_a_mirror_that_is_the_source_itself_is_refused() -> None:
    with pytest.raises(KafkaSettingsError) as refused:
        refuse_itself(survey(), survey(), job_input(mirrorPrefix=""))

    assert refused.value.reason == "MirrorIsSource"
    refuse_itself(survey(), survey(), job_input())
    refuse_itself(survey(), survey("there"), job_input(mirrorPrefix=""))
