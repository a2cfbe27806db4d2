"""Records as sources number them: windows of rows, their seals, totals between them; and all that can go wrong."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field

from kwitness.jobs.frame.kafka_record import KafkaRecord

START_MS = 1_790_000_000_000
WINDOW_MS = 10_000
EPOCH = START_MS - 1
OBSERVER = "shop/gateway-0"
REPORTER = "shop/orders-1/9f86d081884c7d65"
PLUGIN = "cluster-1/1"
OTLP = "otlp/0"
KINDS = {
    f"kwitness.{kind}": kind
    for kind in ("traffic", "connections", "interceptions", "headers", "requests", "seals", "telemetry")
}


@dataclass
class Source:
    """One epoch of a source, as its program numbers what it reports."""

    name: str
    epoch: int = EPOCH
    cluster_id: str = "cluster-1"
    next_seq: int = 1
    now_ms: int = START_MS
    records: list[KafkaRecord] = field(default_factory=list)
    offset: int = 0

    def row(self, kind: str, /, **value: object) -> KafkaRecord:
        """A row with the next number."""
        return self._add(kind, {"schema": f"kwitness.{kind}/1", **value})

    def totals(self, numbers: int = 1) -> None:
        """Numbers that no topic has."""
        self.next_seq += numbers

    def seal(
        self, topic: str, first: int, last: int, count: int, dropped: dict[str, int] | None = None, **value: object
    ) -> KafkaRecord:
        """What closes the rows of a topic in a window."""
        said = {"topic": topic, "first_seq": first, "last_seq": last, "count": count, "dropped": dropped or {}}
        return self.row("seals", window_end_ms=self.now_ms, **said, **value)

    def window(self, *topics: str, rows: int = 3, totals: int = 1) -> list[KafkaRecord]:
        """Rows of topics, each with its seal, then totals: as an observer writes them."""
        begin = len(self.records)
        for topic in topics or ("traffic",):
            first = self.next_seq
            for _ in range(rows):
                self.row(topic)
            self.seal(topic, first, self.next_seq - 1, rows)
        self.totals(totals)
        self.now_ms += WINDOW_MS
        return self.records[begin:]

    def push(self) -> KafkaRecord:
        """A push with the next number."""
        self.now_ms += 100
        return self._add("telemetry", None)

    def _add(self, topic: str, value: dict[str, object] | None) -> KafkaRecord:
        seq, self.next_seq = self.next_seq, self.next_seq + 1
        self.now_ms += 1
        named = {"event_source": self.name, "event_epoch": self.epoch, "event_seq": seq, "cluster_id": self.cluster_id}
        headers = {"schema": f"kwitness.{topic}/1", **named}
        if topic != "telemetry":
            headers["reported_by"] = "gateway"
        self.offset += 1
        record = KafkaRecord(
            f"kwitness.{topic}",
            0,
            self.offset,
            self.now_ms,
            b"key",
            b"\x0a\x00otlp" if value is None else json.dumps(value | named | {"reported_by": "pod"}).encode(),
            tuple((name, str(text).encode()) for name, text in headers.items()),
        )
        self.records.append(record)
        return record


def snapshot(seq: int, epoch: int = EPOCH) -> KafkaRecord:
    """A heartbeat of a plugin, as the collector writes it: with a number of another sequence, and without headers."""
    value = {
        "schema": "kwitness.connections/1",
        "kind": "snapshot",
        "event_source": PLUGIN,
        "event_epoch": epoch,
        "event_seq": seq,
        "cluster_id": "cluster-1",
        "broker_id": "1",
        "sent_at_ms": START_MS,
        "connections": [],
    }
    return KafkaRecord("kwitness.connections", 0, 90_000 + seq, START_MS, None, json.dumps(value).encode(), ())


def fleet(seed: int, windows: int = 6, mark: str = "") -> list[KafkaRecord]:
    """Records of some epochs of sources of all kinds, of which some were lost, dropped or doubled; in no order."""
    dice = random.Random(seed)  # noqa: S311
    found: list[KafkaRecord] = []
    for name in (OBSERVER, REPORTER):
        for epoch in range(dice.randrange(1, 3)):
            source = Source(f"{mark}{name}", EPOCH + epoch, now_ms=START_MS + dice.randrange(10_000))
            found += _of_windows(dice, source, dice.randrange(1, windows + 1))
    for name in (PLUGIN, OTLP):
        source = Source(f"{name}{mark}", next_seq=dice.randrange(1, 4))
        for _ in range(dice.randrange(1, 12)):
            source.push()
        found += [record for record in source.records if dice.random() > 0.2]
    found = [_said_otherwise(dice, record) for record in found]
    found += [snapshot(seq) for seq in range(3)]
    again = dice.sample(found, len(found) // 8)
    found += [one._replace(timestamp_ms=one.timestamp_ms + dice.randrange(-9_000, 9_000)) for one in again]
    dice.shuffle(found)
    return found


def _said_otherwise(dice: random.Random, record: KafkaRecord) -> KafkaRecord:
    """Now and then a record whose value alone says who numbered it, or says it is somebody else's."""
    if record.topic in ("kwitness.telemetry", "kwitness.seals") or dice.random() > 0.2:
        return record
    if dice.random() < 0.5:
        return record._replace(headers=())
    value = json.loads(record.value or b"") | {"event_source": "bank/other-0", "event_seq": 7_000}
    return record._replace(value=json.dumps(value).encode())


