"""The plugin in programs on three releases of librdkafka, before its mock broker: no JVM, no broker."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
import sys
from typing import Any, Final

import pytest

from kwitness.contracts.envelopes import Directives
from kwitness.contracts.identity_hashing import identity_hash
from kwitness.contracts.interceptor_settings import OFF_VARIABLE, POD_NAMESPACE_VARIABLE
from kwitness.contracts.observer_settings import settings_hash
from kwitness.contracts.records.distinct_keys import DistinctKeys
from kwitness.sandbox.waiting import communicate

from tests.eventually import eventually
from tests.interceptors_librdkafka.interceptors_server import InterceptorsServer
from tests.interceptors_librdkafka.plugin_library import PROGRAMS, RELEASES, Intercepted, said

pytestmark = pytest.mark.slow

RECORDS: Final = 500


def offsets(rows: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """Every place of the rows' ranges, as often as it is in one."""
    found = []
    for row in rows:
        for partition in row.get("partitions", ()):
            assert "offset_ranges_merged" not in partition
            for part in partition.get("offset_ranges", ()):
                found += [(partition["partition"], offset) for offset in range(part["first"], part["last"] + 1)]
    return sorted(found)


@pytest.mark.parametrize("release", RELEASES)
def test_what_is_reported_is_what_the_program_says_of_itself(
    intercepted: Intercepted, collector: InterceptorsServer, release: str
) -> None:
    program = intercepted.run("both_sides", str(RECORDS), lock=release)

    producer, consumer = {"client_id": "orders-writer", "side": "producer"}, {"group_id": "billing", "side": "consumer"}
    assert program["refused"] == "MSG_SIZE_TOO_LARGE"  # of which no hook is told
    assert collector.total("sent", **producer) == program["sent"]
    assert collector.total("acknowledged", **producer) == len(program["acknowledged"]) == program["sent"]
    assert offsets(collector.of_kind("topic", **producer)) == [tuple(place) for place in program["acknowledged"]]
    assert collector.total("consumed", **consumer) == len(program["consumed"])
    assert offsets(collector.of_kind("topic", **consumer)) == [tuple(place) for place in program["consumed"]]
    assert collector.total("commits", **consumer) == program["committed"] > 0
    assert collector.total("key_bytes", **producer) == collector.total("key_bytes", **consumer) == RECORDS * 5
    assert {row["topic"] for row in collector.of_kind("topic")} == {"orders"}


@pytest.mark.parametrize("release", RELEASES)
def test_times_sizes_and_keys_are_counted_once_for_each_record(
    intercepted: Intercepted, collector: InterceptorsServer, release: str
) -> None:
    program = intercepted.run("both_sides", str(RECORDS), lock=release)

    def counted(sketch: str, side: str) -> int:
        rows = collector.of_kind("topic", side=side)
        return sum(sum(row[sketch]["buckets"].values()) for row in rows if sketch in row)

    late = sum(sum(row.get("anomalies", {}).values()) for row in collector.of_kind("topic", side="consumer"))
    assert counted("acknowledgement_time", "producer") == program["sent"]
    assert counted("record_sizes", "producer") == program["sent"]
    assert counted("end_to_end_latency", "consumer") + late == len(program["consumed"])
    keys = collector.of_kind("keys", side="producer")
    assert sum(row["records"] for row in keys if "records" in row) == RECORDS
    assert sum(row.get("keyless", 0) for row in keys) == 1
    expected = DistinctKeys(f"key {number}".encode() for number in range(10))
    images = [base64.b64decode(row["sketch"]) for row in keys if row["sketch"]]
    united = bytes(map(max, *(image[40:] for image in [*images, bytes(len(images[0]))])))
    assert united == expected.image()[40:]


def test_values_that_are_hashed_are_in_nothing_that_is_sent(
    intercepted: Intercepted, collector: InterceptorsServer
) -> None:
    key = intercepted.settings.with_name("key")
    key.write_bytes(b"a key of sixteen")
    identity = {"drop": ["group_id"], "hash": ["client_id"], "key_file": str(key)}
    intercepted.tell(collector.url, identity=identity)
    intercepted.run("both_sides", "50")

    sent = json.dumps([*collector.rows, *(head.model_dump(mode="json") for head in collector.heads)])
    assert "orders-writer" not in sent
    assert "billing" not in sent
    assert "a key of sixteen" not in sent
    assert collector.total("sent", client_id=identity_hash(b"a key of sixteen", "client_id", "orders-writer")) > 0
    assert not collector.heads[-1].state.lacks_identity_key


