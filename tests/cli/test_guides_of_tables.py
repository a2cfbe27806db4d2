"""The commands of the guides on tables: those that read are run, on tables with the columns that jobs write."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from deltalake import write_deltalake
from pyspark.sql.pandas.types import to_arrow_schema

from kwitness.cli import job_run
from kwitness.cli.__main__ import main
from kwitness.contracts.job_config import JobConfig
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.devtools.table_reference import described_jobs
from kwitness.jobs.frame.job import COMPUTED_BY
from kwitness.jobs.frame.rejection import QUARANTINE_SCHEMA

GUIDES = Path(__file__).resolve().parents[2] / "docs/guides"
START_MS = 1_790_000_000_000 - 1_790_000_000_000 % 86_400_000
COUNTS = pa.map_(pa.string(), pa.int64())
TRAFFIC = pa.schema(
    [
        ("window_seconds", pa.int32()),
        ("window_start_ms", pa.int64()),
        ("window_end_ms", pa.int64()),
        ("kind", pa.string()),
        ("api", pa.string()),
        ("topic", pa.string()),
        ("principal", pa.string()),
        ("client_id", pa.string()),
        ("owner", pa.string()),
        ("owner_contact", pa.string()),
        ("client_software_name", pa.string()),
        ("client_software_version", pa.string()),
        ("records", pa.int64()),
        ("bytes", pa.int64()),
        ("errors", COUNTS),
        ("sources", pa.int64()),
        ("state", pa.string()),
    ]
)
"""The columns that the guide's queries use, as the job writes them."""


def window(seconds: int, kind: str, api: str, **changes: Any) -> dict[str, Any]:
    return {
        "window_seconds": seconds,
        "window_start_ms": START_MS,
        "window_end_ms": START_MS + seconds * 1000,
        "kind": kind,
        "api": api,
        "principal": "User:alice",
        "client_id": "shop",
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
        "sources": 2,
        "state": "sealed",
        **changes,
    }


WINDOWS = [
    window(3600, "partition", "Produce", topic="orders", records=10, bytes=1000),
    window(3600, "partition", "Produce", topic="orders", records=5, bytes=500, client_id="desk", principal=None),
    window(3600, "partition", "Produce", topic="orders", records=900, bytes=90_000, state="open"),
    window(3600, "api", "Produce", errors=[("0", 9), ("6", 2)]),
    window(3600, "api", "Produce", errors=[("6", 1)], client_id="desk"),
    window(86_400, "partition", "Produce", topic="orders", records=15, bytes=1500),
    window(86_400, "partition", "Fetch", topic="orders", records=15, bytes=1500, owner="shop", owner_contact="#shop"),
    window(86_400, "partition", "Produce", topic="audit", records=7, bytes=70),
]


SOURCES = [
    {"event_source": "gateway-0", "missing": 2, "missing_since_ms": START_MS, "last_ms": START_MS + 1},
    {"event_source": "gateway-1", "missing": 0, "unsealed": 0, "duplicates": 0, "last_ms": START_MS},
]
MONEY = {"bytes_in": 1500, "cost": 1_500_000, "unowned_cost": 500_000, "currency": "EUR", "attribution": "attributed"}
COSTS = [
    {**MONEY, "month": "2026-09", "state": "closed", "owner": "orders", "topic": "orders"},
    {**MONEY, "month": "2026-09", "state": "closed", "owner": None, "topic": "audit"},
    {**MONEY, "month": "2026-10", "state": "open", "owner": "orders", "topic": "orders", "cost": 9},
]
TOPICS = [
    {"kind": "topic", "subject": "orders", "reported": True, "written": "Used", "fetched": "NotSeen", "log_bytes": 9},
    {"kind": "topic", "subject": "orders.old", "reported": True, "verdict": "Unused", "log_bytes": 7},
]
REQUESTS = [
    {"kind": "request", "client_id": "desk", "api": "Fetch", "api_version": 3, "dropped_in": "4.0", "requests": 7},
    {"kind": "request", "client_id": "desk", "api": "Produce", "api_version": 2, "dropped_in": "4.0", "requests": 2},
    {"kind": "request", "client_id": "shop", "api": "Fetch", "api_version": 13, "requests": 70},
    {"kind": "software", "client_software_name": "sarama", "client_software_version": "1.26.1", "connections": 3},
    {"kind": "software", "connections": 1},
]
HEADERS = [
    {"kind": "key", "key": "charge.tag", "topic": "orders", "headers": 9, "values": [("red", 5), ("blue", 4)]},
    {"kind": "key", "key": "x-debug", "topic": "orders", "headers": 2, "unregistered": 2, "client_id": "desk"},
    {"kind": "topic", "topic": "orders", "records_looked_at": 10, "records_passed": 20},
]


