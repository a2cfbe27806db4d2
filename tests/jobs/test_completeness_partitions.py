"""The algebra of completeness without Spark: any cut of any reports gives what sets of single offsets say of all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kwitness.jobs.analyses.completeness import partition, reports
from kwitness.jobs.analyses.completeness.rows import rows_after

from tests.jobs import completeness_oracle
from tests.jobs.completeness_oracle import Said, Voice
from tests.jobs.test_intervals import intervals
from tests.jobs.test_ledger_accounts import cut

GRACE_MS = 100
INTERCEPTED, CARRIED = ("", "interceptors"), ("", "wire")
GROUP, FETCHED = ("g", "interceptors"), ("g", "wire")
Rows = list[dict[str, Any]]


@st.composite
def saids(draw: st.DrawFn) -> list[Said]:
    """Reports of some windows in the order of their records, none later than `GRACE_MS`, some twice."""
    found = []
    for seq in range(draw(st.integers(0, 14))):
        start = 10 * draw(st.integers(0, 120))
        voice = draw(st.sampled_from([INTERCEPTED, CARRIED, GROUP, FETCHED, ("h", "wire")]))
        offsets = draw(st.frozensets(st.integers(0, 24), max_size=9))
        said = Said(
            voice,
            at_ms=0,
            start_ms=start,
            end_ms=start + 10,
            teller=draw(st.integers(0, 1)),
            seq=seq,
            offsets=offsets,
            count=len(offsets) + draw(st.sampled_from([0, 0, 0, 2])),
            exact=draw(st.integers(0, 9)) > 0,
            plain=voice == CARRIED and draw(st.booleans()),
            markers=draw(st.integers(0, 1)) if voice == CARRIED else 0,
            unconfirmed=draw(st.integers(0, 1)) if voice == CARRIED else 0,
            aborted=draw(st.integers(0, 2)) if voice[0] and offsets else 0,
        )
        for _ in range(draw(st.sampled_from([1, 1, 1, 2]))):
            found.append(Said(**{**said.__dict__, "at_ms": said.end_ms + draw(st.integers(0, GRACE_MS))}))
    return sorted(found, key=lambda one: one.at_ms)


def batch_rows(said: list[Said]) -> Rows:
    """Rows of `BATCH_SCHEMA`."""
    rows: dict[Voice, dict[str, Any]] = {}
    for one in said:
        group_id, evidence = one.voice
        row = rows.setdefault(
            one.voice,
            {"topic": "t", "partition": 0, "group_id": group_id, "evidence": evidence, "reports": [], "aborts": []},
        )
        names = ("at_ms", "start_ms", "end_ms", "teller", "seq", "count", "exact", "plain", "markers", "unconfirmed")
        ranges = [{"first": first, "last": last} for first, last in intervals(set(one.offsets))]
        row["reports"].append(
            {name: getattr(one, name) for name in names}
            | {"ranges": ranges, "sent": 0, "acknowledged": 0, "given_up": 0}
        )
        if one.aborted:
            row["aborts"].append({"first": min(one.offsets), "last": max(one.offsets), "records": one.aborted})
    return list(rows.values())


def log(now_ms: int, end: int, *, compacted: bool | None = False, **said: Any) -> dict[str, Any]:
    return {"surveyed_ms": now_ms, "start": 0, "end": end, "topic_id": None, "compacted": compacted, "committed": []} | said


def table_after(batches: list[list[Said]], *surveys: dict[str, Any]) -> dict[Voice, dict[str, Any]]:
    """The table after batches, by way of the rows as they lie in it, and after surveys."""
    table: Rows = []
    for said in batches:
        if said:
            table = rows_after(table, batch_rows(said), None, GRACE_MS)
    for survey in surveys:
        if table:
            table = rows_after(table, [], survey, GRACE_MS)
    return {(row["group_id"], row["evidence"]): row for row in table}


def alike(rows: dict[Voice, dict[str, Any]], wanted: dict[Voice, dict[str, Any]]) -> dict[Voice, dict[str, Any]]:
    """The columns that the oracle has."""
    return {voice: {name: row[name] for name in wanted[voice]} for voice, row in rows.items()}


@given(saids(), st.lists(st.integers(0, 30), max_size=4))
@settings(max_examples=300)
def test_any_cut_gives_what_sets_of_offsets_say(said: list[Said], at: list[int]) -> None:
    found = table_after(cut(said, at))

    wanted = completeness_oracle.judge(said, GRACE_MS) if said else {}
    assert alike(found, wanted) == wanted


@given(saids(), st.lists(st.integers(0, 30), max_size=4), st.integers(0, 26), st.sampled_from([True, False, None]))
@settings(max_examples=300)
def test_a_survey_adds_where_the_log_ends_and_whether_it_is_compacted(
    said: list[Said], at: list[int], end: int, compacted: bool | None
) -> None:
    found = table_after(cut(said, at), log(5_000, end, compacted=compacted))

    if said:
        wanted = completeness_oracle.judge(said, GRACE_MS, now_ms=5_000, end=end, compacted=compacted)
        assert alike(found, wanted) == wanted


@given(saids(), st.lists(st.integers(0, 30), max_size=4))
@settings(max_examples=200)
def test_what_was_judged_for_good_is_counted_as_if_all_were_remembered(said: list[Said], at: list[int]) -> None:
    # Without transactions nothing that comes later makes a hole less certain.
    plain = [Said(**{**one.__dict__, "aborted": 0, "plain": one.voice == CARRIED}) for one in said if one.voice != INTERCEPTED]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(partition, "SETTLED_RANGES", 1)
        found = table_after(cut(plain, at), log(5_000, 99))

    if plain:
        wanted = completeness_oracle.judge(plain, GRACE_MS, now_ms=5_000, end=99, compacted=False)
        for voice, row in alike(found, wanted).items():
            kept = {name for name in row if name not in {"duplicated", "lost", "not_seen"}}
            assert {name: row[name] for name in kept} == {name: wanted[voice][name] for name in kept}, voice
