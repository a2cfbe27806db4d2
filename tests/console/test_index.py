"""Checks the index: its bounds, and how it completes what a source does not know of a client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from kwitness.console.index import tables
from kwitness.console.index.assembly import Assembly
from kwitness.console.index.contents import new_index
from kwitness.console.index.database import Database, IndexFullError
from kwitness.console.index.members import rebuild
from kwitness.console.index.resource_tables import RESOURCES
from kwitness.console.index.tables import CLIENTS, CONNECTIONS, REPORTERS, TRAFFIC
from kwitness.console.rows.other_clusters import MOST_CLUSTERS, other_clusters

PUSHED = {"last_push_ms": 1, "first_seen_ms": 1}
MIB = 1024 * 1024


@pytest.fixture
def index() -> Iterator[Database]:
    database = new_index()
    yield database
    database.close()


def filled(index: Database, **tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Fill tables, and return members by client id."""
    known = {table.name: table for table in (CLIENTS, CONNECTIONS, TRAFFIC, REPORTERS)}
    for name, items in tables.items():
        index.write(known[name].filled(json.dumps(items)))
    rebuild(index)
    return index.rows("SELECT * EXCLUDE (id) FROM members ORDER BY client_id, application, principal")


def test_other_kafka_clusters_are_those_with_another_id_and_bounded(index: Database) -> None:
    ids = ["own", *(f"other-{number}" for number in range(MOST_CLUSTERS + 1)), None]
    resources = [
        {
            "kind": "KafkaCluster",
            "k8s_namespace": "kafka",
            "name": f"cluster-{number:02}",
            "item": {"status": {"clusterId": cluster_id}},
        }
        for number, cluster_id in enumerate(ids)
    ]
    index.write(RESOURCES.filled(json.dumps(resources)))
    assert other_clusters(index) == []

    filled(index, clients=[{"client_id": "orders", "cluster_id": "own", **PUSHED}])

    assert other_clusters(index) == [f"kafka/cluster-{number:02}" for number in range(1, MOST_CLUSTERS + 1)]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY members TO '/tmp/members.csv'",
        "ATTACH '/tmp/other.db'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SET memory_limit = '8GB'",
    ],
)
def test_queries_reach_nothing_outside_of_the_index(index: Database, query: str) -> None:
    with pytest.raises(duckdb.Error, match=r"disabled|locked"):
        index.rows(query)


def test_one_thread_computes(index: Database) -> None:
    assert index.row("SELECT current_setting('threads') AS number") == {"number": 1}


def test_an_answer_beyond_the_memory_is_refused_and_the_rows_before_it_stay() -> None:
    index = new_index(memory=12 * MIB)
    index.write(CONNECTIONS.filled(json.dumps([{"client_id": "kept"}])))
    many = json.dumps([{"client_id": f"{number}{'x' * 500}", "observer": "y" * 500} for number in range(20_000)])

    with pytest.raises(IndexFullError, match="needs more than 12 MiB"):
        index.write(CONNECTIONS.filled(many))

    assert index.rows("SELECT client_id FROM connections") == [{"client_id": "kept"}]
    index.close()


async def test_rows_stay_where_what_sources_know_cannot_be_put_together() -> None:
    index = new_index(memory=24 * MIB)
    assembly = Assembly(index)
    few = [{"client_id": "kept", "principal": "User:kept"}]
    index.write(CONNECTIONS.filled(json.dumps(few)))
    assembly.request()
    await assembly.make_once()
    assert (assembly.is_made, assembly.problem) == (True, None)

    for start in range(0, 40_000, 2_000):
        names = [f"{number}{'x' * 64}" for number in range(start, start + 2_000)]
        index.write(CONNECTIONS.added(json.dumps([{"client_id": name, "principal": name} for name in names])))
    assembly.request()
    await assembly.make_once()

    assert "the index needs more than 24 MiB" in str(assembly.problem)
    assert index.rows("SELECT client_id FROM members") == [{"client_id": "kept"}]
    index.close()


def test_a_principal_that_one_source_lacks_is_that_which_all_others_agree_on(index: Database) -> None:
    [member] = filled(
        index,
        clients=[{"key": "1", "client_id": "a", **PUSHED}],
        connections=[{"client_id": "a", "principal": "User:a"}, {"client_id": "a", "principal": "User:a"}],
    )

    assert (member["principal"], member["pushing"], member["connections"]) == ("User:a", 1, 2)


def test_a_principal_is_not_guessed_where_sources_differ(index: Database) -> None:
    members = filled(
        index,
        clients=[{"key": "1", "client_id": "a", **PUSHED}],
        connections=[{"client_id": "a", "principal": "User:a"}, {"client_id": "a", "principal": "User:b"}],
    )

    assert [(member["principal"], member["pushing"]) for member in members] == [
        ("User:a", 0),
        ("User:b", 0),
        (None, 1),
    ]


def test_an_application_is_the_workload_else_the_principal_else_the_client_id(index: Database) -> None:
    members = filled(
        index,
        connections=[
            {"client_id": "a", "principal": "User:a", "k8s_namespace": "shop", "k8s_workload": "front"},
            {"client_id": "b", "principal": "User:b"},
            {"client_id": "c", "principal": "User:ANONYMOUS"},
            {},
        ],
        traffic=[{"api": "Fetch", "topic": "t", "client_id": "a", "principal": "User:a", "record_bytes_per_s": 5}],
    )

    assert [member["application"] for member in members] == ["shop/front", "User:b", "c", None]
    assert index.rows("SELECT application, topic, direction, bytes_per_s FROM flows JOIN members ON id = member") == [
        {"application": "shop/front", "topic": "t", "direction": "reads", "bytes_per_s": 5.0}
    ]


def test_a_workload_is_not_guessed_where_a_client_id_runs_in_two(index: Database) -> None:
    places = [{"client_id": "a", "k8s_namespace": "shop", "k8s_workload": name} for name in ("one", "two")]
    members = filled(index, connections=[*places, {"client_id": "a"}])

    assert [member["application"] for member in members] == ["a", "shop/one", "shop/two"]


def test_clients_that_ended_and_our_own_do_not_push(index: Database) -> None:
    assert not filled(
        index,
        clients=[
            {"key": "1", "client_id": "a", **PUSHED, "terminated": True},
            {"key": "2", "client_id": "b", **PUSHED, "ours": True},
            {"key": "3", "client_id": "c", "first_seen_ms": 1},
        ],
    )


def test_a_client_is_seen_inside_where_interceptors_report_from_its_pod(index: Database) -> None:
    pod = {"k8s_namespace": "shop", "k8s_pod": "front-1"}
    members = filled(
        index,
        connections=[{"client_id": "a", **pod}, {"client_id": "b", "k8s_namespace": "other", "k8s_pod": "front-1"}],
        reporters=[{"pod_namespace": "shop", "pod": "front-1", "clients": 2}],
    )

    assert [member["inside"] for member in members] == [True, False]


def test_rows_beyond_a_batch_follow_in_the_same_table(index: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BATCH_ROWS", 3)

    for count in (0, 3, 7):
        batches = tables.batches_of({"client_id": f"client-{number}"} for number in range(count))
        assert len(batches) == max(1, -(-count // 3))
        index.write(*CONNECTIONS.filled_by(batches))
        found = index.rows("SELECT client_id FROM connections ORDER BY client_id")
        assert [row["client_id"] for row in found] == [f"client-{number}" for number in range(count)]
