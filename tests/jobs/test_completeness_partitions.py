"""The algebra of completeness without Spark: any cut of any reports gives what sets of single offsets say of all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.jobs.analyses.completeness import partition
from kwitness.jobs.analyses.completeness.reports import MAX_REPORTS
from kwitness.jobs.analyses.completeness.rows import rows_after
from kwitness.jobs.frame.intervals import size

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
        delays = draw(st.lists(st.integers(0, GRACE_MS), min_size=1, max_size=2))
        found += [Said(**{**said.__dict__, "at_ms": said.end_ms + delay}) for delay in delays]
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
    return {
        "surveyed_ms": now_ms,
        "start": 0,
        "end": end,
        "topic_id": None,
        "compacted": compacted,
        "committed": [],
    } | said


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
def test_any_cut_gives_what_sets_of_offsets_say(said: list[Said], at: list[int]) -> None:
    found = table_after(cut(said, at))

    wanted = completeness_oracle.judge(said, GRACE_MS) if said else {}
    assert alike(found, wanted) == wanted


@given(saids(), st.lists(st.integers(0, 30), max_size=4), st.integers(0, 26), st.sampled_from([True, False, None]))
def test_a_survey_adds_where_the_log_ends_and_whether_it_is_compacted(
    said: list[Said], at: list[int], end: int, compacted: bool | None
) -> None:
    found = table_after(cut(said, at), log(5_000, end, compacted=compacted))

    if said:
        wanted = completeness_oracle.judge(said, GRACE_MS, now_ms=5_000, end=end, compacted=compacted)
        assert alike(found, wanted) == wanted


@st.composite
def forward(draw: st.DrawFn) -> list[Said]:
    """Reports of voices that only go forward, in windows one after the other, outside of transactions."""
    found, at = [], {CARRIED: 0, GROUP: 0, FETCHED: 0}
    for number in range(draw(st.integers(1, 14))):
        for voice in draw(st.permutations(list(at)))[: draw(st.integers(1, 3))]:
            first = at[voice] + draw(st.sampled_from([0, 0, 1, 2]))
            at[voice] = first + draw(st.integers(1, 3))
            end, offsets = 10 * number + 10, frozenset(range(first, at[voice]))
            found.append(
                Said(
                    voice, end, end - 10, end, draw(st.integers(0, 1)), number, offsets, len(offsets),
                    plain=voice == CARRIED,
                )
            )  # fmt: skip
    return found


@given(forward(), st.lists(st.integers(0, 40), max_size=6))
def test_what_was_judged_for_good_is_counted_as_if_all_were_remembered(said: list[Said], at: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(partition, "SETTLED_RANGES", 1)
        first = log(0, 99)
        table: Rows = []
        for some in cut(said, at):
            table = rows_after(table, batch_rows(some), first, 10) if some else table
        found = {(row["group_id"], row["evidence"]): row for row in rows_after(table, [], log(5_000, 99), 10)}

    wanted = completeness_oracle.judge(said, 10, now_ms=5_000, end=99, compacted=False)
    assert alike(found, wanted) == wanted


def told(voice: Voice, number: int, first: int, last: int, /, **changes: Any) -> Said:
    """One report: the offsets of a window, by number of the window."""
    start, offsets = 10 * number, frozenset(range(first, last + 1))
    said = Said(voice, start + 10, start, start + 10, 7, number, offsets, len(offsets), plain=voice == CARRIED)
    return Said(**{**said.__dict__, **changes})


def test_a_client_that_got_both_sides_of_a_hole_was_not_handed_it() -> None:
    said = [told(CARRIED, 0, 0, 29), told(GROUP, 1, 0, 9), told(GROUP, 2, 15, 29)]

    rows = table_after([said], log(5_000, 30))

    assert rows[GROUP]["verdict"] == "Lost"
    assert (rows[GROUP]["lost"], rows[GROUP]["lost_ranges"]) == (5, [{"first": 10, "last": 14}])
    assert (rows[GROUP]["coverage"], rows["", "offsets"]["verdict"]) == ("full", "Complete")


@pytest.mark.parametrize(
    ("voice", "survey", "lost", "skipped"),
    [
        (GROUP, {"committed": [{"group_id": "g", "offset": 13}]}, 2, 3),
        (GROUP, {"committed": [{"group_id": "g", "offset": 30}]}, 0, 5),
        (GROUP, {"committed": [{"group_id": "g", "offset": 30}], "start": 12}, 2, 3),
        (FETCHED, {}, 0, 5),
        (FETCHED, {"start": 12}, 2, 3),
    ],
    ids=["committed within", "committed beyond", "committed beyond what is gone", "jumped", "jumped over what is gone"],
)
def test_a_hole_that_the_log_still_has_was_skipped_by_the_group(
    voice: Voice, survey: dict[str, Any], lost: int, skipped: int
) -> None:
    reports = [told(CARRIED, 0, 0, 29), told(voice, 1, 0, 9), told(voice, 2, 15, 29)]

    row = table_after([reports], log(5_000, 30, **survey))[voice]

    assert (row["lost"], row["skipped"], row["not_seen"]) == (lost, skipped, 0)
    assert row["verdict"] == ("Lost" if lost else "Skipped")
    assert size(tuple((pair["first"], pair["last"]) for pair in row["skipped_ranges"])) == skipped


def test_what_was_skipped_stays_so_when_the_log_and_the_commit_are_gone() -> None:
    reports = [told(CARRIED, 0, 0, 29), told(GROUP, 1, 0, 9), told(GROUP, 2, 15, 29)]
    committed = log(5_000, 30, committed=[{"group_id": "g", "offset": 30}])

    row = table_after([reports], committed, log(6_000, 30, start=30), log(7_000, 30, start=30))[GROUP]

    assert (row["verdict"], row["skipped"], row["lost"]) == ("Skipped", 5, 0)


def test_a_jump_on_the_wire_is_skipped_until_a_survey_finds_the_records_gone() -> None:
    reports = [told(CARRIED, 0, 0, 29), told(FETCHED, 1, 0, 9), told(FETCHED, 2, 15, 29)]
    later = [told(FETCHED, 99, 30, 31)]

    before = table_after([reports, later])[FETCHED]
    after = table_after([reports, later], log(5_000, 32, start=20))[FETCHED]

    assert (before["verdict"], before["skipped"], before["lost"]) == ("Skipped", 5, 0)
    assert (after["verdict"], after["skipped"], after["lost"]) == ("Lost", 0, 5)


@pytest.mark.parametrize(
    ("second", "survey", "counted"),
    [
        (told(GROUP, 3, 15, 29), log(5_000, 30), "not_seen"),
        (told(GROUP, 2, 15, 29, teller=8), log(5_000, 30), "not_seen"),
        (told(GROUP, 2, 15, 29), log(5_000, 30, compacted=None), "not_seen"),
        (told(GROUP, 2, 15, 29), log(5_000, 30, compacted=True), "compacted"),
        (told(GROUP, 2, 10, 29), log(5_000, 30), None),
    ],
    ids=["a window between", "another client", "policy not known", "compacted", "nothing missing"],
)
def test_what_is_not_proved_is_not_lost(second: Said, survey: dict[str, Any], counted: str | None) -> None:
    rows = table_after([[told(CARRIED, 0, 0, 29), told(GROUP, 1, 0, 9), second]], survey)

    names = ("lost", "not_seen", "compacted")
    assert {name: rows[GROUP][name] for name in names if rows[GROUP][name]} == ({counted: 5} if counted else {})


def test_nothing_is_judged_before_twice_the_grace() -> None:
    said = [told(CARRIED, 0, 0, 29), told(GROUP, 1, 0, 9), told(GROUP, 2, 15, 29)]

    young = table_after([said], log(2 * GRACE_MS + 15, 30))
    filled = table_after([said, [told(GROUP, 3, 10, 14)]], log(5_000, 30))

    assert (young[GROUP]["verdict"], young[GROUP]["waiting"]) == ("Open", 0)
    assert (filled[GROUP]["verdict"], filled[GROUP]["lost"], filled[GROUP]["late"]) == ("Complete", 0, 0)


def test_what_comes_late_fills_holes_and_is_no_duplicate() -> None:
    said = [told(CARRIED, 0, 0, 29), told(GROUP, 1, 0, 9), told(GROUP, 2, 15, 29)]
    late = [told(GROUP, 1, 10, 12, seq=99, at_ms=1_000), told(GROUP, 1, 0, 9, at_ms=1_000)]

    rows = table_after([said, late], log(5_000, 30))

    assert (rows[GROUP]["late"], rows[GROUP]["duplicated"]) == (3, 0)
    assert rows[GROUP]["lost_ranges"] == [{"first": 13, "last": 14}]


def test_offsets_that_were_acknowledged_and_that_the_log_lacks_are_lost() -> None:
    rows = table_after([[told(INTERCEPTED, 0, 0, 29)]], log(5_000, 25))

    assert (rows["", "offsets"]["verdict"], rows["", "offsets"]["lost"]) == ("Lost", 5)
    assert rows["", "offsets"]["lost_ranges"] == [{"first": 25, "last": 29}]


def test_a_topic_that_was_recreated_is_another_one() -> None:
    rows = table_after([[told(CARRIED, 0, 0, 29)]], log(5_000, 30, topic_id="a"), log(6_000, 3, topic_id="b"))

    assert rows["", "offsets"]["lost"] == rows[CARRIED]["told"] == 0


def test_a_group_that_has_only_committed_was_not_seen() -> None:
    committed = [{"group_id": "g", "offset": 3}, {"group_id": "other", "offset": 30}]
    said = [told(CARRIED, 0, 0, 29), told(GROUP, 1, 0, 2)]

    rows = table_after([said], log(5_000, 30, committed=committed))

    assert (rows["other", "offsets"]["verdict"], rows["other", "offsets"]["coverage"]) == ("NotSeen", "none")
    assert (rows[GROUP]["committed"], rows[GROUP]["waiting"]) == (3, 27)
    assert ("g", "offsets") not in rows

    seen = table_after([said, [told(("other", "wire"), 2, 0, 29)]], log(5_000, 30, committed=committed))
    assert ("other", "offsets") not in seen
    known = rows_after(list(rows.values()), batch_rows([told(("other", "wire"), 2, 0, 29)]), None, GRACE_MS)
    assert {row["verdict"] for row in known if (row["group_id"], row["evidence"]) == ("other", "offsets")} == {
        "Complete"
    }


def test_rows_stay_small_however_many_holes_there_are() -> None:
    table: Rows = []
    for number in range(60):
        # A marker after each transaction; the group reads past all of them, and another one stands still.
        some = [told(CARRIED, number, 100 * number + 3 * one, 100 * number + 3 * one + 1, seq=one) for one in range(30)]
        some += [told(GROUP, number, 100 * number, 100 * number + 89, seq=1)]
        if number == 0:
            some += [told(("slow", "wire"), 0, 0, 4)]
        table = rows_after(table, batch_rows(some), None, 10)
    rows = {(row["group_id"], row["evidence"]): row for row in table}

    assert max(len(row["voice"]["runs"]) for row in table if row["voice"]) <= partition.MAX_RANGES
    assert rows[GROUP]["lost"] == rows[GROUP]["not_seen"] == 0
    assert rows[GROUP]["written"] > 3_300
    assert rows["", "offsets"]["unexplained"] > 2_000
    assert rows["", "offsets"]["approximate"], "the slow group has not read what was let go of"


def test_counts_and_names_that_somebody_made_up_make_no_large_rows() -> None:
    all_there_is = [{"first": 0, "last": 2**63 - 1}, {"first": -5, "last": -1}, {"first": 9, "last": 3}]
    rows = batch_rows([told((f"group-{one}", "wire"), 1, 0, 3) for one in range(partition.MAX_GROUPS + 9)])
    rows[0]["reports"][0] |= {"ranges": all_there_is, "count": 2**63 - 1}
    rows[1]["reports"] *= 3 * MAX_REPORTS
    for seq, report in enumerate(rows[2]["reports"] * (2 * MAX_REPORTS)):
        rows[2]["reports"].append(report | {"seq": seq + 1})

    table = rows_after([], rows, None, GRACE_MS)

    assert len(table) == partition.MAX_GROUPS + 1
    by_group = {row["group_id"]: row for row in table}
    assert by_group["group-0"]["told"] == 2**63 - 1
    assert len(by_group["group-1"]["voice"]["reports"]) == 1
    assert len(by_group["group-10"]["voice"]["reports"]) <= MAX_REPORTS
    assert by_group[""]["approximate"]


def test_what_nobody_was_told_of_is_not_acknowledged() -> None:
    report = batch_rows([told(INTERCEPTED, 1, 0, -1)])[0]["reports"][0] | {"ranges": []}
    row = {"topic": "t", "partition": -1, "group_id": "", "evidence": "interceptors", "aborts": []}
    first = report | {"sent": 10, "acknowledged": 6, "given_up": 1}
    second = report | {"start_ms": 20, "end_ms": 30, "at_ms": 30, "acknowledged": 1}

    table = rows_after([], [row | {"reports": [first, first, second]}], None, GRACE_MS)
    open_row = next(one for one in table if one["evidence"] == "interceptors")
    table = rows_after(table, [], log(5_000, 0), GRACE_MS)
    judged = next(one for one in table if one["evidence"] == "interceptors")

    assert (open_row["verdict"], open_row["meant"]) == ("Open", 0)
    assert (judged["verdict"], judged["meant"], judged["acknowledged"], judged["given_up"]) == (
        "NotAcknowledged", 10, 7, 1,
    )  # fmt: skip
    assert judged["not_acknowledged"] == 2
