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

from kwitness.cli import job, tables
from kwitness.cli.job_configuration import JobOptions, job_config
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
    window(86_400, "partition", "Fetch", topic="orders", records=15, bytes=1500),
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
        ("cost/table", COSTS, columns["CostAttribution"]),
    ):
        plain = pa.schema([field.with_nullable(nullable=True).remove_metadata() for field in schema])
        write_deltalake(str(tmp_path / "tables" / path), pa.Table.from_pylist(rows, schema=plain))
    return tmp_path


def commands(page: str) -> list[list[str]]:
    """What a page has a reader type, of the command `kwitness`, in words."""
    text = (GUIDES / page).read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    starts = [one for block in blocks for one in re.split(r"^(?=kwitness )", block, flags=re.MULTILINE)]
    return [shlex.split(one)[1:] for one in starts if one.startswith("kwitness ")]


@pytest.mark.parametrize(
    ("page", "number"),
    [
        ("inventory.md", 1),
        ("tables.md", 11),
        ("traffic.md", 4),
        ("ledger-audit.md", 1),
        ("unused-topics.md", 2),
        ("cost-attribution.md", 3),
    ],
)
def test_what_reads_or_changes_tables_is_run_as_it_stands(
    folder: Path, capsys: pytest.CaptureFixture[str], page: str, number: int
) -> None:
    typed = [words[1:] for words in commands(page) if words[0] == "tables"]

    for words in typed:
        tables.answer(words)
        assert capsys.readouterr().out.strip(), words

    assert len(typed) == number


def test_the_queries_of_traffic_answer_what_they_ask(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = []
    for words in commands("traffic.md"):
        tables.answer([*words[1:], "--json"])
        answers.append(json.loads(capsys.readouterr().out))

    most, unread, errors, complete = answers
    assert [(row["client_id"], row["bytes"]) for row in most] == [("shop", 1000), ("desk", 500)]
    assert unread == [{"topic": "audit", "produced": 7}]
    assert [(row["error"], row["answers"]) for row in errors] == [("6", 3)]
    assert [(row["window_seconds"], row["state"], row["rows"]) for row in complete] == [
        (3600, "open", 1),
        (3600, "sealed", 4),
        (86_400, "sealed", 3),
    ]


def test_the_queries_of_cost_answer_what_they_ask(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = []
    for words in commands("cost-attribution.md"):
        if words[0] == "tables":
            tables.answer([*words[1:], "--json"])
            answers.append(json.loads(capsys.readouterr().out))

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


def test_jobs_are_run_with_options_that_there_are() -> None:
    typed = [words[1:] for words in commands("tables.md") if words[0] == "job"]

    for words in typed:
        given = job.parser().parse_args(words)
        options = JobOptions(given.type, given.table, parameters=given.parameter, trigger=given.trigger)
        assert job_config(options, {"bootstrap_servers": [given.bootstrap]}).table_path.endswith("/my_inventory/table")
    assert len(typed) == 3


def test_the_resource_of_the_page_is_valid() -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```", (GUIDES / "tables.md").read_text(), re.MULTILINE | re.DOTALL)

    assert AnalyticsJob.model_validate(yaml.safe_load(text)).spec.table == "client_inventory_2"
