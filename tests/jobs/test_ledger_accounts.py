"""The algebra of the ledger audit without Spark: any cut of any records gives what the oracle says of all of them."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, TypeVar

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.pandas.types import to_arrow_schema

from kwitness.jobs.analyses.ledger_audit import account
from kwitness.jobs.analyses.ledger_audit.rows import row_after
from kwitness.jobs.analyses.ledger_audit.schema import TABLE_SCHEMA
from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.jobs import ledger_oracle
from tests.jobs.numbered import OBSERVER, PLUGIN, Source, fleet

GRACE_MS = 600_000
T = TypeVar("T")
Rows = dict[ledger_oracle.Key, dict[str, Any]]


def batch_rows(records: Iterable[KafkaRecord]) -> Rows:
    """What the transform makes of records, without Spark: an island for each number."""
    rows: Rows = {}
    for record in records:
        one = ledger_oracle.numbered(record)
        if one is None:
            continue
        key, seq, said = one
        row = rows.setdefault(key, {"records": 0, "numbers": {}})
        row["records"] += 1
        times, seals = row["numbers"].setdefault(seq, ([], []))
        times.append(record.timestamp_ms)
        island = {"topic": record.topic.removeprefix("kwitness."), "first": seq, "last": seq}
        row.setdefault("islands", {})[seq] = island
        seals += [said] if said else []
    return {key: _batch_row(key, row) for key, row in rows.items()}


def _batch_row(key: ledger_oracle.Key, row: dict[str, Any]) -> dict[str, Any]:
    times = {seq: found for seq, (found, _) in row["numbers"].items()}
    return {
        **dict(zip(("kind", "event_source", "event_epoch"), key, strict=True)),
        "cluster_id": "cluster-1",
        "reported_by": None,
        "records": row["records"],
        "first_ms": min(map(min, times.values())),
        "last_ms": max(map(max, times.values())),
        "islands": [{**island, "since_ms": min(times[seq])} for seq, island in row["islands"].items()],
        "seals": [
            {"seq": seq, "time_ms": min(times[seq]), "seal": _seal(seals[0])}
            for seq, (_, seals) in row["numbers"].items()
            if seals
        ],
    }


def _seal(said: dict[str, Any]) -> dict[str, Any]:
    return {
        "topic": said["topic"],
        "first": said["first_seq"],
        "last": said["last_seq"],
        "counted": said["count"],
        "window_end_ms": said["window_end_ms"],
        "dropped": [{"key": reason, "value": count} for reason, count in sorted(said["dropped"].items())],
    }


def audited(*batches: Iterable[KafkaRecord]) -> Rows:
    """The table after batches, by way of the rows as they lie in it."""
    table: Rows = {}
    for records in batches:
        for key, new in batch_rows(records).items():
            table[key] = row_after(table.get(key), new, GRACE_MS)
    return table


def as_oracle(row: dict[str, Any]) -> dict[str, Any]:
    """The columns that the oracle has, as it has them."""
    wanted = {**row, "topics": {one["topic"]: (one["found"], one["sealed"], one["first_seq"]) for one in row["topics"]}}
    wanted["dropped_by_reason"] = dict(row["dropped_by_reason"])
    return {name: wanted[name] for name in _ORACLE_COLUMNS}


_ORACLE_COLUMNS = tuple(ledger_oracle.audit([Source(OBSERVER).row("traffic")]).popitem()[1])


def cut(records: list[T], at: list[int]) -> list[list[T]]:
    places = [0, *sorted(min(one, len(records)) for one in at), len(records)]
    return [records[start:end] for start, end in pairwise(places)]


@given(st.integers(0, 100_000), st.lists(st.integers(0, 200), max_size=6))
def test_any_cut_of_any_records_gives_what_the_oracle_says(seed: int, at: list[int]) -> None:
    records = fleet(seed)

    found = audited(*cut(records, at))

    assert {key: as_oracle(row) for key, row in found.items()} == ledger_oracle.audit(records)


@given(st.integers(0, 100_000), st.randoms(use_true_random=False))
def test_the_row_itself_depends_on_neither_order_nor_cut(seed: int, dice: random.Random) -> None:
    records = fleet(seed, windows=4)
    shuffled = dice.sample(records, len(records))

    assert audited(records) == audited(*([record] for record in shuffled))


def test_a_source_whose_windows_are_all_there_is_closed() -> None:
    source = Source(OBSERVER)
    for _ in range(3):
        source.window("connections", "traffic")

    [row] = audited(source.records).values()

    assert (row["state"], row["missing"], row["unsealed"], row["duplicates"]) == ("Closed", 0, 0, 0)
    assert row["untold"] == 2, "totals between windows; those after the last one nobody knows"
    assert row["numbers"] == 24


def test_what_a_seal_counts_and_no_topic_has_is_a_gap() -> None:
    source = Source(OBSERVER)
    lost = source.window()[1]
    source.window()
    source.now_ms += GRACE_MS
    source.window()

    [row] = audited([record for record in source.records if record != lost]).values()

    assert (row["state"], row["missing"], row["gaps"]) == ("Gap", 1, [{"first": 2, "last": 2}])


def test_what_the_source_says_it_dropped_is_no_gap() -> None:
    source = Source(OBSERVER)
    rows = [source.row("traffic") for _ in range(4)]
    source.seal("traffic", 1, 4, 2, {"queue_full": 2, "window_full": 7})
    source.now_ms += 2 * GRACE_MS
    source.window()

    [row] = audited([record for record in source.records if record not in rows[1:3]]).values()

    assert (row["state"], row["missing"], row["dropped"]) == ("Closed", 0, 9)
    assert row["dropped_by_reason"] == {"queue_full": 2, "window_full": 7}


def test_one_topics_drops_do_not_hide_what_another_lost() -> None:
    source = Source(OBSERVER)
    source.window()
    first, lost = source.row("traffic"), source.row("traffic")
    source.seal("traffic", 6, 7, 2)
    source.next_seq += 2
    source.seal("traffic", 9, 10, 0, {"queue_full": 2})

    [row] = audited([record for record in source.records if record != lost]).values()

    assert first in source.records
    assert (row["missing"], row["gaps"]) == (1, [{"first": 7, "last": 7}])


def test_what_a_killed_source_had_not_sealed_is_uncertain_and_the_next_epoch_is_not() -> None:
    killed = Source(OBSERVER)
    killed.window()
    tail = [killed.row("traffic") for _ in range(2)]
    again = Source(OBSERVER, killed.epoch + 60_000, now_ms=killed.now_ms + 60_000)
    again.window()

    rows = {key[2]: row for key, row in audited(killed.records + again.records).items()}

    assert rows[again.epoch]["state"] == "Closed"
    row = rows[killed.epoch]
    assert (row["unsealed"], row["unsealed_ranges"]) == (2, [{"first": 6, "last": 7}])
    assert row["unsealed_since_ms"] == tail[0].timestamp_ms
    assert row["state"] == "Open", "grace has not passed by its last record"


def test_a_seal_that_was_lost_leaves_its_rows_uncertain() -> None:
    source = Source(OBSERVER)
    *_, seal = source.window()
    source.now_ms += 2 * GRACE_MS
    source.window()

    [row] = audited([record for record in source.records if record != seal]).values()

    assert (row["state"], row["unsealed"], row["unsealed_ranges"]) == ("Uncertain", 3, [{"first": 1, "last": 3}])


def test_seals_of_a_time_before_the_topic_was_read_are_no_gap() -> None:
    source = Source(OBSERVER)
    expired = [record for record in source.window("traffic") if record.topic == "kwitness.traffic"]
    source.window("traffic")
    source.now_ms += 2 * GRACE_MS
    source.window("traffic")

    [row] = audited([record for record in source.records if record not in expired]).values()

    assert (row["state"], row["missing"]) == ("Closed", 0)


def test_a_plugins_gap_is_a_number_that_no_push_has() -> None:
    source = Source(PLUGIN)
    lost = [source.push() for _ in range(9)][4:6]
    source.now_ms += 2 * GRACE_MS
    source.push()

    [row] = audited([record for record in source.records if record not in lost]).values()

    assert (row["state"], row["missing"], row["gaps"]) == ("Gap", 2, [{"first": 5, "last": 6}])
    assert row["untold"] == row["unsealed"] == 0


@pytest.mark.parametrize("windows", [1, 40, 90])
def test_a_source_that_lives_long_has_a_bounded_row_and_the_same_sums(
    monkeypatch: pytest.MonkeyPatch, windows: int
) -> None:
    monkeypatch.setattr(account, "MAX_RANGES", 16)
    source = Source(OBSERVER)
    lost = source.window()[1]
    for _ in range(windows):
        source.window("connections", "traffic", rows=2, totals=2)
    records = [record for record in source.records if record != lost]

    [row] = audited(*cut(records, list(range(0, len(records), 7)))).values()
    [wanted] = ledger_oracle.audit(records).values()

    assert len(row["ranges"]) <= 16
    assert len(row["sealed_ranges"]) <= 16
    for name in ("records", "numbers", "duplicates", "missing", "gaps", "unsealed", "untold", "dropped", "state"):
        assert row[name] == wanted[name], name
    assert as_oracle(row)["topics"] == wanted["topics"]


def test_what_comes_after_its_range_was_closed_is_not_reported_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "MAX_RANGES", 8)
    source = Source(OBSERVER)
    late = source.window()[1:3]
    for _ in range(40):
        source.window()
    early = [record for record in source.records if record not in late]

    batches = cut(early, list(range(0, len(early), 9)))

    [before] = audited(*batches).values()
    [after] = audited(*batches, late).values()

    assert before["floor"] > 3
    assert (before["missing"], before["gaps"]) == (2, [{"first": 2, "last": 3}])
    assert (after["late"], after["missing"], after["duplicates"]) == (2, 0, 0)


def test_sums_beyond_64_bits_are_cut_to_what_a_column_holds() -> None:
    most, row = 2**63 - 1, None
    ends = {"window_end_ms": most, "topic": "traffic", "first": 0, "last": most, "counted": most}
    kept = [{"key": "a", "value": most}, {"key": "b", "value": most}, {"key": "c", "value": None}]
    for first, last, numbers in ((1, 5, (9,)), (0, most, (10, 11)), (most, most, (12,))):
        islands = [{"topic": "traffic", "first": first, "last": last, "since_ms": 1}]
        seals = [{"seq": number, "time_ms": 1, "seal": {**ends, "dropped": kept}} for number in numbers]
        key = {"kind": "Observer", "event_source": OBSERVER, "event_epoch": 1, "cluster_id": None, "reported_by": None}
        new = {**key, "records": 2, "first_ms": 1, "last_ms": 2, "islands": islands, "seals": seals}
        row = row_after(row, new, GRACE_MS)

        written = pa.RecordBatch.from_pylist([row], schema=to_arrow_schema(TABLE_SCHEMA)).to_pylist()[0]

        assert written["dropped"] == most
        assert dict(written["dropped_by_reason"]) == {"a": most, "b": most}
