"""An invented company's clients, for pictures of pages: applications of six teams with their topics and groups."""

from __future__ import annotations

import json
import math
import random
import time
from typing import Any, Final

from kwitness.console.index.database import Database
from kwitness.console.index.hour_totals import HOUR_TOTALS, MINUTES, HourTotals
from kwitness.console.index.tables import CLIENTS, CONNECTIONS, GROUPS, TRAFFIC
from kwitness.console.index.trends import Trends
from kwitness.console.rows.last_hour import last_hour

__all__ = ["APPLICATION", "TOPIC", "invent_company", "invent_hour", "leave_out_hostile_names"]

APPLICATION: Final = "checkout-api"
TOPIC: Final = "orders.placed"
_JAVA: Final = "apache-kafka-java"
_LATE_MS: Final = 60_000
"""Lag of clients that have errors."""
_COMPANY: Final = {
    "orders": {
        "checkout-api": ((_JAVA, "4.1.1"), ["orders.placed", "orders.paid"], ["payments.settled"]),
        "order-history": ((_JAVA, "3.8.0"), [], ["orders.placed", "orders.paid", "orders.shipped"]),
    },
    "payments": {
        "ledger": ((_JAVA, "4.1.1"), ["payments.settled"], ["orders.paid"]),
        "fraud-check": (("librdkafka", "2.11.1"), ["payments.flagged"], ["orders.placed", "payments.settled"]),
    },
    "logistics": {
        "warehouse": ((_JAVA, "3.9.1"), ["orders.shipped", "stock.levels"], ["orders.paid"]),
        "route-planner": (("librdkafka", "2.5.0"), ["routes.planned"], ["orders.shipped"]),
    },
    "search": {
        "indexer": ((_JAVA, "4.0.0"), [], ["catalogue.items", "stock.levels"]),
        "catalogue": ((_JAVA, "4.1.1"), ["catalogue.items"], []),
    },
    "growth": {
        "recommender": (("kafka-python", "2.2.15"), ["recommendations"], ["clicks", "orders.placed"]),
        "click-stream": (("kafkajs", "2.2.4"), ["clicks"], []),
    },
    "data": {
        "warehouse-sink": ((_JAVA, "3.7.1"), [], ["orders.placed", "clicks", "payments.settled", "catalogue.items"]),
        "": (("Sarama", "1.45.2"), [], ["clicks"]),
    },
}
"""Teams with their applications: software, topics written, topics read. The last one has no owner and no workload."""


