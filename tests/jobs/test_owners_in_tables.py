"""Rows of jobs name the owners of their own time, also when a later driver computes them again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from kwitness.contracts.owners import OwnerList
from kwitness.contracts.resources.analytics_parameters import ClientInventoryParameters, EndToEndLatencyParameters
from kwitness.jobs.analyses.client_inventory.job import JOB as INVENTORY
from kwitness.jobs.analyses.client_inventory.job import SINK
from kwitness.jobs.analyses.end_to_end_latency.job import JOB as LATENCY
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.lattice_sink import LatticeTable

from tests.jobs import intercepted, traffic, windowed
from tests.jobs.observed import START_MS, api, partition, placed
from tests.jobs.tables import frame_of, read
from tests.jobs.window_tables import run, tables

WINDOW_MS = 300_000
OLD: list[dict[str, Any]] = [
    {"team": "shop", "contact": "shop@example.com", "match": {"clientId": "orders"}, "source": "KafkaUser"},
    {"team": "data", "match": {"topic": "ord*"}, "source": "KafkaTopic"},
    {"team": "neither", "match": {"topic": "orders", "clientId": "orders"}},
]


def moved(at_ms: int, **match: str) -> OwnerList:
    """Owners in which a new team takes over at a time."""
    since = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat()
    return OwnerList.model_validate({"owners": [{"team": "new", "validFrom": since, "match": match}, *OLD]})


def owner(row: dict[str, Any], prefix: str = "") -> tuple[str | None, ...]:
    return tuple(row[f"{prefix}{name}"] for name in ("owner", "owner_contact", "owner_source"))


def test_a_window_of_traffic_that_is_computed_again_keeps_its_owner(spark: SparkSession, tmp_path: Path) -> None:
    # Clients are not told apart by address unless a job asks for it.
    first = [partition(seq=1, client_address="10.0.0.1"), api(seq=2), partition(seq=3, at=START_MS + WINDOW_MS)]
    late = [partition(seq=4, client_address="10.0.0.2"), partition(seq=5, at=START_MS + WINDOW_MS)]
    records = placed([*first, *late], partitions=1)
    run(spark, tables(spark, tmp_path, OwnerList.model_validate({"owners": OLD})), records[:3])

    run(spark, tables(spark, tmp_path, moved(START_MS + WINDOW_MS, clientId="orders")), records)

    found = {(row["window_start_ms"] - START_MS, row["kind"]): row for row in read(str(tmp_path / "table"))}
    assert {place: row["requests"] for place, row in found.items()} == {
        (0, "partition"): 2,
        (0, "api"): 1,
        (WINDOW_MS, "partition"): 2,
    }
    shop, data = ("shop", "shop@example.com", "KafkaUser"), ("data", None, "KafkaTopic")
    assert (owner(found[0, "partition"]), owner(found[0, "partition"], "topic_")) == (shop, data)
    assert (owner(found[0, "api"]), owner(found[0, "api"], "topic_")) == (shop, (None, None, None))
    assert owner(found[WINDOW_MS, "partition"]) == ("new", None, "ConfigMap")


def test_end_to_end_latency_names_the_owner_of_a_group(spark: SparkSession, tmp_path: Path) -> None:
    records = placed([intercepted.row(seq=1, group_id="billing", client_id="c"), intercepted.row(seq=2)], partitions=1)
    renamed = [record._replace(topic=intercepted.INTERCEPTIONS) for record in records]
    at = windowed.tables(spark, tmp_path, LATENCY, EndToEndLatencyParameters(), owners=moved(START_MS, group="billing"))

    assert run(spark, at, renamed) == set()

    found = {row["group_id"]: (row["owner"], row["topic_owner"]) for row in read(str(tmp_path / "table"))}
    assert found == {"billing": ("new", "data"), None: ("shop", "data")}


def test_the_inventory_has_the_owner_of_the_time_at_which_a_client_was_seen_last(
    spark: SparkSession, tmp_path: Path
) -> None:
    since = traffic.START_MS + 60_000
    owners = moved(since, clientId="orders")
    table = LatticeTable(
        spark, INVENTORY, SINK, JobInput(ClientInventoryParameters(), 300.0, owners=owners), str(tmp_path / "table")
    )
    table.prepare()
    ids = ("AAAAAAAAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBBBBBBBA")
    before, after = (
        [
            traffic.push(offset, client_instance_id=name, received_at_ms=str(at_ms))
            for offset, (name, at_ms) in enumerate(zip(ids, times, strict=True))
        ]
        # The second client's later push comes first.
        for times in ((since - 1, since), (since, since - 1))
    )

    for batch in (before, after):
        table.read(frame_of(spark, batch)).write({})
    table.read(frame_of(spark, [traffic.snapshot()])).write({})

    found = {row["client_instance_id"]: owner(row) for row in read(str(tmp_path / "table"))}
    new = ("new", None, "ConfigMap")
    assert found == {ids[0]: new, ids[1]: new, None: (None, None, None)}