def test_rows_are_sealed_the_ledger_closes_and_the_last_word_is_said(
    intercepted: Intercepted, collector: InterceptorsServer
) -> None:
    intercepted.run("both_sides", "50")

    rows = [row for row in collector.rows if "kind" in row]
    seals = [row for row in collector.rows if row["schema"] == "kwitness.seals/1"]
    numbers = {row["event_seq"] for row in rows}
    sealed = [set(range(seal["first_seq"], seal["last_seq"] + 1)) & numbers for seal in seals]
    assert set().union(*sealed) == numbers
    assert [len(part) for part in sealed] == [seal["count"] for seal in seals]
    last = collector.heads[-1]
    assert last.state.ended
    ledger = last.state.ledger
    assert ledger.accepted == ledger.delivered + ledger.queued + sum(ledger.dropped.values())
    assert (last.runtime, last.profile.name, last.source) == ("librdkafka", "orders", f"shop/orders-1/{last.reporter}")


def test_hooks_that_were_called_are_reported_with_their_time(
    intercepted: Intercepted, collector: InterceptorsServer
) -> None:
    program = intercepted.run("both_sides", str(RECORDS))

    hooks = [hook for row in collector.of_kind("client") for hook in row["hooks"]]
    calls = {name: sum(hook["calls"] for hook in hooks if hook["hook"] == name) for name in ("on_send", "on_consume")}
    assert calls == {"on_send": program["sent"], "on_consume": len(program["consumed"])}
    assert all(hook["errors"] == 0 for hook in hooks)
    assert sum(hook["time_ns"] for hook in hooks) > 0


def test_records_that_no_broker_takes_are_failures_by_reason(
    intercepted: Intercepted, collector: InterceptorsServer
) -> None:
    program = intercepted.run("no_broker", "2")

    failures = [row["failures"] for row in collector.of_kind("topic") if "failures" in row]
    assert program["failed"] == ["_MSG_TIMED_OUT"] * 2
    assert sum(row["timed_out"] for row in failures) == 2


def test_debians_kcat_needs_one_setting(intercepted: Intercepted, collector: InterceptorsServer, kcat: str) -> None:
    mock = ["-b", "ignored", "-X", "test.mock.num.brokers=1"]
    process = intercepted.start([kcat, "-P", "-t", "orders", *mock, "-X", f"plugin.library.paths={intercepted.plugin}"])
    _, errors = communicate(process, "".join(f"{number}\n" for number in range(100)))

    assert process.returncode == 0, errors
    assert collector.total("acknowledged", topic="orders") == 100


def test_the_settings_file_may_be_named_by_a_property(
    intercepted: Intercepted, collector: InterceptorsServer, kcat: str
) -> None:
    mock = ["-b", "ignored", "-X", "test.mock.num.brokers=1", "-X", f"kwitness.interceptors={intercepted.settings}"]
    command = [kcat, "-P", "-t", "orders", "-X", f"plugin.library.paths={intercepted.plugin}", *mock]
    process = intercepted.start(command, KWITNESS_INTERCEPTORS="")
    _, errors = communicate(process, "one\n")

    assert process.returncode == 0, errors
    assert collector.total("sent") == 1


def test_it_survives_being_unloaded_with_every_configuration(
    intercepted: Intercepted, collector: InterceptorsServer
) -> None:
    program = intercepted.run("many_clients", "20")

    assert collector.total("acknowledged") == program["acknowledged"] == 20
    assert len({row["instance"] for row in collector.of_kind("topic")}) == 20


def test_a_child_reports_for_itself_and_its_parent_goes_on(
    intercepted: Intercepted, collector: InterceptorsServer
) -> None:
    program = intercepted.run("forks", "50")

    assert collector.total("acknowledged", client_id="parent") == program["parent"]
    assert collector.total("acknowledged", client_id="child") == program["child"]
    reporters = {head.reporter: head.process_id for head in collector.heads}
    assert len(reporters) == len(set(reporters.values())) == 2


def test_share_consumers_are_left_alone_and_counted(intercepted: Intercepted, collector: InterceptorsServer) -> None:
    program = intercepted.run("share_consumer")

    left_alone = collector.heads[-1].state.not_intercepted
    assert left_alone == ({"share_group": 1} if program["made"] else {})
    assert collector.total("acknowledged") == 1


@pytest.mark.parametrize("variables", [{OFF_VARIABLE: "1"}, {POD_NAMESPACE_VARIABLE: ""}])
def test_a_program_that_is_switched_off_or_in_no_pod_reports_nothing(
    intercepted: Intercepted, collector: InterceptorsServer, variables: dict[str, str]
) -> None:
    program = intercepted.run("both_sides", "50", **variables)

    assert len(program["acknowledged"]) == 51
    assert (collector.heads, collector.rows) == ([], [])


