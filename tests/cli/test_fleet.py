"""Invented fleets: records keep their contracts, numbers and offsets add up, and faults are as they were asked for."""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from kwitness.cli.fleet import Faults, Fleet, FleetRecord, events
from kwitness.cli.fleet.faults import CORRUPTIONS
from kwitness.cli.fleet.rows import SKETCHED
from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.kafka_releases import KNOWN_APIS, dropped_by
from kwitness.contracts.records import (
    ApiTraffic,
    ConnectionEvent,
    HeaderRow,
    PartitionTraffic,
    RequestEvent,
    TopicInterceptions,
    TopicPresence,
    WindowSeal,
    bucket_of,
)
from kwitness.jobs.analyses.telemetry_rollup.protobuf_decoder import read_push

ROOT = Path(__file__).resolve().parents[2]

FLEET = Fleet(clients=60, topics=7, partitions=5, sources=4, seconds=120, epochs=3)
TOLD = replace(FLEET, requests=True, interceptors=True)
FAULTY = Faults(
    late=0.02,
    duplicates=0.02,
    reordered=0.02,
    corrupt=0.05,
    lost=0.02,
    dropped=0.02,
    too_old=0.01,
    from_the_future=0.01,
    late_windows=5,
)
MODELS: dict[tuple[str, str | None], type[Any]] = {
    ("traffic", "partition"): PartitionTraffic,
    ("traffic", "api"): ApiTraffic,
    ("traffic", "presence"): TopicPresence,
    ("connections", "opened"): ConnectionEvent,
    ("connections", "closed"): ConnectionEvent,
    ("seals", None): WindowSeal,
    ("requests", "request"): RequestEvent,
    ("requests", "response"): RequestEvent,
    ("interceptions", "topic"): TopicInterceptions,
}
ADAPTERS = {
    "traffic": TypeAdapter[Any](PartitionTraffic | ApiTraffic | TopicPresence),
    "connections": TypeAdapter[Any](ConnectionEvent),
    "seals": TypeAdapter[Any](WindowSeal),
}
Source = tuple[str, int]


def rows(records: list[FleetRecord]) -> list[tuple[str, dict[str, Any]]]:
    return [(record.kind, json.loads(record.value or b"")) for record in records]


def source_of(row: dict[str, Any]) -> Source:
    return row["event_source"], row["event_epoch"]


def event_id(record: FleetRecord) -> tuple[bytes, ...]:
    found = dict(record.headers)
    return found["event_source"], found["event_epoch"], found["event_seq"]


def test_records_keep_their_contracts_and_have_no_other_keys() -> None:
    seen = Counter[tuple[str, str | None]]()
    for record in events(TOLD):
        row = json.loads(record.value or b"")
        which = record.kind, row.get("kind")
        model = MODELS[which]
        known = {field.alias or name for name, field in model.model_fields.items()}

        model.model_validate_json(record.value or b"", strict=True)

        assert row.keys() <= known
        seen[which] += 1
    assert seen.keys() == MODELS.keys()


def test_rows_have_the_keys_that_an_observer_writes() -> None:
    """Of what an observer's own test wrote down for all its languages; who the clients are differs."""
    vectors = json.loads((ROOT / "contracts/vectors/window_records.json").read_text())["records"]
    written: dict[tuple[str, Any, Any], set[str]] = defaultdict(set)
    for kind, row in rows(list(events(FLEET))):
        written[kind, row.get("kind"), row.get("api")] |= row.keys()

    compared = 0
    for vector in vectors:
        topic, row = vector["topic"], vector["record"]
        if topic in {"traffic", "seals"} and not row.get("overflowed"):
            assert row.keys() - {*IDENTITY_KEYS} <= written[topic, row.get("kind"), row.get("api")]
            compared += 1
    assert compared >= 6


