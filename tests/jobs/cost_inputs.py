"""Tables as Traffic and HeaderDrift write them, without Spark: rows around the turn of a month."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from kwitness.jobs.analyses.traffic.schema import TABLE_SCHEMA
from kwitness.jobs.frame.job import COMPUTED_BY
from kwitness.jobs.frame.stored_samples import SAMPLES

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WINDOW = 5 * MINUTE
_EPOCH = date(1970, 1, 1)
#: In Kolkata the month begins half an hour after the hour in UTC, and clocks of Berlin are set on its last Sunday.
TURN = int(datetime(2027, 3, 31, 18, 30, tzinfo=UTC).timestamp()) * 1000
CLIENTS = (
    ("User:orders", "orders-1", "shop", "deployment/orders"),
    ("User:orders", "orders-2", "shop", "deployment/orders"),
    ("User:billing", "billing", None, None),
    (None, "legacy", None, None),
    (None, None, None, None),
)
TOPICS = (("orders", None), ("orders.retry", None), ("audit", None), (None, "AAAAAAAAAAAAAAAAAAAAAQ"), (None, None))
NAMES = ("principal", "client_id", "k8s_namespace", "k8s_workload")
HEADERS = pa.schema(
    [
        ("day", pa.date32()),
        ("window_seconds", pa.int32()),
        ("window_start_ms", pa.int64()),
        ("kind", pa.string()),
        ("key", pa.string()),
        ("topic", pa.string()),
        ("topic_id", pa.string()),
        ("side", pa.string()),
        *((name, pa.string()) for name in NAMES),
        ("values", pa.map_(pa.string(), pa.int64())),
        ("records_looked_at", pa.int64()),
    ]
)
"""The columns of HeaderDrift's table that are read."""
Row = dict[str, Any]


