"""Checks when tables of analyses are read, what ends the process that reads them, and what is known of bad ones."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from kwitness.answers.failure import CommandFailedError
from kwitness.answers.tables import delta_tables
from kwitness.console.index import analyses
from kwitness.console.index.contents import new_index
from kwitness.console.index.database import Database
from kwitness.console.index.resource_tables import RESOURCES
from kwitness.console.sources import tables as tables_module
from kwitness.console.sources import tables_program
from kwitness.console.sources.found_tables import tables_in_folder, tables_of_resources
from kwitness.console.sources.source import SourceState
from kwitness.console.sources.store_keys import KEYS_FOLDER
from kwitness.console.sources.tables import TableSources
from kwitness.console.sources.tables_process import Bounds, Reading, read_in_process
from kwitness.console.sources.tables_program import answered
from kwitness.e2e.object_store import REGION, ObjectStore
from kwitness.runtime.connections import allow_descriptors

from tests.console.table_samples import REQUESTS, columns_of, read_here, seen, write_table
from tests.console.traffic_samples import HOUR, moved, write_traffic


class Reads:
    """Reads tables in this process, and counts which."""

    def __init__(self) -> None:
        self.jobs: list[str] = []

    def __call__(self, requests: Sequence[Mapping[str, str]]) -> Reading:
        self.jobs += [request["job"] for request in requests]
        return read_here(requests)


class Opened:
    """An index and the tables of a folder."""

    def __init__(self, folder: Path, **more: Any) -> None:
        self.folder, self.index, self.reads = folder, new_index(), Reads()
        self.sources = TableSources(
            [functools.partial(tables_in_folder, str(folder))],
            self.index,
            lambda: None,
            **{"read": self.reads, **more},
        )

    async def read(self) -> SourceState:
        await self.sources.source.read_once()
        return self.sources.states["upgrade_impact"]

    def rows(self, job: str = "upgrade") -> int:
        query = "SELECT count(*) AS number FROM upgrade_impact WHERE job = ?"
        number: int = self.index.row(query, [job])["number"]
        return number


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """A folder with one table of two rows."""
    write_table(tmp_path, "UpgradeImpact", REQUESTS[:2], name="upgrade")
    return Opened(tmp_path)


def due_at_once(opened: Opened) -> None:
    """Let the time pass that lies between two reads of a table."""
    for known in opened.sources._known.values():
        known.read_at -= 3_600


async def test_a_table_is_read_again_with_a_new_version_and_not_without(opened: Opened) -> None:
    state = await opened.read()
    assert (state.state, opened.rows(), opened.reads.jobs) == ("complete", 2, ["upgrade"])

    write_table(opened.folder, "UpgradeImpact", REQUESTS[3:4], name="upgrade", mode="append")
    await opened.read()
    assert opened.reads.jobs == ["upgrade"], "it was read less than a minute ago"
    due_at_once(opened)
    await opened.read()
    assert opened.rows() == 3
    due_at_once(opened)
    await opened.read()
    assert opened.reads.jobs == ["upgrade", "upgrade"]


async def test_a_table_that_was_recreated_is_read_though_its_version_is_lower(opened: Opened) -> None:
    write_table(opened.folder, "UpgradeImpact", REQUESTS[:1], name="upgrade", mode="append")
    await opened.read()
    shutil.rmtree(opened.folder / "upgrade")
    write_table(opened.folder, "UpgradeImpact", REQUESTS[:1], name="upgrade")
    due_at_once(opened)

    state = await opened.read()

    assert opened.rows() == 1
    assert state.state == "complete"
    assert opened.index.row("SELECT version FROM job_tables")["version"] == 0


async def test_a_table_that_is_gone_has_no_rows(opened: Opened) -> None:
    write_table(opened.folder, "UpgradeImpact", REQUESTS, name="other")
    await opened.read()
    assert opened.rows("other")
    shutil.rmtree(opened.folder / "other")

    state = await opened.read()

    assert (opened.rows("other"), opened.rows(), state.state) == (0, 2, "complete")
    assert [row["job"] for row in opened.index.rows("SELECT job FROM job_tables")] == ["upgrade"]


async def test_rows_stay_when_their_table_is_broken_and_the_reason_is_known(opened: Opened) -> None:
    await opened.read()
    path = write_table(opened.folder, "UpgradeImpact", REQUESTS, name="upgrade")
    for file in path.glob("*.parquet"):
        file.unlink()
    due_at_once(opened)

    state = await opened.read()

    assert opened.rows() == 2
    assert state.state == "partial"
    assert "table upgrade: " in state.lacks[0]
    assert "upgrade" in opened.index.row("SELECT problem FROM job_tables")["problem"]


async def test_a_table_whose_log_is_no_log_may_be_of_any_type(opened: Opened) -> None:
    log = opened.folder / "odd/table/_delta_log"
    log.mkdir(parents=True)
    (log / f"{0:020}.json").write_text("no JSON\n")

    state = await opened.read()

    assert opened.rows() == 2
    assert state.lacks[0].startswith("table odd: ")


async def test_a_table_without_a_version_yet_is_not_read(opened: Opened) -> None:
    (opened.folder / "begun/table/_delta_log").mkdir(parents=True)

    state = await opened.read()

    assert (state.state, opened.reads.jobs) == ("complete", ["upgrade"])


async def test_a_folder_that_vanished_is_named_and_rows_stay(opened: Opened) -> None:
    await opened.read()
    shutil.rmtree(opened.folder)

    state = await opened.read()

    assert state.state == "failed"
    assert state.problem == f"{opened.folder} is no folder: name one that jobs write to"
    assert opened.sources.source.problem == state.problem
    assert opened.rows() == 2


async def test_tables_of_other_types_are_opened_once(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    write_table(opened.folder, "HeaderDrift", [], name="headers")
    await opened.read()
    write_table(opened.folder, "HeaderDrift", [], name="headers", mode="append")

    await opened.read()

    assert sorted(opened.reads.jobs) == ["headers", "upgrade"]


async def test_the_rows_that_matter_most_are_kept_of_a_table_with_too_many(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [seen(client_id=f"client-{number}", requests=number) for number in range(30)]
    write_table(opened.folder, "UpgradeImpact", [*rows, *REQUESTS[:2]], name="upgrade", mode="append")
    [analysis] = [analysis for analysis in analyses.ANALYSES if analysis.name == "upgrade_impact"]
    for bounds in ({"rows": 10}, {"bytes": 2_000}):
        monkeypatch.setattr(tables_program, "ANALYSES", (dataclasses.replace(analysis, **bounds),))
        facts, text = answered({"job": "upgrade", "path": str(opened.folder / "upgrade")})
        kept = json.loads(text)
        assert kept[0]["client_id"] == "desk"
        assert len(kept) == facts["rows"] < 32
        assert facts["rows"] + facts["left_out"] == 32
        assert len(text) < 5_000


def test_a_process_beyond_a_bound_is_ended_and_the_bound_is_named(tmp_path: Path) -> None:
    path = write_table(tmp_path, "UpgradeImpact", REQUESTS)
    request = {"job": "upgrade", "path": str(path)}

    slow = read_in_process([request], Bounds(seconds=0.05))
    large = read_in_process([request], Bounds(memory=1024 * 1024))

    assert (slow.tables, slow.ended) == ([], "reading it takes longer than 0.05 seconds")
    assert (large.tables, large.ended) == ([], "reading it takes more than 1 MiB of memory")


def test_tables_are_read_beside_more_than_a_thousand_connections(tmp_path: Path) -> None:
    path = write_table(tmp_path, "UpgradeImpact", REQUESTS)
    allow_descriptors()
    with contextlib.ExitStack() as stack:
        for _ in range(1_100):
            stack.enter_context(Path(os.devnull).open())
        reading = read_in_process([{"job": "upgrade", "path": str(path)}])

    assert (len(reading.tables), reading.ended) == (1, None)


def test_the_process_answers_as_much_as_is_read(tmp_path: Path) -> None:
    path = write_table(tmp_path, "UpgradeImpact", REQUESTS)
    requests = [{"job": f"job {number}", "path": str(path)} for number in range(200)]

    reading = read_in_process(requests, Bounds(answered=20_000))

    assert 0 < len(reading.tables) < 200
    assert reading.ended == "its rows are more than 0 MiB"
    assert reading.worked_s > 0
    assert [table.facts["job"] for table in reading.tables[:2]] == ["job 0", "job 1"]


def test_the_console_loads_no_library_of_tables_and_their_process_needs_no_pyarrow(
    tmp_path: Path,
) -> None:
    paths = {
        "upgrade": write_table(tmp_path, "UpgradeImpact", REQUESTS),
        "traffic": write_traffic(tmp_path, [moved("till", "orders", 7_200)]),
    }
    requests = [{"job": job, "path": str(path), "hour_ms": HOUR} for job, path in paths.items()]
    del requests[0]["hour_ms"]
    program = (
        "import json, sys, kwitness.console.process\n"
        "print(json.dumps([name for name in ('pyarrow', 'deltalake') if name in sys.modules]))\n"
        "sys.modules |= dict.fromkeys(('pyarrow', 'pandas', 'numpy'))\n"
        "from kwitness.console.sources.tables_program import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input="".join(f"{json.dumps(request)}\n" for request in requests),
        check=True,
        capture_output=True,
        text=True,
    )

    loaded, *answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert (loaded, done.stderr) == ([], "")
    assert [facts.get("problem") for facts in answers[::2]] == [None, None]
    assert len(answers[1]) > 1
    [row] = answers[3]
    assert (row["client_id"], row["topic"], row["record_bytes_per_s"]) == ("till", "orders", 2.0)


def test_tables_of_a_store_are_read_with_the_keys_that_their_files_have_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secretAccessKey").write_text("of yesterday")
    with ObjectStore() as store:
        store.make_bucket("tables")
        monkeypatch.setenv("AWS_ENDPOINT_URL", store.endpoint)
        monkeypatch.setenv("AWS_REGION", REGION)
        monkeypatch.setenv(KEYS_FOLDER, str(tmp_path))
        keys = {"aws_access_key_id": store.keys.access, "aws_secret_access_key": store.keys.secret}
        options = {**keys, "allow_http": "true", "aws_conditional_put": "etag"}
        rows = pa.Table.from_pylist(REQUESTS[:1], schema=columns_of("UpgradeImpact"))
        write_deltalake("s3://tables/upgrade", rows, storage_options=options)
        (tmp_path / "accessKeyId").write_text(store.keys.access)
        request = {"job": "kwitness/upgrade", "path": "s3a://tables/upgrade"}

        [refused] = read_in_process([request]).tables
        (tmp_path / "secretAccessKey").write_text(f"{store.keys.secret}\n")
        [read] = read_in_process([request]).tables

    assert "s3a://tables/upgrade cannot be read" in refused.facts["problem"]
    assert (read.facts.get("problem"), read.facts["rows"]) == (None, 1)


async def test_the_table_that_ends_the_process_is_named_and_the_others_are_read_the_next_time(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write_table(tmp_path, "UpgradeImpact", REQUESTS[:1], name=name)
    ends = iter((1, 0))

    def read(requests: Sequence[Mapping[str, str]]) -> Reading:
        number = next(ends, len(requests))
        ended = "it is too large" if number < len(requests) else None
        return Reading(read_here(requests[:number]).tables, ended, 0.0)

    opened = Opened(tmp_path, read=read)
    state = await opened.read()
    assert state.lacks == ("table b: it is too large",)
    assert (opened.rows("a"), opened.rows("c")) == (1, 0)

    state = await opened.read()
    assert state.lacks == ("table b: it is too large", "table c: it is too large")

    due_at_once(opened)
    state = await opened.read()
    assert (state.lacks, opened.rows("b"), opened.rows("c")) == ((), 1, 1)


async def test_at_most_so_many_tables_of_a_type_are_read(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables_module, "MOST_TABLES", 1)
    await opened.read()
    write_table(opened.folder, "UpgradeImpact", REQUESTS[:1], name="zeal")
    await opened.read()

    state = await opened.read()

    assert state.lacks == ("1 table, since 1 of a type are read",)


def test_a_folder_of_too_many_folders_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delta_tables, "MOST_FOLDERS", 5)
    for number in range(5):
        (tmp_path / str(number)).mkdir()

    with pytest.raises(CommandFailedError, match="has more than 5 folders: name the folder that jobs write to"):
        tables_in_folder(str(tmp_path))


async def test_without_the_extra_the_source_names_it(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delta_tables, "find_spec", lambda _: None)

    state = await opened.read()

    assert state.problem is not None
    assert "install kwitness with its extra `tables`" in state.problem


async def test_tables_of_jobs_are_known_with_what_is_known_of_the_job(tmp_path: Path) -> None:
    path = write_table(tmp_path, "UpgradeImpact", REQUESTS[:2])
    index = new_index()
    add_job(index, "upgrade", {"tablePath": str(path), "tableVersion": 3, "phase": "Running", "lag": {"records": 7}})
    add_job(index, "other", {"tablePath": "/nowhere/table", "tableVersion": 3, "phase": "Suspended"})
    add_job(index, "driven", {"tablePath": "/nowhere/table", "tableVersion": 3, "phase": "Running"})
    sources = TableSources([functools.partial(tables_of_resources, index)], index, lambda: None, read=read_here)

    await sources.source.read_once()

    read, other, driven = (row for row in index.rows("SELECT * FROM job_tables ORDER BY job DESC"))
    assert (read["job"], read["option"], read["target"]) == ("kwitness/upgrade", "--job kwitness/upgrade", "4.0")
    assert (read["is_behind"], read["note"]) == (True, "the job is 7 records behind, so its rows will change")
    assert (other["job"], other["version"]) == ("kwitness/other", None)
    assert "mount the claim" in other["problem"]
    assert other["note"].startswith("the job is suspended")
    assert driven["problem"].startswith("only the driver of its AnalyticsJob reaches it: mount its claim")
    _, lack = sources.states["upgrade_impact"].lacks
    assert lack.startswith("table kwitness/other: the table of AnalyticsJob other is on a claim")


def add_job(index: Database, name: str, status: dict[str, Any]) -> None:
    """Have the index know an AnalyticsJob of type UpgradeImpact."""
    analysis = {
        "type": "UpgradeImpact",
        "table": "upgrade_impact",
        "run": {"streaming": {}},
        "parameters": {"upgradeImpact": {"target": "4.0"}},
    }
    item = {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "AnalyticsJob",
        "metadata": {"name": name, "namespace": "kwitness", "uid": name},
        "spec": {"clusterRef": {"name": "orders"}, "analyses": [analysis]},
        "status": {
            "driverPod": f"kwitness-job-{name}-0",
            "analyses": [{"table": "upgrade_impact", "type": "UpgradeImpact", **status}],
        },
    }
    row = {"kind": "AnalyticsJob", "k8s_namespace": "kwitness", "name": name, "created_ms": 0, "item": item}
    index.write(RESOURCES.added(json.dumps([row])))