def test_headers_say_what_the_value_says() -> None:
    for record in events(TOLD):
        row = json.loads(record.value or b"")
        said = {name: value.decode() for name, value in record.headers}

        assert (said["k8s_namespace"], said["k8s_pod"]) == tuple(row["event_source"].split("/")[:2])
        for name in ("schema", "event_source", "event_epoch", "event_seq"):
            assert said[name] == str(row[name])
        assert all(said[name] == row.get(name, said[name]) for name in ("reported_by", "cluster_id"))


def test_the_same_fleet_has_the_same_events_and_another_seed_others() -> None:
    faulty = replace(FLEET, faults=FAULTY)

    assert list(events(faulty)) == list(events(faulty))
    assert [one.value for one in events(faulty)] != [one.value for one in events(replace(faulty, seed=2))]


def test_old_clients_use_what_kafka_4_removed_and_all_else_is_the_same() -> None:
    plain, old = (rows(list(events(replace(FLEET, old_clients=share)))) for share in (0, 0.4))
    changed = Counter[str]()
    for (kind, before), (_, after) in zip(plain, old, strict=True):
        differing = {name for name in before if before[name] != after[name]}
        assert differing <= {"client_software_name", "client_software_version", "api_version"}
        if kind == "traffic" and "api_version" in differing:
            changed[after["api"]] += 1
            assert after["api"] in KNOWN_APIS
            gone = (after["api"], after["api_version"]) in dropped_by("4.0")
            assert gone is (after["api"] in {"Produce", "Fetch", "OffsetCommit"})
        assert (before.get("api"), before.get("api_version")) not in dropped_by("4.0")
    assert changed.keys() >= {"Produce", "Fetch", "OffsetCommit"}


def test_headers_keep_their_contract_and_are_sealed() -> None:
    fleet = replace(FLEET, headers=True)
    known = {field.alias or name for name, field in HeaderRow.model_fields.items()} | {"reported_by", "observer_mode"}
    count, sealed, seen = 0, 0, set()
    for record in events(fleet):
        row = json.loads(record.value or b"")
        if record.kind == "headers":
            HeaderRow.model_validate_json(record.value or b"", strict=True)
            assert row.keys() <= known
            seen.add((row["key"], row["side"], row["registered"]))
            count += 1
        elif record.kind == "seals" and row["topic"] == "headers":
            sealed += row["count"]
    # Of killed epochs the last window has no seal.
    assert 0.9 * count < sealed <= count
    assert {("charge.tag", "producer", True), ("x-debug", "consumer", False)} <= seen


def test_times_in_sketches_are_in_their_buckets() -> None:
    assert [bucket_of(time_us) for _, time_us in SKETCHED] == [bucket for bucket, _ in SKETCHED]


def test_a_fleet_of_a_year_begins_at_once() -> None:
    year = Fleet(clients=20, seconds=365 * 86_400)

    assert len(list(itertools.islice(events(year), 100))) == 100


def test_numbers_have_no_gap_but_those_of_totals_and_seals_count_them() -> None:
    numbers: dict[Source, list[int]] = defaultdict(list)
    of_topic: dict[tuple[Source, str], list[int]] = defaultdict(list)
    seals = []
    windows: dict[Source, set[int]] = defaultdict(set)
    for kind, row in rows(list(events(FLEET))):
        numbers[source_of(row)].append(row["event_seq"])
        of_topic[source_of(row), kind].append(row["event_seq"])
        if kind != "connections":
            windows[source_of(row)].add(row["window_start_ms"])
        if kind == "seals":
            seals.append(row)

    assert len(numbers) == FLEET.sources * FLEET.epochs
    for source, given in numbers.items():
        assert given == sorted(set(given))
        assert given[0] == 1
        assert given[-1] - len(given) == len(windows[source]) - 1, "a number of each window but the last is of totals"
    assert seals
    for seal in seals:
        of_it = [
            seq for seq in of_topic[source_of(seal), seal["topic"]] if seal["first_seq"] <= seq <= seal["last_seq"]
        ]
        assert (of_it[0], of_it[-1], len(of_it)) == (seal["first_seq"], seal["last_seq"], seal["count"])