def _of_windows(dice: random.Random, source: Source, windows: int) -> list[KafkaRecord]:
    kept: list[KafkaRecord] = []
    topics = ["interceptions", "headers"] if source.name.count("/") > 1 else ["connections", "traffic", "requests"]
    for _ in range(windows):
        for topic in dice.sample(topics, dice.randrange(1, len(topics) + 1)):
            first = source.next_seq
            rows = [source.row(topic) for _ in range(dice.randrange(5))]
            given_up = [row for row in rows if dice.random() < 0.1]
            lost = [row for row in rows if dice.random() < 0.05]
            kept += [row for row in rows if row not in given_up and row not in lost]
            if dice.random() < 0.3:
                source.totals(dice.randrange(1, 3))
            last = first + len(rows) - 1
            told = {"queue_full": len(given_up)} if given_up else {}
            if dice.random() < 0.1:
                told["window_full"] = dice.randrange(1, 9)
            # Where there is no row, an observer's seal has its own number, and one of Python's ends before it begins.
            if not rows and dice.random() < 0.5:
                first = last = source.next_seq
            seal = source.seal(topic, first, last, len(rows) - len(given_up), told)
            if dice.random() > 0.1:
                kept.append(seal)
        source.totals(dice.randrange(3))
        source.now_ms += dice.choice([WINDOW_MS, WINDOW_MS, 700_000])
    if dice.random() < 0.4:
        kept += [source.row(topics[0]) for _ in range(dice.randrange(1, 4))]
    return kept


def bad_records() -> list[KafkaRecord]:
    """One of each kind that must go to quarantine."""
    source = Source(OBSERVER)
    row, seal, push = source.row("traffic"), source.seal("traffic", 1, 1, 1), Source(PLUGIN).push()

    def changed(record: KafkaRecord, **headers: bytes | None) -> KafkaRecord:
        kept = {name: value for name, value in record.headers if name not in headers}
        return record._replace(headers=tuple({**kept, **{k: v for k, v in headers.items() if v is not None}}.items()))

    def said(**changes: object) -> KafkaRecord:
        value = json.loads(seal.value or b"") | changes
        return seal._replace(value=json.dumps({k: v for k, v in value.items() if v is not None}).encode())

    found = [
        changed(push, event_source=None),
        changed(push, event_seq=None),
        changed(push, event_epoch=b"yesterday"),
        changed(push, event_seq=b"9" * 40),
        changed(push, event_source=b""),
        changed(row, event_seq=b"-1"),
        changed(row, event_source=b"x" * 500),
        row._replace(headers=(), value=b"{"),
        row._replace(headers=(), value=None),
        row._replace(headers=(), value=b'{"schema":"kwitness.traffic/1","event_source":"a/b","event_epoch":1}'),
        row._replace(
            headers=(), value=b'{"schema":"kwitness.seals/1","event_source":"a/b","event_epoch":1,"event_seq":1}'
        ),
        seal._replace(value=b"garbage"),
        said(topic=None),
        said(topic="telemetry"),
        said(first_seq=None),
        said(count=-1),
        said(last_seq="x"),
        said(schema="kwitness.seals/9"),
    ]
    return [record._replace(offset=5_000 + at) for at, record in enumerate(found)]
