"""Between accounts and the rows of tables, as Arrow has them in Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kwitness.jobs.analyses.ledger_audit.account import Account
from kwitness.jobs.analyses.ledger_audit.numbers import Batch, Island, Run, Seal, Settled, TopicSums, pairs
from kwitness.jobs.analyses.ledger_audit.schema import KEYS, TABLE_SCHEMA
from kwitness.jobs.analyses.ledger_audit.state import state
from kwitness.jobs.frame.intervals import Intervals
from kwitness.jobs.frame.longs import as_longs

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]


def added_up(batches: Iterable[pa.RecordBatch], grace_ms: int) -> Iterator[pa.RecordBatch]:
    """Rows of the table from lines with `new`, of `BATCH_SCHEMA`, and `old`, a row of the table or null."""
    # Imported here: only the executors' Python workers have a use for it.
    import pyarrow as pa  # noqa: PLC0415
    from pyspark.sql.pandas.types import to_arrow_schema  # noqa: PLC0415

    schema = to_arrow_schema(TABLE_SCHEMA)
    for batch in batches:
        rows = [row_after(line["old"], line["new"], grace_ms) for line in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist(rows, schema=schema)


def row_after(old: Row | None, new: Row, grace_ms: int) -> dict[str, Any]:
    """The row of the table after a batch.

    Parameters
    ----------
    old
        The row before, if there is one.
    new
        Of `BATCH_SCHEMA`.
    """
    before = Account(new["kind"]) if old is None else account_of(old)
    texts = {
        name: max((row[name] for row in (old, new) if row is not None and row[name] is not None), default=None)
        for name in ("cluster_id", "reported_by")
    }
    row: dict[str, Any] = as_longs(columns_of(before.add(batch_of(new)), grace_ms))
    return {**{key: new[key] for key in KEYS}, **texts, **row}


def batch_of(new: Row) -> Batch:
    """What a row of `BATCH_SCHEMA` says."""
    seals = (
        Seal(
            seq=one["seq"],
            time_ms=one["time_ms"],
            topic=one["seal"]["topic"],
            first=one["seal"]["first"],
            last=one["seal"]["last"],
            counted=one["seal"]["counted"],
            window_end_ms=one["seal"]["window_end_ms"],
            dropped=tuple((entry["key"], entry["value"]) for entry in one["seal"]["dropped"] or () if entry["value"]),
        )
        for one in new["seals"] or ()
    )
    return Batch(
        records=new["records"],
        first_ms=new["first_ms"],
        last_ms=new["last_ms"],
        islands=tuple(sorted(Island(**one) for one in new["islands"])),
        seals=tuple(sorted(seals)),
    )


def account_of(old: Row) -> Account:
    """The account that a row of the table holds."""
    settled = old["settled"]
    return Account(
        kind=old["kind"],
        records=old["records"],
        first_ms=old["first_ms"],
        last_ms=old["last_ms"],
        sealed_until_ms=old["sealed_until_ms"],
        last_seal=old["last_seal_seq"],
        topics={
            one["topic"]: TopicSums(found=one["found"], sealed=one["sealed"], first_seq=one["first_seq"])
            for one in old["topics"]
        },
        dropped=dict(old["dropped_by_reason"]),
        seen=tuple(Run(**one) for one in old["ranges"]),
        covered=_intervals(old["sealed_ranges"]),
        waiting=tuple(Seal(**one) for one in old["waiting_seals"]),
        tail=tuple(Run(**one) for one in old["tail"]),
        floor=old["floor"],
        settled=Settled(**{**settled, "gaps": _intervals(settled["gaps"])}),
        late=old["late"],
        late_sealed=old["late_sealed"],
    )


def columns_of(account: Account, grace_ms: int) -> dict[str, Any]:
    """The columns of the table but for those that say whose account it is."""
    judged: dict[str, Any] = {
        "missing": account.missing(),
        "missing_since_ms": account.missing_since_ms(),
        "unsealed": account.unsealed(),
        "unsealed_since_ms": account.unsealed_since_ms(),
        "duplicates": account.duplicates,
    }
    seen = pairs(account.seen)
    firsts = [sums.first_seq for sums in account.topics.values() if sums.first_seq is not None]
    return {
        "state": state(**judged, at_ms=account.last_ms or 0, grace_ms=grace_ms),
        **judged,
        "records": account.records,
        "numbers": account.numbers,
        "gaps": _pairs(account.gaps()),
        "dropped": sum(account.dropped.values()),
        "dropped_by_reason": dict(sorted(account.dropped.items())),
        "unsealed_ranges": _pairs(account.unsealed_ranges()),
        "untold": account.untold(),
        "topics": [
            {"topic": topic, "found": sums.found, "sealed": sums.sealed, "first_seq": sums.first_seq}
            for topic, sums in sorted(account.topics.items())
        ],
        "first_seq": min(firsts, default=None),
        "last_seq": seen[-1][1] if seen else account.floor - 1,
        "last_seal_seq": account.last_seal,
        "first_ms": account.first_ms,
        "last_ms": account.last_ms,
        "sealed_until_ms": account.sealed_until_ms,
        "ranges": [run._asdict() for run in account.seen],
        "sealed_ranges": _pairs(account.covered),
        "waiting_seals": [
            {name: getattr(seal, name) for name in ("seq", "topic", "first", "last", "counted", "time_ms")}
            for seal in account.waiting
        ],
        "tail": [run._asdict() for run in account.tail],
        "floor": account.floor,
        "settled": {**account.settled._asdict(), "gaps": _pairs(account.settled.gaps)},
        "late": account.late,
        "late_sealed": account.late_sealed,
    }


def _intervals(entries: Iterable[Mapping[str, int]]) -> Intervals:
    return tuple((one["first"], one["last"]) for one in entries)


def _pairs(numbers: Intervals) -> list[dict[str, int]]:
    return [{"first": first, "last": last} for first, last in numbers]