def test_every_other_end_of_an_epoch_is_a_kill_whose_window_is_not_sealed() -> None:
    sealed: dict[Source, set[int]] = defaultdict(set)
    seen: dict[Source, set[int]] = defaultdict(set)
    for kind, row in rows(list(events(FLEET))):
        if kind == "seals" and row["topic"] == "traffic":
            sealed[source_of(row)].add(row["window_start_ms"])
        elif kind == "traffic":
            seen[source_of(row)].add(row["window_start_ms"])
    by_source: dict[str, list[int]] = defaultdict(list)
    for name, epoch in sorted(seen):
        by_source[name].append(epoch)

    for name, (first, second, third) in by_source.items():
        assert seen[name, first] == sealed[name, first]
        assert len(seen[name, second] - sealed[name, second]) <= 1
        assert seen[name, third] == sealed[name, third]
    assert any(seen[name, epochs[1]] - sealed[name, epochs[1]] for name, epochs in by_source.items())


def test_groups_read_what_was_written_each_record_once() -> None:
    ends: Counter[tuple[str, int]] = Counter()
    read: dict[tuple[str, str, int], list[tuple[int, int]]] = defaultdict(list)
    whole = replace(FLEET, epochs=1)
    for _, row in rows(list(events(whole))):
        if row.get("kind") != "partition" or "first_offset" not in row:
            continue
        assert row["records"] == row["last_offset"] - row["first_offset"] + 1
        if row["api"] == "Fetch":
            read[row["group_id"], row["topic_id"], row["partition"]].append((row["first_offset"], row["last_offset"]))
        else:
            at = row["topic_id"], row["partition"]
            ends[at] = max(ends[at], row["last_offset"] + 1)

    assert read
    for (_, topic, partition), ranges in read.items():
        assert ranges[0][0] == 0
        assert all(before[1] + 1 == after[0] for before, after in itertools.pairwise(ranges))
        if (topic, partition) in ends:  # acks=0 has no offsets
            assert ranges[-1][1] >= 0


def test_each_fault_is_there_in_its_share_and_is_what_it_says() -> None:
    fleet = replace(FLEET, clients=200, faults=FAULTY)
    found = list(events(fleet))
    good = [record for record in found if record.fault != "corrupt"]
    shares = Counter(record.fault for record in found)

    assert {fault for fault in shares if fault} == {
        "late", "duplicate", "reordered", "corrupt", "too_old", "from_the_future",
    }  # fmt: skip
    assert shares["corrupt"] == pytest.approx(0.05 * len(found), rel=0.2)
    assert shares["late"] == pytest.approx(0.02 * len(found), rel=0.3)
    for record in good:
        ADAPTERS[record.kind].validate_json(record.value or b"")
    ids = Counter(event_id(record) for record in found)
    assert sum(ids.values()) - len(ids) == shares["duplicate"]
    assert max(ids.values()) == 2
    for record in good:
        row = json.loads(record.value or b"")
        if record.kind == "traffic":
            behind_ms = record.timestamp_ms - row["window_end_ms"]
            expected = {
                "late": range(10_000, 60_000),
                "duplicate": range(30_000),
                "too_old": range(8 * 86_400_000, 8 * 86_400_000 + 10_000),
                "from_the_future": range(-2 * 3_600_000, -2 * 3_600_000 + 10_000),
            }.get(record.fault, range(10_000))
            assert behind_ms in expected