def hour(at: int, **changes: Any) -> dict[str, Any]:
    """A row of LatencySlo or EndToEndLatency, of an hour unless other seconds are given."""
    start, seconds = START_MS + at * 3_600_000, changes.get("window_seconds", 3600)
    return {"window_seconds": 3600, "window_start_ms": start, "window_end_ms": start + seconds * 1000, **changes}


BUDGETS = [
    hour(0, objective="produce", principal="User:a", target="99.9", answers=1000, bad=5, burn_rate=5.0),
    hour(1, objective="produce", principal="User:a", target="99.9", answers=1000, bad=1, burn_rate=1.0),
    hour(1, objective="produce", principal="User:b", target="99.9", answers=1000, bad=0, burn_rate=0.0),
    hour(0, window_seconds=86_400, objective="produce", principal="User:a", target="99.9", answers=2000, bad=6),
]
LATENCIES = [
    hour(
        0,
        topic="orders",
        group_id="desk",
        client_id="desk",
        consumed=9,
        negative=0,
        latency_p99_us=7000,
        clock_skew=0.0,
    ),
    hour(
        0, topic="stock", group_id="desk", client_id="desk", consumed=9, negative=3, latency_p99_us=None, clock_skew=1.0
    ),
    hour(
        1,
        topic="orders",
        group_id="shop",
        client_id="shop",
        consumed=9,
        negative=0,
        latency_p99_us=9000,
        clock_skew=0.0,
    ),
]
GROUPS = [
    {"topic": "orders", "partition": 0, "group_id": "desk", "evidence": "wire", "written": 9, "lost": 2, "not_seen": 0},
    {"topic": "orders", "partition": 0, "group_id": "", "evidence": "offsets", "verdict": "Complete", "lost": 0},
]
MIRRORED = [
    {"kind": "partition", "topic": "orders", "partition": 0, "time_ms": 0, "verdict": "Behind", "lag_ms": 9_000},
    {"kind": "span", "topic": "orders", "partition": 0, "time_ms": START_MS, "missing": 3, "extra": 0},
]