def invent_company(index: Database) -> None:
    """Fill the tables of an index that observers and pushes fill, instead of what they had."""
    dice, now_ms = random.Random(7), int(time.time() * 1000)  # noqa: S311 - pictures are the same each time
    clients: list[dict[str, Any]] = []
    connections: list[dict[str, Any]] = []
    traffic: list[dict[str, Any]] = []
    groups: list[dict[str, Any]] = []
    for team, applications in _COMPANY.items():
        for name, (software, written, read) in applications.items():
            client_id = name or "legacy-reports"
            client = {
                "cluster_id": "orders-prod",
                "client_id": client_id,
                "principal": f"User:{client_id}",
                "client_software_name": software[0],
                "client_software_version": software[1],
                "until_ms": now_ms,
            }
            if name:
                client |= {"k8s_namespace": team, "k8s_workload": name, "owner": {"team": team, "contact": f"#{team}"}}
            instances = dice.choice([2, 3, 4, 6])
            for number in range(instances):
                address = f"10.{len(clients) % 8}.{number}.{dice.randrange(2, 250)}"
                place = {"client_address": address, "group_id": client_id if read else None}
                if software[0] in {_JAVA, "librdkafka"} and software[1] >= "3.7":
                    instance = f"{dice.getrandbits(64):016x}"
                    pushed = {"first_seen_ms": now_ms - 86_400_000, "last_push_ms": now_ms - dice.randrange(20_000)}
                    interval = {"push_interval_ms": 30_000, "subscriptions": ["all-clients"]}
                    clients.append(
                        {**client, **place, **pushed, **interval, "key": instance, "client_instance_id": instance}
                    )
                connections += [
                    {
                        **client,
                        **place,
                        "broker_id": str(broker),
                        "state": "observed",
                        "opened_at_ms": now_ms - dice.randrange(600_000, 90_000_000),
                        "observer": "kafka/gateway",
                    }
                    for broker in range(1, 3)
                ]
            traffic += [{**client, "api": "Produce", "topic": topic, **_rates(dice)} for topic in written]
            for topic in read:
                lag_ms = dice.choice([40, 120, 900, 2_500, 4_000, 95_000])
                rates = {**_rates(dice), "fetch_lag": lag_ms // 2, "fetch_lag_ms": lag_ms}
                if lag_ms > _LATE_MS:
                    rates["errors"] = {"6": lag_ms // 8_000}
                traffic.append({**client, "api": "Fetch", "topic": topic, **rates})
                behind = {"committed_lag": lag_ms, "committed_lag_ms": lag_ms + 800, "until_ms": now_ms}
                groups.append({"cluster_id": "orders-prod", "group_id": client_id, "topic": topic, **behind})
    owners = {topic: team for team, own in _COMPANY.items() for _, written, _ in own.values() for topic in written}
    for row in (*traffic, *groups):
        row["topic_owner"] = {"team": owners[row["topic"]], "contact": f"#{owners[row['topic']]}"}
    tables = ((CLIENTS, clients), (CONNECTIONS, connections), (TRAFFIC, traffic), (GROUPS, groups))
    index.write(*(table.filled(json.dumps(rows)) for table, rows in tables))


def invent_hour(index: Database) -> None:
    """Fill the last hour of an index, of which the last minute is as its other tables are."""
    dice, now_ms = random.Random(7), int(time.time() * 1000)  # noqa: S311 - as above
    for kept in (HourTotals(), Trends()):
        kept.add(index, now_ms)
    now = last_hour(index)[-1]
    shares = [1 - 0.3 * math.sin((MINUTES - 1 - at) / 14) ** 2 - dice.random() * 0.05 for at in range(MINUTES - 1)]
    rows = [
        {
            "minute": now["minute"] - MINUTES + 1 + at,
            "connections": now["connections"] - (at < 22) * 12 - (at < 9) * 6,
            "pushing": now["pushing"] - (at < 22) * 6,
            "written": now["written"] * share,
            "read": now["read"] * share**2,
        }
        for at, share in enumerate([*shares, 1.0])
    ]
    listed = ", ".join(f"({at}, {share})" for at, share in enumerate(shares))
    index.write(
        HOUR_TOTALS.filled(json.dumps(rows)),
        f"INSERT INTO trends SELECT minute - {MINUTES - 1} + place, subject, k8s_namespace, "  # noqa: S608 - numbers
        "written * (share + 0.1 * sin(place + subject % 7)), lag_ms "
        f"FROM trends, (VALUES {listed}) AS hour(place, share)",
    )


def _rates(dice: random.Random) -> dict[str, Any]:
    records = dice.choice([4.0, 35.0, 120.0, 900.0, 2_600.0])
    return {"requests_per_s": records / 10, "records_per_s": records, "record_bytes_per_s": records * 740}


def leave_out_hostile_names(index: Database) -> None:
    """Remove names that test that they are text: people look at these pictures."""
    index.write("UPDATE resources SET item = regexp_replace(item::VARCHAR, '<script>[^&]*&', 'old-reports', 'g')::JSON")
    tables = index.rows("SELECT DISTINCT table_name AS name FROM duckdb_columns() WHERE schema_name = 'everything'")
    for table in tables:
        index.write(f"DELETE FROM {table['name']} AS rows WHERE contains(rows::VARCHAR, '<script')")  # noqa: S608