def test_what_is_lost_is_counted_by_seals_and_what_is_dropped_is_told_by_them() -> None:
    fleet = Fleet(clients=200, seconds=60, sources=2, faults=Faults(lost=0.05, dropped=0.05))
    records = rows(list(events(fleet)))
    there: dict[tuple[Source, str], set[int]] = defaultdict(set)
    for kind, row in records:
        there[source_of(row), kind].add(row["event_seq"])
    counted = lost = dropped = 0
    for kind, seal in records:
        if kind == "seals":
            numbers = range(seal["first_seq"], seal["last_seq"] + 1)
            said = sum(seal["dropped"].values())
            assert seal["count"] + said == len(numbers)
            counted += seal["count"]
            lost += seal["count"] - len(there[source_of(seal), seal["topic"]].intersection(numbers))
            dropped += said

    assert lost == pytest.approx(0.05 * counted, rel=0.3)
    assert dropped == pytest.approx(0.05 * counted, rel=0.3)


@pytest.mark.parametrize("kind", ["traffic", "connections", "seals"])
def test_each_way_to_be_corrupt_breaks_the_contract(kind: str) -> None:
    value = next(record.value for record in events(FLEET) if record.kind == kind) or b""
    ADAPTERS[kind].validate_json(value)

    for corrupt in CORRUPTIONS:
        with pytest.raises(ValidationError):
            ADAPTERS[kind].validate_json(corrupt(value) or b"")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"clients": 0}, "clients is 0: it must be 1 or more"),
        ({"seconds": 15}, "15 seconds are no whole number of windows of 10 seconds"),
        ({"start_ms": 5}, "start_ms is 5: it must be a multiple of a window's 10000 ms"),
        ({"epochs": 99}, "99 epochs do not fit into 6 windows"),
        ({"cluster_id": ""}, "1 to 64 printable characters"),
        ({"old_clients": 1.1}, "the share old_clients is 1.1: it must be from 0 to 1"),
    ],
)
def test_a_fleet_that_cannot_be_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Fleet(**wrong)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"late": 1.5}, "the share late is 1.5: it must be from 0 to 1"),
        ({"late": 0.7, "lost": 0.7}, "the shares of faults are 1.4 together"),
        ({"late_windows": 0}, "late_windows is 0: it must be 1 or more"),
    ],
)
def test_shares_that_cannot_be_are_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Faults(**wrong)


def test_groups_that_skip_pass_over_records_and_all_else_is_the_same() -> None:
    """What each group was to read begins where its last fetch ended, but for a share of them."""
    calm, hasty = list(events(FLEET)), list(events(replace(FLEET, skips=0.2)))
    jumps = 0
    ends: dict[tuple[str, str, int], int] = {}
    for before, after in zip(rows(calm), rows(hasty), strict=True):
        if before[1].get("api") != "Fetch" or before[1]["kind"] != "partition":
            assert before == after
            continue
        row = after[1]
        assert row["last_offset"] == before[1]["last_offset"]
        jumps += row["first_offset"] > before[1]["first_offset"]
        place = row["group_id"], row["topic"], row["partition"]
        assert row["first_offset"] >= ends.get(place, 0)
        ends[place] = row["last_offset"] + 1

    assert jumps > 20
    with pytest.raises(ValueError, match="the share skips is 2"):
        Fleet(skips=2)


def test_clients_push_what_can_be_read_and_change_nothing_else() -> None:
    pushing = replace(FLEET, push_s=60)
    found = list(events(pushing))
    pushes = [one for one in found if one.kind == "telemetry"]

    assert [one for one in found if one.kind != "telemetry"] == list(events(FLEET))
    assert [one.timestamp_ms for one in found] == sorted(one.timestamp_ms for one in found)
    assert len(pushes) == FLEET.clients * FLEET.seconds // 60
    numbers = [(one.headers[1], one.headers[2], one.headers[3]) for one in pushes]
    assert len(set(numbers)) == len(numbers)
    for one in pushes:
        push = read_push(one.value or b"")
        assert (push.outcome, push.left_out, push.without_value, push.unusable) == (0, 0, 0, 0)
        assert len(push.points) == 5
        assert {point["shape"] for point in push.points} == {"gauge", "counter"}
        assert dict(one.headers)["client_instance_id"] == one.key
