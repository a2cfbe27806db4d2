"""UpgradeImpact once more, as plainly as possible: no Spark, one pass over records, rules read from definitions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from kwitness.contracts.owner_lookup import OwnerLookup
from kwitness.contracts.owners import OwnerList
from kwitness.contracts.tables.kafka_releases import ENTRIES
from kwitness.jobs.frame.kafka_record import KafkaRecord

RELEASES = ("3.9", "4.0", "4.1", "4.2", "4.3", "4.4")
CLIENT = (
    *("cluster_id", "principal", "client_id", "client_software_name", "client_software_version"),
    *("k8s_namespace", "k8s_workload"),
)
KEYS = ("kind", "api", "api_version", *CLIENT)
SUMS = ("requests", "request_bytes", "response_bytes")

Row = dict[str, Any]
Key = tuple[Any, ...]


def table_of(
    records: Iterable[KafkaRecord], owners: OwnerList | None = None
) -> tuple[dict[Key, Row], set[tuple[str, int]]]:
    """What the table must hold, by key; and topics and offsets of bad records."""
    rows: dict[Key, Row] = {}
    bad = set()
    for record in records:
        event = json.loads(record.value or b"")
        if not _is_good(record, event):
            bad.add((record.topic, record.offset))
            continue
        end = event.get("window_end_ms", event.get("occurred_at_ms", event.get("sent_at_ms")))
        first = min(event.get("window_start_ms", end), record.timestamp_ms)
        last = min(end, record.timestamp_ms)
        for said in _says(record, event):
            key = tuple(said.get(name) for name in KEYS)
            row = rows.setdefault(key, {"first_seen_ms": first, "last_seen_ms": last, "connections": None})
            row["first_seen_ms"] = min(row["first_seen_ms"], first)
            row["last_seen_ms"] = max(row["last_seen_ms"], last)
            if "connections" in said:
                row["connections"] = max(row["connections"] or 0, said["connections"])
            for name in SUMS:
                row[name] = min(2**63 - 1, (row.get(name) or 0) + said[name]) if name in said else None
            row["added_in"], row["dropped_in"] = lifetime(said.get("api"), said.get("api_version"))
    lookup = OwnerLookup(owners or OwnerList())
    for key, row in rows.items():
        of_key = dict(zip(KEYS, key, strict=True))
        known = {name: of_key[name] for name in ("principal", "client_id")} | {"namespace": of_key["k8s_namespace"]}
        owner = lookup.owner_of(known, row["last_seen_ms"])
        named = (owner.team, owner.contact, owner.source) if owner else (None, None, None)
        row.update(zip(("owner", "owner_contact", "owner_source"), named, strict=True))
    return rows, bad


def as_oracle(rows: Iterable[Row]) -> dict[Key, Row]:
    """Rows of the table in the shape of `table_of`."""
    found: dict[Key, Row] = {}
    for row in rows:
        key = tuple(row[name] for name in KEYS)
        assert key not in found, f"two rows for {key}"
        assert row["ended"] is False, "no housekeeping has looked at it"
        found[key] = {name: value for name, value in row.items() if name not in {*KEYS, "computed_by", "ended"}}
    return found


def lifetime(api: str | None, version: int | None) -> tuple[str | None, str | None]:
    """The first release that answers, and the first that no longer does."""
    of = [one for one in ENTRIES if api in (one.name, str(one.number))]
    if not of or version is None:
        return None, None
    answers = [release in of[0].versions and version in _range(of[0].versions[release]) for release in RELEASES]
    added = None if answers[0] or True not in answers else RELEASES[answers.index(True)]
    dropped = None
    for release, answered in zip(RELEASES, answers, strict=True):
        if answered:
            dropped = None
        elif dropped is None and _is_too_old(of[0].versions, release, version):
            dropped = release
    return added, dropped


def _is_too_old(versions: Any, release: str, version: int) -> bool:
    if release in versions:
        return bool(version < versions[release][0])
    return any(one in versions for one in RELEASES[: RELEASES.index(release)])


def _range(span: tuple[int, int]) -> range:
    return range(span[0], span[1] + 1)


def _is_good(record: KafkaRecord, event: Row) -> bool:
    topic = record.topic.removeprefix("kwitness.")
    end = event.get("window_end_ms", event.get("occurred_at_ms", event.get("sent_at_ms")))
    if event["schema"] != f"kwitness.{topic}/1" or "event_epoch" not in event or end is None:
        return False
    if event.get("window_start_ms", end) > end:
        return False
    if topic != "traffic" or event["kind"] != "api":
        return True
    counts = [event.get(name, 0) for name in SUMS]
    return (
        "api" in event
        and "requests" in event
        and all(0 <= count <= 2**53 for count in counts)
        and event.get("api_version", 0) < 2**15
    )


def _says(record: KafkaRecord, event: Row) -> Iterator[Row]:
    client = {name: event.get(name) for name in CLIENT}
    if record.topic == "kwitness.traffic":
        if event["kind"] == "api":
            counts = {name: event.get(name, 0) for name in SUMS}
            yield {"kind": "request", "api": event["api"], "api_version": event.get("api_version"), **client, **counts}
    elif record.headers:
        named = any(event.get(name) for name in ("principal", "client_id", "client_software_name", "opaque"))
        over = event["kind"] == "closed" or (event["kind"] != "snapshot" and event.get("opaque"))
        if named and over:
            yield {"kind": "connection", **client}
    else:
        for one in event["connections"]:
            if one["connections"] > 0:
                names = {
                    name: None if one[name] == "unknown" else one[name]
                    for name in ("client_software_name", "client_software_version")
                }
                counted = {"connections": one["connections"]}
                yield {"kind": "software", "cluster_id": event["cluster_id"], **names, **counted}
