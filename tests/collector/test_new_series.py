"""New counters are 0 for two scrape intervals, also where the page is read meanwhile (docs/decisions/0133)."""

from __future__ import annotations

import json
import socket
import struct
import time
import zlib
from pathlib import Path

import pytest

from kwitness.collector.core import Arrival, ZeroPeriod
from kwitness.collector.events import Event
from kwitness.collector.prometheus.accumulate import PythonCore
from kwitness.collector.state.collector_state import CollectorState

from tests.collector.collector_process import CollectorProcess, parse, value
from tests.collector.collector_samples import CREATION_SERIES, batch, counter_push, histogram_push, push
from tests.collector.conftest import Start
from tests.collector.core_exposition import WHO, core, scrape
from tests.collector.event_samples import request, totals
from tests.eventually import eventually

HOUR_MS = 3_600_000
NOW_MS = 10**12
RECORDS = "kafka_client_records_total"


def cut_scrape(collector: CollectorProcess) -> None:
    """Request the page, and reset the connection once its first byte is there."""
    with socket.create_connection(("127.0.0.1", collector.metrics_port)) as connection:
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        connection.recv(1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def test_scrapes_that_are_cut_or_read_beside_prometheus_end_no_zeros(start: Start) -> None:
    collector = start(config={"prometheus": {"scrape_interval_ms": HOUR_MS}})
    collector.push(batch([push(1, counter_push(500))]))
    collector.observe(request(totals=[totals(1, 7)]))

    cut_scrape(collector)
    for _ in range(2):
        page = collector.scrape()
        assert [sum(page[name].values()) for name in (CREATION_SERIES, RECORDS)] == [0, 0]

    collector.write_config(prometheus={"scrape_interval_ms": 0})
    eventually(lambda: (collector.value(CREATION_SERIES), collector.value(RECORDS)), lambda found: found == (500, 7))


def test_a_restart_keeps_the_age_of_series(start: Start) -> None:
    collector = start(config={"prometheus": {"scrape_interval_ms": HOUR_MS}})
    collector.push(batch([push(1, counter_push(500))]))
    pushed = time.monotonic()
    collector.kill()
    collector.start()
    assert collector.value(CREATION_SERIES) == 0

    time.sleep(1)
    age_ms = int((time.monotonic() - pushed) * 1000)
    collector.stop()
    collector.write_config(prometheus={"scrape_interval_ms": age_ms // 2})
    collector.start()

    assert collector.value(CREATION_SERIES) == 500


def state(folder: Path) -> CollectorState:
    one = CollectorState(folder, lambda: PythonCore(("client_id",), 100), 3)
    one.scrape_interval_ms = 30_000
    return one


def event(seq: int, amount: int) -> Event:
    return Event("c/1", 1, seq, 0, {"client_id": "orders"}, counter_push(amount), push_interval_ms=1_000)


def exposed(one: CollectorState, now_ms: int) -> float | None:
    page = b"".join(one.core.render(one.zeros(now_ms), openmetrics=False))
    return value(parse(page.decode()), CREATION_SERIES)


@pytest.mark.parametrize("step_ms", [-7_200_000, 7_200_000])
def test_a_series_stays_as_old_as_it_is_when_the_clock_is_set(tmp_path: Path, step_ms: int) -> None:
    one, now_ms, steps = state(tmp_path), 10**12, [step_ms]
    one.journal_and_apply([event(1, 5)], now_ms)
    one.clock_step_ms = lambda: steps.pop() if steps else 0

    one.expire(now_ms + step_ms)

    assert [exposed(one, now_ms + step_ms + age_ms) for age_ms in (0, 59_999, 60_000)] == [0, 0, 5]


def test_a_series_from_the_future_is_old_because_the_clock_was_set_back_while_nothing_ran() -> None:
    before, after = core(), core()
    before.apply("a", WHO, counter_push(5), arrival=Arrival(10**12, None, 0))
    now_ms = 10**12 - 7_200_000

    after.load(before.dump(), now_ms)

    for later_ms in (0, 7_200_000):
        assert value(parse(scrape(after, ZeroPeriod(now_ms + later_ms, 60_000))), CREATION_SERIES) == 5


def test_a_series_under_a_label_that_is_known_later_is_new() -> None:
    one = core(labels=("client_id", "group_member_id"))
    one.apply("a", WHO, counter_push(5), arrival=Arrival(0, None, 0))

    one.relabel("a", {**WHO, "group_member_id": "m"}, 100_000)
    one.apply("a", WHO, counter_push(2), arrival=Arrival(100_000, None, 0))

    page = parse(scrape(one, ZeroPeriod(100_000, 60_000)))
    assert sorted(page[CREATION_SERIES].values()) == [0, 5]


def test_marks_of_scrapes_in_the_state_of_an_earlier_version_say_what_is_new() -> None:
    """Of counters a mark said whether a scrape had seen them; those that none had seen are new at the start."""
    before, after = core(), core()
    for client in ("seen", "unseen"):
        before.apply(client, {"cluster_id": "c", "client_id": client}, counter_push(5))
        before.apply(client, {"cluster_id": "c", "client_id": client}, histogram_push((1, 2, 3), 9.0))
    rows = [json.loads(json.dumps(row)) for row in before.dump()]
    assert rows[0][1] == 5
    rows[0][1] = 3
    for row in rows:
        if row[0] == "series":
            row[-1] = 'client_id="seen"' in row[2]

    after.load(rows, NOW_MS)

    for now_ms, expected in ((NOW_MS, {"seen": 5, "unseen": 0}), (NOW_MS + 60_000, {"seen": 5, "unseen": 5})):
        page = parse(scrape(after, ZeroPeriod(now_ms, 60_000)))
        assert {dict(labels)["client_id"]: total for labels, total in page[CREATION_SERIES].items()} == expected


def test_the_journal_of_an_earlier_version_is_read_over_its_scrapes(tmp_path: Path) -> None:
    live = state(tmp_path)
    live.load()
    live.save()
    now_ms = time.time_ns() // 1_000_000
    live.journal_and_apply([event(1, 5)], now_ms)
    [journal] = tmp_path.glob("journal-*")
    scraped = json.dumps([now_ms]).encode() + b"\n"
    with journal.open("ab") as file:
        file.write(struct.pack(">II", len(scraped), zlib.crc32(scraped)) + scraped)
    live.journal_and_apply([event(2, 2)], now_ms)

    killed = state(tmp_path)
    killed.load()

    assert [exposed(killed, now_ms + age_ms) for age_ms in (0, 60_000)] == [0, 7]
