"""`connections`: what is open at observers, listed on demand."""

from __future__ import annotations

import json

import pytest

from tests.cli.clients.answers import answers_connections, connection, listing, parameters_of
from tests.cli.clients.conftest import lines
from tests.cli.reviewed_collector import ReviewedCollector
from tests.collector.collector_process import INTERCEPTOR, CollectorProcess
from tests.collector.event_samples import request, row
from tests.collector.interceptor_samples import interceptors_request, statistics

pytestmark = pytest.mark.slow


def test_connections_have_a_line_each(types, door) -> None:
    pod = {"k8s_namespace": "shop", "k8s_pod": "mail-0", "group_id": "mails", "principal": "User:mail"}
    answers_connections(door, connection("mail", **pod), connection(None, state="opaque", opaque="mutual_tls"))
    done = types("connections")

    assert (done.returncode, done.stderr) == (0, "")
    software, since = ["librdkafka", "2.5.0"], ["1h1m", "ago", "shop/front"]
    assert lines(done)[1:] == [
        ["mail", *software, "User:mail", "10.0.0.7", "shop/mail-0", "-", "mails", "3", "observed", *since],
        ["-", *software, "-", "10.0.0.7", "-", "-", "-", "3", "opaque", "(mutual_tls)", *since],
    ]


def test_the_command_waits_until_all_observers_have_listed(types, door, monkeypatch) -> None:
    monkeypatch.setattr("kwitness.answers.access.questions._LISTING_AGAIN_S", 0.0)
    answers_connections(door, connection("mail"))
    whole = door.replaced["/v1/connections"][1]
    awaiting = {"items": [], "observers": [listing("awaited").model_dump(exclude_none=True)]}
    door.replaced["/v1/connections"] = (200, lambda _: awaiting if len(door.asked) < 3 else whole)
    done = types("connections", "-o", "name")

    assert (done.stdout, done.stderr) == ("mail\n", "")
    assert len(door.asked) == 3


def test_observers_that_do_not_answer_are_named(types, door, monkeypatch) -> None:
    monkeypatch.setattr("kwitness.answers.access.questions._LISTING_S", 0.0)
    awaited = [listing("awaited", f"shop/app-{number}") for number in range(7)]
    left_out = {"too_many": 3, "not_reported": 2}
    answers_connections(
        door, connection("mail"), observers=(*awaited, listing("silent", "shop/gone"), listing(left_out=left_out))
    )
    done = types("connections")

    assert "observers shop/app-0, shop/app-1, shop/app-2, shop/app-3, shop/app-4 and 2 more have not" in done.stderr
    assert "observers shop/gone are silent, maybe gone" in done.stderr
    assert "3 connections are in no row: an observer lists its oldest alone" in done.stderr
    assert "2 connections are in no row: their ObserverDeployment does not report connections" in done.stderr


def test_filters_and_order_reach_the_collector(types, door) -> None:
    answers_connections(door, connection("mail"))
    line = "connections --address 10.* --broker 3 --group g --sort -opened_at_ms --limit 9"
    types(*line.split())

    assert parameters_of(door, "/v1/connections") == [
        {"client_address": "10.*", "broker_id": "3", "group_id": "g", "order": "-opened_at_ms", "limit": "9"}
    ]


def test_an_empty_answer_has_its_reason(types, door) -> None:
    answers_connections(door, observers=())
    nobody = types("connections")
    answers_connections(door)
    nothing, unfit = types("connections"), types("connections", "--client-id", "x")

    assert "apply an ObserverDeployment" in nobody.stderr
    assert "observers see no open connection\n" in nothing.stderr
    assert "observers see no open connection that fits" in unfit.stderr


def test_a_connection_comes_from_an_observer_through_the_collector(types, api, namespace, tmp_path) -> None:
    process = CollectorProcess(tmp_path / "listed").start()
    try:
        process.get("/v1/connections")
        of_observer = {"observer", "observer_pod", "observer_mode", "listed_at_ms"}
        items = (connection("mail", principal="User:mail"), connection("shop", principal="User:shop"))
        listed = [item.model_dump(mode="json", exclude_none=True, exclude=of_observer) for item in items]
        process.observe(request(open_connections={"connections": listed, "left_out": {"too_many": 4}}))
        with ReviewedCollector(api, process, namespace) as opened:
            done = types("connections", "--principal", "User:mail", "--collector-address", opened.address)
            counted = types("connections", "--by", "principal", "-o", "csv", "--collector-address", opened.address)
    finally:
        process.kill()

    assert done.returncode == 0, done.stderr
    assert [line[0] for line in lines(done)[1:]] == ["mail"]
    assert counted.stdout.splitlines() == ["value,connections", "User:mail,1", "User:shop,1"]
    assert "4 connections are in no row: an observer lists its oldest alone" in done.stderr


def test_why_has_ends_of_connections_and_statistics_of_librdkafka_through_the_collector(
    types, api, namespace, tmp_path
) -> None:
    process = CollectorProcess(tmp_path / "counted").start()
    try:
        ended = [
            row(number, "connections", kind="closed", end=end, client_id="mail", last_error=error)
            for number, (end, error) in enumerate((("client", 0), ("broker", 58), ("broker", 58)), 1)
        ]
        assert process.observe(request(ended)).body["accepted"] == "1-3"
        full = statistics("mail", queued_records=95_000, retries=7)
        reported = interceptors_request(totals=[{"seq": 1, "statistics": [full, statistics("other")]}])
        assert process.observe(reported, token=INTERCEPTOR).body["accepted"] == "1"
        with ReviewedCollector(api, process, namespace) as opened:
            done = types("why", "mail", "--collector-address", opened.address)
            nobody = types("why", "nobody", "--collector-address", opened.address)
    finally:
        process.kill()

    assert done.returncode == 0, done.stderr
    assert (
        "Closed by the broker, after Kafka's error 58 SASL_AUTHENTICATION_FAILED: 2.\n  Closed by the client: 1.\n"
        in done.stdout
    )
    assert "95k of 100k records wait in the queue of its producer of pod" in done.stdout
    assert "It counted 7 requests that it sent again, 2 requests that timed out" in done.stdout
    assert nobody.returncode == 1


def test_connections_are_counted_by_a_field_with_the_greatest_number_first(types, door) -> None:
    items = [connection(name) for name in ("mail", "orders", "orders", "orders", "mail", "stock")]
    answers_connections(door, *items, connection(None))

    done = types("connections", "--by", "client_id", "--limit", "2", "-o", "json")

    document = json.loads(done.stdout)
    assert document["by"] == "client_id"
    assert document["items"] == [{"value": "orders", "connections": 3}, {"value": "mail", "connections": 2}]
    assert "2 of 4 are not shown" in done.stderr
    [parameters] = parameters_of(door, "/v1/connections")
    assert (parameters["fields"].split(",")[0], parameters["limit"]) == ("client_id", "1000")


def test_a_table_of_numbers_has_connections_of_which_the_value_is_not_known(types, door) -> None:
    answers_connections(door, connection("mail"), connection(None))

    lines = types("connections", "--by", "client_id").stdout.splitlines()

    assert lines[0].split() == ["CLIENT", "ID", "CONNECTIONS"]
    assert [line.split()[-1] for line in lines[1:]] == ["1", "1"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("connections --by topic", "'topic' is not one of client_software_name"),
        ("connections --by principal --sort principal", "--sort and --by exclude each other"),
    ],
)
def test_numbers_by_other_fields_or_in_another_order_are_refused(types, line: str, reason: str) -> None:
    assert reason in " ".join(types(*line.split()).stderr.split())