@pytest.mark.parametrize("text", ["", "{", '{"suspend": false}'])
def test_a_program_with_a_broken_settings_file_goes_on(
    intercepted: Intercepted, collector: InterceptorsServer, text: str
) -> None:
    intercepted.settings.write_text(text)

    program = intercepted.run("both_sides", "50")

    assert len(program["acknowledged"]) == 51
    assert collector.heads == []


def test_a_program_goes_on_where_nobody_takes_what_is_reported(intercepted: Intercepted) -> None:
    intercepted.tell("http://127.0.0.1:1")

    program = intercepted.run("both_sides", str(RECORDS))

    assert len(program["acknowledged"]) == program["sent"]


def test_a_program_goes_on_where_the_collector_forbids_what_is_reported(
    intercepted: Intercepted, collector: InterceptorsServer
) -> None:
    collector.is_down, collector.status_when_down = True, 403

    program = intercepted.run("both_sides", str(RECORDS))

    assert len(program["acknowledged"]) == program["sent"]


def test_what_waits_is_sent_when_the_collector_is_back(intercepted: Intercepted, collector: InterceptorsServer) -> None:
    collector.is_down = True
    process = waiting(intercepted)
    send(process)

    collector.is_down = False

    eventually(lambda: collector.total("acknowledged"), lambda sum_: sum_ == 1)
    said(process)


def test_suspend_acts_while_the_program_runs_and_so_does_its_end(
    intercepted: Intercepted, collector: InterceptorsServer
) -> None:
    process = waiting(intercepted)
    send(process)
    eventually(lambda: collector.total("acknowledged"), lambda sum_: sum_ == 1)

    collector.directives = Directives(settings="of a file that has not come yet", suspend=True)
    eventually(lambda: collector.heads[-1].state.suspended)
    send(process)
    # Once the settings that a directive is from are in force, they alone count.
    collector.directives = Directives(settings=settings_hash(intercepted.settings.read_text()), suspend=True)
    eventually(lambda: not collector.heads[-1].state.suspended)
    send(process)
    said(process)

    assert collector.total("acknowledged") == 2


def test_what_was_counted_by_the_settings_before_is_reported_as_theirs(
    intercepted: Intercepted, collector: InterceptorsServer
) -> None:
    before, after = {"team": "shop"}, {"team": "billing"}
    intercepted.tell(collector.url, attributes=before)
    process = waiting(intercepted)
    send(process)

    intercepted.tell(collector.url, attributes=after)
    eventually(lambda: collector.total("acknowledged"), lambda sum_: sum_ == 1)
    send(process)
    said(process)

    assert collector.total("acknowledged", attributes=before) == collector.total("acknowledged", attributes=after) == 1


def test_a_killed_program_says_no_last_word(intercepted: Intercepted, collector: InterceptorsServer) -> None:
    process = waiting(intercepted)
    send(process)
    eventually(lambda: collector.total("acknowledged"), lambda sum_: sum_ == 1)

    process.send_signal(signal.SIGKILL)
    process.communicate()

    assert not collector.heads[-1].state.ended


def test_statistics_do_not_wait_for_a_program_that_never_polls(
    intercepted: Intercepted, collector: InterceptorsServer
) -> None:
    process = intercepted.start([sys.executable, PROGRAMS / "never_polls.py", intercepted.plugin])

    def lengths() -> list[int]:
        rows = [row["statistics"] for row in collector.of_kind("client") if row.get("statistics")]
        return [row["queued_records"] for row in rows]

    eventually(lengths, lambda seen: seen[-3:] == [0, 0, 0])
    assert said(process) == 0


def test_topics_that_are_not_selected_are_not_counted(intercepted: Intercepted, collector: InterceptorsServer) -> None:
    intercepted.tell(collector.url, topics=["payments", "audit-*"])

    intercepted.run("both_sides", "50")

    assert collector.of_kind("topic") == []
    assert collector.heads[-1].state.ended


def test_the_token_is_in_nothing_that_is_written(intercepted: Intercepted, collector: InterceptorsServer) -> None:
    collector.is_down = True
    process = waiting(intercepted)
    send(process)
    out, errors = communicate(process)

    assert "secret-token" not in out + errors


def waiting(intercepted: Intercepted) -> subprocess.Popen[str]:
    """A program that produces when it is told to."""
    return intercepted.start([sys.executable, PROGRAMS / "waits.py", intercepted.plugin])


def send(process: subprocess.Popen[str]) -> None:
    """Have it produce one record, and wait until that is acknowledged."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("key\n")
    process.stdin.flush()
    assert process.stdout.readline() == "sent\n"