def traffic_rows(seed: int, windows: int = 24) -> list[Row]:
    """Base windows on both sides of the turn and some weeks before it; all that the job has to tell apart."""
    dice = random.Random(seed)  # noqa: S311
    starts = [TURN + (at - windows // 2) * WINDOW for at in range(windows)]
    starts += [TURN - days * DAY + 7 * WINDOW for days in (3, 17, 30)]
    found: list[Row] = []
    for start in starts:
        for who in dice.sample(CLIENTS, 4):
            for api in dice.sample(("Produce", "Fetch", "ShareFetch"), 2):
                for topic, topic_id in dice.sample(TOPICS, 3):
                    size = dice.choice((0, 1, 7, dice.randrange(10**6), dice.randrange(2**50)))
                    found.append(
                        traffic_row(
                            start,
                            "partition",
                            api,
                            who,
                            topic=topic,
                            topic_id=topic_id,
                            requests=dice.choice((0, 1, 3, dice.randrange(500))),
                            bytes=size,
                        )
                    )
                found.append(traffic_row(start, "api", api, who, requests=dice.randrange(900), request_bytes=77))
            found.append(traffic_row(start, "api", "Metadata", who, requests=dice.randrange(5)))
        found.append(traffic_row(start, "presence", "Fetch", CLIENTS[0], topic="orders", partitions=3))
    # Beyond 64 bits together, and unknown where they were beyond them already.
    huge = {"topic": "huge", "requests": 1, "bytes": 2**62}
    found += [traffic_row(one, "partition", "Produce", CLIENTS[2], **huge) for one in starts[:3]]
    found.append(traffic_row(starts[3], "partition", "Produce", CLIENTS[2], topic="huge", requests=2, bytes=None))
    return found


def traffic_row(start: int, kind: str, api: str, who: tuple[str | None, ...], **changes: Any) -> Row:
    return {
        "day": day_of(start),
        "window_seconds": WINDOW // 1000,
        "window_start_ms": start,
        "window_end_ms": start + WINDOW,
        "kind": kind,
        "api": api,
        "topic": None,
        "topic_id": None,
        "bytes": None,
        "requests": None,
        **dict(zip(NAMES, who, strict=True)),
        "state": "sealed",
        "computed_by": "Traffic/1",
        **changes,
    }


def longer(rows: list[Row]) -> list[Row]:
    """The same rows as hours and days, which must not be added up again."""
    return [
        {
            **row,
            "window_seconds": seconds,
            "window_start_ms": (start := row["window_start_ms"] // (seconds * 1000) * seconds * 1000),
            "window_end_ms": start + seconds * 1000,
            "day": day_of(start),
        }
        for seconds in (3600, 86_400)
        for row in rows
        if seconds == 3600 or row["window_start_ms"] < TURN
    ]


def header_rows(seed: int) -> list[Row]:
    """What interceptors and observers say of headers in the hours around the turn."""
    dice = random.Random(seed)  # noqa: S311
    found: list[Row] = []
    for hour in range(-3, 3):
        for principal, client_id, namespace, workload in dice.sample(CLIENTS, 4):
            who = dice.choice(((principal, client_id, namespace, workload), (None, client_id, None, None)))
            for side in ("producer", "consumer"):
                for topic in dice.sample(("orders", "orders.retry", "audit"), 2):
                    start = TURN // HOUR * HOUR + hour * HOUR + dice.randrange(12) * WINDOW
                    same = {
                        "day": day_of(start),
                        "window_seconds": WINDOW // 1000,
                        "window_start_ms": start,
                        "topic": topic,
                        "topic_id": None,
                        "side": side,
                        "records_looked_at": (looked_at := dice.randrange(100)),
                        **dict(zip(NAMES, who, strict=True)),
                    }
                    values = [(value, dice.randrange(40)) for value in dice.sample(("red", "blue", "untagged"), 2)]
                    found += [
                        {**same, "kind": "topic", "key": None, "values": None},
                        {**same, "kind": "key", "key": "charge.tag", "values": values},
                        {**same, "kind": "key", "key": "other", "values": [("x", looked_at)]},
                    ]
    return found


def sample_times(seed: int) -> list[tuple[int, dict[str, int]]]:
    """Samples of stored bytes with gaps and without, over the turn and before it."""
    dice = random.Random(seed)  # noqa: S311
    hours = [-30 * 24, -30 * 24 + 5, -29 * 24, -3 * 24, -2 * 24 - 1, -26, -20, -1, 2, 9, 34, 62, 63]
    topics = ("orders", "audit", "forgotten", "orders.old")
    return [
        (TURN + hour * HOUR + dice.randrange(HOUR), {topic: dice.randrange(2**58) for topic in dice.sample(topics, 3)})
        for hour in hours
    ]


def add_traffic(folder: Path, rows: list[Row]) -> str:
    """Append rows to a table of Traffic, as if that job had written them; returns its path."""
    return _add(folder / "traffic", rows, to_arrow_schema(StructType([*TABLE_SCHEMA.fields, COMPUTED_BY])))


def add_headers(folder: Path, rows: list[Row]) -> str:
    """The same of HeaderDrift."""
    return _add(folder / "headers", rows, HEADERS)


def add_samples(folder: Path, samples: list[tuple[int, dict[str, int]]]) -> None:
    """Append samples of stored bytes, as earlier drivers have left them."""
    rows = [{"day": day_of(at), "sampled_ms": at, "stored_bytes": list(stored.items())} for at, stored in samples]
    _add(folder / "samples", rows, to_arrow_schema(SAMPLES), "day")


def remove_traffic(folder: Path, condition: str) -> None:
    """Remove rows of Traffic."""
    DeltaTable(str(folder / "traffic")).delete(condition)


def compact_traffic(folder: Path) -> None:
    """Write its small files together, which changes no row."""
    assert DeltaTable(str(folder / "traffic")).optimize.compact()["numFilesRemoved"] > 1


def _add(path: Path, rows: list[Row], schema: pa.Schema, *partitions: str) -> str:
    plain = pa.schema([field.with_nullable(nullable=True).remove_metadata() for field in schema])
    table = pa.Table.from_pylist(rows, schema=plain)
    write_deltalake(str(path), table, mode="append", partition_by=list(partitions or ("day", "window_seconds")))
    return path.as_uri()


def day_of(milliseconds: int) -> date:
    return _EPOCH + timedelta(milliseconds=milliseconds)
