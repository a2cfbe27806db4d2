"""Several jobs of one driver: each its own end, in one Spark session; and configurations that cannot be run so."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from kwitness.contracts.job_config import JobConfig
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.jobs.driver.configurations import ConfigurationError, read_configurations
from kwitness.sandbox.waiting import run_to_end

from tests.jobs import cost_inputs
from tests.jobs.conftest import job_config
from tests.jobs.kafka_topics import Topics
from tests.jobs.tables import read
from tests.jobs.test_driver_process import environment
from tests.jobs.traffic import push


@pytest.mark.broker
def test_jobs_run_in_turn_in_one_session_and_one_that_fails_ends_no_other(kafka: LocalBroker, tmp_path: Path) -> None:
    topics = Topics(kafka.bootstrap).create()
    now = str(time.time_ns() // 1_000_000)
    topics.write(
        [
            push(client_instance_id="of-long-ago", received_at_ms="1000"),
            push(client_instance_id="of-today", received_at_ms=now),
        ]
    )
    of_topics = {"kafka": {"bootstrap_servers": [kafka.bootstrap]}, "topics": topics.names.model_dump()}
    (tmp_path / "file").write_text("not a folder")
    cost_inputs.add_traffic(tmp_path, cost_inputs.traffic_rows(2, windows=4))
    configs = [
        job_config(
            tmp_path / "unwritable", name="unwritable", table_path=(tmp_path / "file/table").as_uri(), **of_topics
        ),
        job_config(tmp_path / "inventory", name="inventory", **of_topics),
        _cost(tmp_path, "without-its-input", tmp_path / "nothing"),
        _cost(tmp_path, "cost", tmp_path / "traffic"),
    ]

    done = run_to_end(
        [sys.executable, "-m", "kwitness.jobs", "--config", *_files(tmp_path, configs)], env=environment()
    )

    assert done.returncode == 1, done.stderr[-3000:]
    told: dict[str, dict[str, Any]] = {status["name"]: status for status in map(json.loads, done.stdout.splitlines())}
    assert {name: (status["phase"], status.get("reason")) for name, status in told.items()} == {
        "unwritable": ("Failed", "TableNotWritable"),
        "inventory": ("Succeeded", None),
        "without-its-input": ("Failed", "Failed"),
        "cost": ("Succeeded", None),
    }, done.stderr[-3000:]
    assert "waits for the table of Traffic" in told["without-its-input"]["message"]
    assert len({status["application_id"] for status in told.values()}) == 1
    assert [row["client_instance_id"] for row in read(configs[1].table_path)] == ["of-today"], (
        "it keeps house at its end"
    )
    assert told["inventory"]["ledger"]["accepted"] == 2
    assert told["cost"]["finding_counts"]["RateMissing"] >= 1
    assert [(cost["owner"], cost["month_micro_units"] > 0) for cost in told["cost"]["costs"]["owners"]] == [
        ("unowned", True)
    ]
    assert {row["month"] for row in read(configs[3].table_path)} >= {"2027-03"}
    assert not DeltaTable.is_deltatable(configs[2].table_path)
    assert "2 of 4 jobs ended well" in done.stderr


def test_a_job_that_never_ends_is_refused_beside_others(tmp_path: Path) -> None:
    streaming = {"mode": "streaming", "trigger_seconds": 1.0}
    files = _files(tmp_path, [job_config(tmp_path), job_config(tmp_path, name="stream", run=streaming)])

    with pytest.raises(ConfigurationError, match=r"stream\.json: run\.mode is streaming"):
        read_configurations([Path(file) for file in files], {})
    assert len(read_configurations([Path(files[1])], {})) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"executors": {"cores": 8}},
        {"storage": {"keys_folder": "/keys"}},
        {"storage": {"settings": {"fs.s3a.connection.maximum": "9"}}},
        {"table_path": "s3a://bucket/table"},
    ],
    ids=["executors", "keys", "settings", "store"],
)
def test_jobs_that_need_another_session_are_refused_beside_others(tmp_path: Path, changes: dict[str, Any]) -> None:
    files = _files(tmp_path, [job_config(tmp_path), job_config(tmp_path, name="other", **changes)])

    with pytest.raises(ConfigurationError, match=r"other\.json: executors, storage"):
        read_configurations([Path(file) for file in files], {})


def _cost(folder: Path, name: str, traffic: Path) -> JobConfig:
    return job_config(
        folder / name,
        type="CostAttribution",
        name=name,
        parameters={
            "traffic_job_ref": {"name": "traffic"},
            "rate_card_config_map_ref": {"name": "kwitness-rates"},
            "time_zone": "Etc/UTC",
        },
        rate_card={"currency": "EUR", "bytes_in_per_gib": 1000},
        input_tables={"Traffic": traffic.as_uri()},
        kafka={"bootstrap_servers": []},
    )


def _files(folder: Path, configs: list[JobConfig]) -> list[str]:
    files = [folder / f"{config.name}.json" for config in configs]
    for file, config in zip(files, configs, strict=True):
        file.write_text(config.model_dump_json())
    return [str(file) for file in files]
