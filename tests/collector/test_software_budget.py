"""Names and versions are whatever clients say: so many are told apart, and the rest is other."""

from __future__ import annotations

from collections.abc import Callable

from kwitness.collector.inventory.observers import MAX_LISTENERS, Observers
from kwitness.collector.inventory.software import (
    MAX_SOFTWARE,
    REPLACEABLE_AFTER_MS,
    SoftwareKey,
    SoftwareTable,
)
from kwitness.contracts.envelopes import EventsHead
from kwitness.contracts.software import OTHER

from tests.collector.collector_process import SIDECAR, CollectorProcess
from tests.collector.collector_samples import CLUSTER, gauges
from tests.collector.event_samples import connections, head, of_sidecar, request

Start = Callable[..., CollectorProcess]
GAUGE = "kafka_client_connections"


def of_strangers(number: int) -> list[SoftwareKey]:
    return [("c", f"made-up-{one}", "1.0") for one in range(number)]


def record(table: SoftwareTable, keys: list[SoftwareKey], at: int = 0, *, by_broker: bool = False) -> None:
    for key in keys:
        table.record(key, at, by_broker=by_broker)


def test_a_pod_that_makes_up_thousands_of_names_takes_half_of_the_room_and_hides_nobody(start: Start) -> None:
    collector = start()
    collector.observe(request(connections=connections(2)))
    collector.post("/v1/gauges", gauges({("librdkafka", "2.5.0"): 3}))
    made_up = [one for number in range(2_000) for one in connections(1, f"made-up-{number}", "1.0")]

    for _ in range(2):
        answer = collector.observe(request(connections=made_up, **of_sidecar()), token=SIDECAR)
        assert answer.status == 200
    collector.post("/v1/gauges", gauges({("librdkafka", "2.5.1"): 4}))

    samples = collector.scrape()[GAUGE]
    assert len(samples) <= MAX_SOFTWARE // 2 + 3
    assert sum(samples.values()) == 2_000 + 2 + 4
    assert collector.value(GAUGE, client_software_name="apache-kafka-java", source="observer") == 2
    assert collector.value(GAUGE, client_software_name="librdkafka", client_software_version="2.5.1") == 4
    assert collector.value(GAUGE, client_software_name=OTHER) == 2_000 - MAX_SOFTWARE // 2 + 1
    assert (collector.value("kwitness_series_overflow_total", reason="software") or 0) > 0
    state = collector.get(f"/v1/clusters/{CLUSTER}").body
    assert len(state["software"]) <= MAX_SOFTWARE // 2 + 3
    for observer in state["observers"]:
        assert len(observer["software"]) <= MAX_SOFTWARE // 2 + 1


def test_listeners_that_an_observer_makes_up_are_bounded_too() -> None:
    made_up = [{**one, "listener": f"L{number}"} for number in range(1_000) for one in connections(1)]
    observers = Observers()
    observers.record(EventsHead.model_validate(head(connections=made_up)), 0)

    totals = observers.connections(0, lambda software: software)

    assert len(totals) == MAX_LISTENERS + 1
    assert totals[CLUSTER, OTHER, "apache-kafka-java", "4.3.1"] == 1_000 - MAX_LISTENERS


def test_what_has_no_room_is_other_and_counted_until_something_was_away_for_an_hour() -> None:
    table = SoftwareTable(most=8)
    old, new = ("c", "made-up-0", "1.0"), ("c", "made-up-4", "1.0")
    record(table, of_strangers(4))

    record(table, [new])
    assert (table.shown(new), table.shown(old), table.overflowed) == (("c", OTHER, OTHER), old, 1)

    record(table, of_strangers(4)[1:], REPLACEABLE_AFTER_MS)
    record(table, [new], REPLACEABLE_AFTER_MS)
    assert (table.shown(new), table.shown(old)) == (new, ("c", OTHER, OTHER))


def test_half_of_the_room_is_for_what_brokers_report_under_known_names() -> None:
    table = SoftwareTable(most=8)
    record(table, of_strangers(9), by_broker=True)
    known = [("c", "librdkafka", f"1.{minor}.0") for minor in range(9)]

    record(table, known)
    assert {table.shown(one) for one in known} == {("c", OTHER, OTHER)}

    record(table, known, by_broker=True)
    assert sum(table.shown(one) == one for one in known) == 3  # one place is that of the others
    assert len(table) == 8


AT_RISK = [("c", "librdkafka", "2.5.0"), ("c", "confluent-kafka-python", "2.5.1-rdkafka-2.5.1")]


def test_names_that_strangers_make_up_never_push_out_software_that_a_subscription_would_abort() -> None:
    table = SoftwareTable()
    record(table, AT_RISK, by_broker=True)

    for hours in range(1, 6):
        made_up = [
            ("c", f"made-up-{hours}-{one}", version) for one in range(4_000) for version in ("1.0", "2.5.0", "?")
        ]
        record(table, made_up, hours * REPLACEABLE_AFTER_MS + hours, by_broker=True)

    assert [table.shown(one) for one in AT_RISK] == AT_RISK
    assert len(table) < MAX_SOFTWARE


def test_of_software_at_risk_with_too_many_spellings_the_rest_is_remembered_without_a_version() -> None:
    table = SoftwareTable()
    spellings = [("c", "librdkafka", f"{one}-rdkafka-2.5.0") for one in range(3_000)]

    record(table, spellings)

    assert {table.shown(one) for one in spellings[-1_000:]} == {("c", "librdkafka", OTHER)}
    names = {key: memory.last_seen_ms for key, memory in table.items()}
    assert names["c", "librdkafka", OTHER] == 0


def test_software_at_risk_that_gave_way_is_still_remembered_as_such() -> None:
    table = SoftwareTable(most=20)
    record(table, [("c", f"made-up-{one}", "2.5.0") for one in range(14)])  # four have rows of their own
    record(table, [("c", f"later-{one}", "1.0") for one in range(10)], REPLACEABLE_AFTER_MS)

    assert dict(table.items())["c", OTHER, OTHER].last_seen_ms == 0


def test_a_state_file_brings_back_software_at_risk_whatever_stands_before_it() -> None:
    before, after = SoftwareTable(most=10), SoftwareTable(most=10)
    record(before, of_strangers(4))
    record(before, AT_RISK)

    after.load([["software", *key, 1, 2] for key in of_strangers(50)] + [list(row) for row in before.dump()])

    assert [after.shown(one) for one in AT_RISK] == AT_RISK


def test_a_name_longer_than_a_label_and_another_cluster_take_no_room() -> None:
    table = SoftwareTable(most=2)
    long = ("c", "x" * 200, "1")

    record(table, [long, ("d", "sarama", "1.40")])

    assert (table.shown(long), table.shown(("d", "sarama", "1.40"))) == (("c", OTHER, OTHER), ("d", "sarama", "1.40"))


def test_what_a_state_file_has_beyond_the_budget_is_left_out() -> None:
    table = SoftwareTable(most=4)

    table.load([["software", *key, 1, 2] for key in of_strangers(50)])

    assert len(table) == 5