LATENCY, CONNECTED = (
    "org.apache.kafka.producer.node.request.latency.max",
    "org.apache.kafka.consumer.connection.creation.total",
)
ROLLED_UP = [
    window(3600, "metric", "", metric=LATENCY, points=4, value_sum=10.0, value_max=4.0),
    window(3600, "metric", "", metric=LATENCY, points=1, value_sum=9.0, value_max=9.0, client_id="desk"),
    window(3600, "metric", "", metric=CONNECTED, points=4, increase=3.0, clients=2),
    window(86_400, "metric", "", metric=LATENCY, points=4, value_sum=10.0, value_max=4000.0),
    window(86_400, "push", "", pushes=2, points=7, left_out=5, unusable=0),
    window(86_400, "push", "", pushes=2, points=7, left_out=0, unusable=0, client_id="desk"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder `tables` of the pages, in the present one."""
    monkeypatch.chdir(tmp_path)
    columns = {one.name: to_arrow_schema(one.schema) for one in described_jobs()}
    inventory = columns["ClientInventory"].append(pa.field(COMPUTED_BY.name, pa.string()))
    clients = [
        {"row_id": str(number), "kind": "instance", "principal": principal, "ours": False, "last_seen_ms": 2}
        for number, principal in enumerate(("User:alice", "User:bob"))
    ]
    for path, rows, schema in (
        ("client_inventory/table", clients, inventory),
        ("client_inventory-2/table", clients[:1], inventory),
        ("client_inventory/quarantine/records", [], to_arrow_schema(QUARANTINE_SCHEMA)),
        ("traffic/table", WINDOWS, TRAFFIC),
        ("ledger_audit/table", SOURCES, columns["LedgerAudit"]),
        ("unused_topics/table", TOPICS, columns["UnusedTopics"]),
        ("upgrade_impact/table", [seen(row) for row in REQUESTS], columns["UpgradeImpact"]),
        ("header_drift/table", [seen(row) for row in HEADERS], columns["HeaderDrift"]),
        ("latency_slo/table", BUDGETS, columns["LatencySlo"]),
        ("end_to_end_latency/table", LATENCIES, columns["EndToEndLatency"]),
        ("completeness/table", GROUPS, columns["Completeness"]),
        ("mirror_audit/table", MIRRORED, columns["MirrorAudit"]),
        ("telemetry/table", ROLLED_UP, columns["TelemetryRollup"]),
        ("cost/table", COSTS, columns["CostAttribution"]),
    ):
        plain = pa.schema([field.with_nullable(nullable=True).remove_metadata() for field in schema])
        write_deltalake(str(tmp_path / "tables" / path), pa.Table.from_pylist(rows, schema=plain))
    return tmp_path


def seen(row: dict[str, Any]) -> dict[str, Any]:
    times = {"first_seen_ms": START_MS, "last_seen_ms": START_MS}
    return {**times, "window_seconds": 3600, "seen_by": "observer", "side": "producer", **row}


def commands(page: str) -> list[list[str]]:
    """What a page has a reader type, of the command `kwitness`, in words."""
    text = (GUIDES / page).read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    starts = [one for block in blocks for one in re.split(r"^(?=kwitness )", block, flags=re.MULTILINE)]
    return [shlex.split(one)[1:] for one in starts if one.startswith("kwitness ")]


def documents(page: str) -> list[Any]:
    """The YAML documents of a page."""
    blocks = re.findall(r"^```yaml\n(.*?)^```", (GUIDES / page).read_text(), re.MULTILINE | re.DOTALL)
    return [document for block in blocks for document in yaml.safe_load_all(block)]


@pytest.mark.parametrize(
    ("page", "number"),
    [
        ("inventory.md", 1),
        ("tables.md", 11),
        ("traffic.md", 5),
        ("ledger-audit.md", 1),
        ("unused-topics.md", 2),
        ("upgrade-impact.md", 3),
        ("header-drift.md", 3),
        ("latency-slo.md", 2),
        ("end-to-end-latency.md", 2),
        ("completeness.md", 2),
        ("mirror-audit.md", 2),
        ("telemetry-rollup.md", 3),
        ("cost-attribution.md", 3),
    ],
)
def test_what_reads_or_changes_tables_is_run_as_it_stands(
    folder: Path, capsys: pytest.CaptureFixture[str], page: str, number: int
) -> None:
    # Those with --job are run in test_tables_through_drivers.py.
    typed = [words for words in commands(page) if words[0] == "tables" and "--job" not in words]

    for words in typed:
        assert main(words) == 0, words
        assert capsys.readouterr().out.strip(), words

    assert len(typed) == number


def test_the_queries_of_traffic_answer_what_they_ask(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = []
    for words in commands("traffic.md"):
        assert main([*words, "-o", "json"]) == 0
        answers.append(json.loads(capsys.readouterr().out)["items"])

    most, unread, readers, errors, complete = answers
    assert [(row["client_id"], row["bytes"]) for row in most] == [("shop", 1000), ("desk", 500)]
    assert unread == [{"topic": "audit", "produced": 7}]
    assert readers == [{"owner": "shop", "owner_contact": "#shop", "principal": "User:alice", "client_id": "shop"}]
    assert [(row["error"], row["answers"]) for row in errors] == [("6", 3)]
    assert [(row["window_seconds"], row["state"], row["rows"]) for row in complete] == [
        (3600, "open", 1),
        (3600, "sealed", 4),
        (86_400, "sealed", 3),
    ]


def test_the_queries_of_upgrades_and_headers_answer_what_they_ask(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = []
    for page in ("upgrade-impact.md", "header-drift.md"):
        for words in commands(page):
            assert main([*words, "-o", "json"]) == 0
            answers.append(json.loads(capsys.readouterr().out)["items"])

    whom, versions, unseen, keys, unregistered, values = answers
    assert [(row["owner"], row["client_id"], row["uses"], row["requests"]) for row in whom] == [
        ("(nobody)", "desk", "Fetch 3, Produce 2", 9)
    ]
    assert [(row["api"], row["api_version"], row["requests"]) for row in versions] == [
        ("Fetch", 3, 7),
        ("Fetch", 13, 70),
        ("Produce", 2, 2),
    ]
    assert [row["client_software_name"] for row in unseen] == ["sarama"], "what announces nothing was seen"
    assert [(row["key"], row["headers"]) for row in keys] == [("charge.tag", 9), ("x-debug", 2)]
    assert [(row["key"], row["client_id"]) for row in unregistered] == [("x-debug", "desk")]
    assert [(row["value"], row["headers"]) for row in values] == [("red", 5), ("blue", 4)]


def test_the_queries_of_latency_answer_what_they_ask(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = []
    for page in ("latency-slo.md", "end-to-end-latency.md"):
        for words in commands(page):
            assert main([*words, "-o", "json"]) == 0
            answers.append(json.loads(capsys.readouterr().out)["items"])

    worst, used, oldest, clocks = answers
    assert [(row["principal"], row["answers"], row["bad"], row["fastest"]) for row in worst] == [
        ("User:a", 2000, 6, 5.0)
    ]
    assert [(row["principal"], row["bad"], row["percent_used"]) for row in used] == [("User:a", 6, 300.0)]
    assert [(row["group_id"], row["topic"], row["worst_p99_ms"], row["skew"]) for row in oldest] == [
        ("shop", "orders", 9.0, 0.0),
        ("desk", "orders", 7.0, 0.0),
        ("desk", "stock", None, 1.0),
    ]
    assert [(row["client_id"], row["topics"], row["topics_with_skew"]) for row in clocks] == [("desk", 2, 1)]


@pytest.mark.parametrize("page", ["latency-slo.md", "end-to-end-latency.md"])
def test_the_resources_of_the_pages_on_latency_are_valid(page: str) -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```", (GUIDES / page).read_text(), re.MULTILINE | re.DOTALL)

    job = AnalyticsJob.model_validate(yaml.safe_load(text))

    assert page == f"{job.spec.analysis.table.replace('_', '-')}.md"
    assert job.spec.analysis.parameters.latency_slo or job.spec.analysis.parameters.end_to_end_latency


def test_the_queries_of_telemetry_answer_what_they_ask(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = []
    for words in commands("telemetry-rollup.md"):
        if words[0] == "tables":
            assert main([*words, "-o", "json"]) == 0
            answers.append(json.loads(capsys.readouterr().out)["items"])

    slowest, connected, left_out = answers
    assert [(row["client_id"], row["greatest_ms"], row["average_ms"]) for row in slowest] == [
        ("desk", 9.0, 9.0),
        ("shop", 4.0, 2.5),
    ]
    assert [(row["connections"], row["clients"]) for row in connected] == [(3.0, 2)]
    assert [(row["client_id"], row["left_out"]) for row in left_out] == [("shop", 5)]


def test_the_queries_of_cost_answer_what_they_ask(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = []
    for words in commands("cost-attribution.md"):
        if words[0] == "tables":
            assert main([*words, "-o", "json"]) == 0
            answers.append(json.loads(capsys.readouterr().out)["items"])

    teams, sums, unowned = answers
    assert [(row["month"], row["team"], row["cost"]) for row in teams] == [
        ("2026-09", "orders", 1.5),
        ("2026-09", "nobody", 1.5),
    ]
    assert len(sums) == 1
    assert {(row["topic"], row["cost"]) for row in unowned} == {("orders", 0.5), ("audit", 0.5)}


def test_the_columns_of_those_queries_are_those_that_the_job_writes() -> None:
    for traffic in (one for one in described_jobs() if one.name == "Traffic"):
        written = to_arrow_schema(traffic.schema)
        assert {field.name: field.type for field in TRAFFIC} == {
            field.name: written.field(field.name).type for field in TRAFFIC
        }


def test_jobs_are_run_with_options_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[JobConfig] = []
    monkeypatch.setattr(job_run, "require_spark", lambda _: {})
    monkeypatch.setattr(job_run, "_make", lambda _: None)
    monkeypatch.setattr(job_run, "read_properties", lambda _: {})
    monkeypatch.setattr(
        job_run, "run_driver", lambda config, *_, **__: made.append(JobConfig.model_validate_json(config))
    )
    monkeypatch.setattr(job_run, "show_table", lambda *_: None)

    typed = [words for words in commands("tables.md") if words[:2] == ["jobs", "run"]]

    assert [main(words) for words in typed] == [0, 0, 0]
    assert {config.table_path.partition("tables/")[2] for config in made} == {"my_inventory/table"}
    assert [config.run.mode for config in made] == ["once", "once", "streaming"]
    assert [config.parameters for config in made] == [{}, {"forget_after": "48h"}, {}]


def test_the_resource_of_the_page_is_valid() -> None:
    _role, _binding, resource, parameters = documents("tables.md")

    assert AnalyticsJob.model_validate(resource).spec.analysis.table == "client_inventory_2"
    resource["spec"]["analyses"][0] |= {"type": "Traffic", **parameters}
    assert AnalyticsJob.model_validate(resource).spec.analysis.parameters.traffic.keep.hours == "9600h"
