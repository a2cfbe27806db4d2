"""What `make demo` prints at its end, and what the tutorial shows of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kwitness.demo.part_names import part_names
from kwitness.demo.summary import Facts, render

ROOT = Path(__file__).resolve().parents[2]
ALL_PARTS = part_names()


def connection(name: str, version: str, listener: str, count: int) -> dict[str, Any]:
    labels = {"client_software_name": name, "client_software_version": version, "listener": listener}
    return {"metric": labels, "value": [0, str(count)]}


def sample(client: str, value: str) -> dict[str, Any]:
    labels = {"client_id": client, "client_software_name": "apache-kafka-java", "client_software_version": "4.1.2"}
    return {"metric": labels, "value": [0, value]}


def relayed(value: str) -> dict[str, Any]:
    return {
        "metric": {**sample("orders", value)["metric"], "api": "Produce", "topic": "demo.orders"},
        "value": [0, value],
    }


def beside(value: str) -> dict[str, Any]:
    place = {"k8s_namespace": "shop", "k8s_workload": "orders", "k8s_pod": "orders-0"}
    return {"metric": {**relayed(value)["metric"], **place}, "value": [0, value]}


def inside(client: str, side: dict[str, str], value: str) -> dict[str, Any]:
    place = {"k8s_namespace": "shop", "k8s_workload": client, "k8s_pod": f"{client}-0"}
    return {"metric": {"client_id": client, "topic": "demo.orders", **place, **side}, "value": [0, value]}


def latency(group: str, value: str) -> dict[str, Any]:
    place = {"k8s_namespace": "shop", "k8s_workload": "billing", "topic": "demo.orders"}
    return {"metric": {**place, "group_id": group}, "value": [0, value]}


def traffic(kind: str, seconds: int, start_ms: int, *, records: int) -> dict[str, Any]:
    counts = {"requests": 2, "records": records, "bytes": 10 * records, "error_count": 0}
    who = {"topic": "demo.orders", "api": "Produce", "client_id": "orders", "principal": None}
    return {"kind": kind, "window_seconds": seconds, "window_start_ms": start_ms, **who, **counts}


def audited(kind: str, state: str, *, records: int, missing: int = 0) -> dict[str, Any]:
    counts = {"records": records, "missing": missing, "duplicates": 0, "dropped": None}
    return {"kind": kind, "state": state, **counts}


def used(api: str, version: int, *, requests: int, dropped_in: str | None = None) -> dict[str, Any]:
    who = {"client_id": "orders", "client_software_name": "apache-kafka-java", "client_software_version": "4.1.2"}
    what = {"api": api, "api_version": version, "requests": requests, "dropped_in": dropped_in}
    return {"kind": "request", **who, **what}


FACTS = Facts(
    connections=[
        connection("kwitness-collector", "2.16.1", "SASL_SSL_SCRAM", 1),
        connection("apache-kafka-java", "3.9.1-kwitness", "SASL_SSL_SCRAM", 10),
        connection("apache-kafka-java", "4.1.2", "PLAINTEXT", 5),
    ],
    metrics={
        "kafka_client_producer_node_request_latency_avg_seconds": [sample("orders", "0.0089371"), sample("idle", "NaN")]
    },
    observed={
        "kafka_client_requests_total": [relayed("7"), beside("3")],
        "kafka_client_records_total": [relayed("12"), beside("5")],
        "kafka_client_record_bytes_total": [relayed("960"), beside("400")],
    },
    intercepted={
        "kafka_client_interceptor_sent_records_total": [inside("orders", {}, "9")],
        "kafka_client_interceptor_acknowledged_records_total": [inside("orders", {}, "8")],
        "kafka_client_interceptor_consumed_records_total": [
            inside("billing", {"group_id": "bills"}, "7"),
            inside("billing", {"group_id": "idle"}, "0"),
        ],
    },
    end_to_end=[latency("bills", "0.012345"), latency("idle", "NaN")],
    resources=[
        {
            "kind": "ClientMetricsSubscription",
            "metadata": {"name": "demo"},
            "status": {
                "conditions": [{"type": "Ready", "status": "True", "reason": "Applied", "message": "on the broker"}],
                "clients": {"asking": 5, "matching": 5, "pushing": 5, "source": "Plugin"},
                "silentSoftware": [
                    {
                        "clientSoftwareName": "kafka-python",
                        "clientSoftwareVersion": "3.0.12",
                        "connections": 1,
                        "reason": "TooOld",
                    }
                ],
                "unsentPrefixes": ["org.example."],
            },
        },
        {
            "kind": "HeaderRegistry",
            "metadata": {"name": "headers"},
            "status": {
                "conditions": [],
                "findings": [
                    {
                        "key": "debug.session",
                        "problem": "Unregistered",
                        "clientsTotal": 2,
                        "topic": "demo.orders",
                    }
                ],
            },
        },
    ],
    tables={
        "ClientInventory": [
            {
                "kind": "instance",
                "client_id": "orders",
                "client_software_name": "apache-kafka-java",
                "versions": [{"client_software_version": "4.1.1"}, {"client_software_version": "4.1.2"}],
                "metrics": ["a", "b"],
                "conforms": False,
                "missing_required": ["c"],
            }
        ],
        "Traffic": [
            traffic("partition", 60, 0, records=12),
            traffic("partition", 60, 60_000, records=3),
            traffic("partition", 3600, 0, records=15),
            traffic("api", 60, 0, records=0),
        ],
        "LedgerAudit": [
            audited("Observer", "Closed", records=40),
            audited("Observer", "Closed", records=2),
            audited("Plugin", "Gap", records=7, missing=1),
        ],
        "UpgradeImpact": [
            used("Produce", 9, requests=5),
            used("Fetch", 3, requests=2, dropped_in="4.0"),
            {"kind": "software", "client_software_name": "sarama", "connections": 2},
        ],
    },
)


def lines(title: str) -> list[str]:
    """The words of each line below a title, without the header."""
    body = render(FACTS, ALL_PARTS).partition(f"{title}\n")[2].split("\n\n")[0]
    return [" ".join(line.split()) for line in body.splitlines()[1:]]


def test_connections_of_the_platform_itself_are_marked() -> None:
    assert lines("Connected, by software and version (Prometheus, from the broker's gauge)")[1:] == [
        "apache-kafka-java 3.9.1-kwitness SASL_SSL_SCRAM 10 ours",
        "apache-kafka-java 4.1.2 PLAINTEXT 5",
        "kwitness-collector 2.16.1 SASL_SSL_SCRAM 1 ours",
    ]


def test_metrics_that_say_nothing_are_left_out() -> None:
    assert lines("A handful of their metrics (Prometheus, from their pushes)")[1:] == [
        "kafka_client_producer_node_request_latency_avg_seconds orders apache-kafka-java 4.1.2 0.008937"
    ]


def test_what_went_through_the_gateway_is_one_line_for_each_client_and_topic() -> None:
    assert lines("Through the gateway, by client and topic (Prometheus, from the observer)")[1:] == [
        "orders apache-kafka-java 4.1.2 Produce demo.orders 7 12 960"
    ]


def test_headers_that_are_not_as_registered_have_a_client_that_writes_or_gets_them() -> None:
    assert lines("Headers of records that are not as they are registered (status of the registers)")[1:] == [
        "headers debug.session Unregistered 2 demo.orders"
    ]


def test_what_an_observer_beside_a_client_saw_is_one_line_for_each_pod_and_topic() -> None:
    assert lines("Beside a client, by its pod and topic (Prometheus, from the observer there)")[1:] == [
        "orders shop orders orders-0 Produce demo.orders 3 5 400"
    ]


def test_what_interceptors_saw_in_a_client_is_one_line_for_each_pod_group_and_topic() -> None:
    assert lines("In a client, by its pod and topic (Prometheus, from its interceptors)") == [
        "client namespace workload pod group topic latency sent acknowledged consumed",
        "billing shop billing billing-0 bills demo.orders 0.0123 s 7",
        "billing shop billing billing-0 idle demo.orders 0",
        "orders shop orders orders-0 demo.orders 9 8",
    ]


def test_who_is_silent_is_shown_with_the_reason() -> None:
    assert lines("Pushing and silent (status of the subscriptions)") == [
        "demo: 5 asking, 5 matching, 5 pushing",
        "silent: kafka-python 3.0.12 (connections: 1): this version of its library cannot push",
        "asked for and sent by nobody: org.example.",
    ]


def test_the_inventory_has_all_versions_of_a_client_and_what_it_lacks() -> None:
    assert lines("Inventory that Spark computed (Delta table)")[1:] == [
        "instance orders apache-kafka-java 4.1.1, 4.1.2 2 no 1"
    ]


def test_traffic_is_added_up_over_windows_of_the_shortest_length() -> None:
    assert lines("Who writes and reads which topic (Delta table of Traffic)")[1:] == [
        "demo.orders Produce orders 4 15 150 0 2"
    ]


def test_what_sources_numbered_is_one_line_for_each_kind_and_state() -> None:
    assert lines("Whether what sources numbered has arrived, once each (Delta table of LedgerAudit)")[1:] == [
        "Observer Closed 2 42 0 0 0",
        "Plugin Gap 1 7 1 0 0",
    ]


def test_what_a_client_uses_that_is_dropped_is_named() -> None:
    assert lines("Who uses what a later Kafka no longer answers (Delta table of UpgradeImpact)")[1:] == [
        "orders apache-kafka-java 4.1.2 7 2 Fetch 3 in 4.0"
    ]


def test_what_the_tutorial_shows_has_the_titles_and_columns_that_are_printed() -> None:
    printed = {line.strip() for line in headings(render(FACTS, ALL_PARTS))}
    shown = headings((ROOT / "docs/tutorial.md").read_text())

    assert len(shown) >= 7
    assert [line for line in shown if line.strip() not in printed] == []


def headings(text: str) -> list[str]:
    """The line over each rule of dashes and, where a table follows, the names of its columns."""
    found = re.findall(r"^(\S.*)\n-{8,}\n(.*)$", text, re.MULTILINE)
    tables = [below for _, below in found if re.match(r"  (software|metric|kind|client|register|topic|source) ", below)]
    columns = [" ".join(below.split()) for below in tables]
    return [title for title, _ in found] + columns
