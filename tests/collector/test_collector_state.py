"""What a replica remembers after a kill is what it remembered before, whenever the kill comes."""

from __future__ import annotations

import dataclasses
import gzip
import json
import resource
import struct
import zlib
from pathlib import Path

import pytest

from kwitness.collector.events import Event
from kwitness.collector.prometheus.accumulate import PythonCore
from kwitness.collector.state import snapshot
from kwitness.collector.state.collector_state import CollectorState

from tests.collector.collector_process import parse, value
from tests.collector.collector_samples import CREATION_SERIES, counter_push
from tests.collector.core_exposition import NO_ZEROS


def state(folder: Path, max_series: int = 100) -> CollectorState:
    """Begin as a process does: with what the one before it left."""
    one = CollectorState(folder, lambda: PythonCore(("client_id",), max_series), 3)
    one.load()
    one.save()
    return one


def push(seq: int, amount: int) -> Event:
    identity = {"cluster_id": "c", "client_id": "orders", "client_instance_id": "i"}
    return Event("c/1", 1, seq, 0, identity, counter_push(amount), push_interval_ms=1_000)


def knows(one: CollectorState, seq: int) -> bool:
    return seq in one.seen.window("c/1", 1)


def total(one: CollectorState) -> float | None:
    return value(parse(b"".join(one.core.render(NO_ZEROS, openmetrics=False)).decode()), CREATION_SERIES)


def test_what_was_begun_anew_does_not_come_back_after_a_kill(tmp_path: Path) -> None:
    live = state(tmp_path)
    live.journal_and_apply([push(1, 1_000)], 0)
    live.renew_core()
    live.journal_and_apply([push(2, 3)], 0)

    killed = state(tmp_path)

    assert total(live) == total(killed) == 3


def test_a_client_that_left_and_came_back_begins_anew_after_a_kill_as_it_did_before(tmp_path: Path) -> None:
    live = state(tmp_path)
    live.journal_and_apply([push(1, 1_000)], 10_000)
    live.expire(60_000)
    live.journal_and_apply([push(2, 3)], 90_000)

    killed = state(tmp_path)

    assert total(live) == total(killed) == 3


def test_clients_leave_though_the_clock_was_set_back(tmp_path: Path) -> None:
    one = state(tmp_path)
    one.expire(10**9)
    one.journal_and_apply([push(1, 1)], 0)

    one.expire(60_000)

    assert len(one.clients) == 0


def test_a_torn_journal_keeps_its_intact_part(tmp_path: Path) -> None:
    live = state(tmp_path)
    for seq in (1, 2, 3):
        live.journal_and_apply([push(seq, 1)], 0)
    [journal] = tmp_path.glob("journal-*")
    journal.write_bytes(journal.read_bytes()[:-7])

    killed = state(tmp_path)

    assert [knows(killed, seq) for seq in (1, 2, 3)] == [True, True, False]
    killed.journal_and_apply([push(3, 1)], 0)
    assert total(killed) == 3


def test_a_missing_journal_is_counted_and_those_after_it_are_read(tmp_path: Path) -> None:
    state(tmp_path).journal_and_apply([push(1, 1)], 0)
    [journal] = tmp_path.glob("journal-*")
    # As when the disk was full twice: the journal after the snapshot's is there, that one itself is not.
    journal.rename(tmp_path / f"journal-{int(journal.name.removeprefix('journal-')) + 2}")

    killed = state(tmp_path)

    assert killed.parser_errors == {"journal_missing": 2}
    assert knows(killed, 1)


def test_without_a_snapshot_nobody_knows_the_first_journal_and_all_there_are_are_read(tmp_path: Path) -> None:
    state(tmp_path).journal_and_apply([push(1, 1)], 0)
    (tmp_path / "state.jsonl.gz").unlink()

    killed = state(tmp_path)

    assert killed.parser_errors == {}
    assert knows(killed, 1)


def test_a_disk_that_is_full_in_the_middle_of_an_entry_keeps_what_was_written_and_counts_the_rest(
    tmp_path: Path,
) -> None:
    live = state(tmp_path)
    least, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The journal's own limit, as a disk that fills up while it is written.
    resource.setrlimit(resource.RLIMIT_FSIZE, (800, most))
    try:
        for seq in range(1, 10):
            live.journal_and_apply([push(seq, 1)], 0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))

    killed = state(tmp_path)

    lost = [seq for seq in range(1, 10) if not knows(killed, seq)]
    assert 0 < len(lost) < 9
    assert live.parser_errors == {"journal": len(lost)}
    killed.journal_and_apply([push(seq, 1) for seq in lost], 0)
    assert total(killed) == 9


def rewritten(folder: Path, schema: str) -> None:
    path = folder / "state.jsonl.gz"
    rows = gzip.decompress(path.read_bytes()).split(b"\n", 1)[1]
    path.write_bytes(gzip.compress(json.dumps(["begin", schema]).encode() + b"\n" + rows))


def test_state_of_the_version_before_gives_its_numbers_and_not_its_clients(tmp_path: Path) -> None:
    live = state(tmp_path)
    live.journal_and_apply([push(1, 1)], 0)
    live.close()
    rewritten(tmp_path, f"kwitness.collector-state/{snapshot.FORMAT - 1}")

    upgraded = state(tmp_path)

    assert upgraded.parser_errors == {"state_format": 1}
    assert knows(upgraded, 1)
    assert (len(upgraded.clients), total(upgraded)) == (0, None)


def test_state_of_a_later_version_is_counted_and_left_out(tmp_path: Path) -> None:
    live = state(tmp_path)
    live.journal_and_apply([push(1, 1)], 0)
    live.close()
    rewritten(tmp_path, f"kwitness.collector-state/{snapshot.FORMAT + 1}")

    downgraded = state(tmp_path)

    assert downgraded.parser_errors == {"state_format": 1}
    assert not knows(downgraded, 1)


@pytest.mark.parametrize(("head", "known", "errors"), [(None, True, {}), ({"format": 3}, False, {"state_format": 1})])
def test_a_journal_of_the_first_version_is_read_and_one_of_a_later_one_counted(
    tmp_path: Path, head: dict[str, int] | None, known: bool, errors: dict[str, int]
) -> None:
    state(tmp_path).journal_and_apply([push(1, 1)], 0)
    [path] = tmp_path.glob("journal-*")
    content = path.read_bytes()
    [size] = struct.unpack(">I", content[:4])
    assert json.loads(content[8 : 8 + size]) == {"format": 2}
    body = b"" if head is None else json.dumps(head).encode() + b"\n"
    first = struct.pack(">II", len(body), zlib.crc32(body)) + body if body else b""
    path.write_bytes(first + content[8 + size :])

    begun = state(tmp_path)

    assert (knows(begun, 1), begun.parser_errors) == (known, errors)


def test_a_part_of_an_export_is_recognised_after_a_kill_for_five_minutes(tmp_path: Path) -> None:
    part = dataclasses.replace(push(1, 5), content="digest")
    state(tmp_path).journal_and_apply([part], 1_000)

    killed = state(tmp_path)

    assert killed.contents.claim([dataclasses.replace(part, seq=2)]) == []
    killed.save()
    saved = state(tmp_path)
    saved.contents.expire(1_000 + 299_999)
    assert len(saved.contents) == 1
    saved.contents.expire(1_000 + 300_000)
    assert saved.contents.claim([part]) == [part]
