"""Log lines, probes, reloading files, names of children."""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Gauge

from kwitness.runtime.child_names import collector_name, collector_peer_host, collector_replicas_name, job_name
from kwitness.runtime.json_logging import JsonFormatter
from kwitness.runtime.probes import ProbeServer
from kwitness.runtime.reloading import ReloadingFile
from kwitness.sandbox.waiting import run_to_end


def test_a_log_line_is_json_with_its_plain_fields_only():
    record = logging.makeLogRecord({"name": "x", "levelname": "INFO", "msg": "Said %s", "args": ("it",)})
    record.kind, record.whole = "KafkaCluster", object()
    line = json.loads(JsonFormatter().format(record))
    assert line["message"] == "Said it"
    assert line["kind"] == "KafkaCluster"
    assert "whole" not in line
    assert line["time"].endswith("Z")


def logged_by(program: str) -> tuple[int, list[dict[str, Any]]]:
    """Run a program that configures logging; its exit code and log lines. It must write nothing else."""
    head = "import logging, threading, warnings\nfrom kwitness.runtime.json_logging import configure_logging\n"
    command = [sys.executable, "-c", head + program]
    done = run_to_end(command)
    assert done.stderr == ""
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_a_library_that_logs_passwords_is_kept_quiet_even_when_debugging():
    _, lines = logged_by(
        """
configure_logging("DEBUG")
logging.getLogger("kafka.net.connection").debug("canary")
logging.getLogger("kwitness").debug("ours")
"""
    )
    assert [line["message"] for line in lines] == ["ours"]


def test_what_nobody_caught_is_json_too():
    code, lines = logged_by(
        """
class Careless:
    def __del__(self):
        raise ValueError("in a destructor")

def work():
    raise ValueError("in a thread")

configure_logging("INFO")
warnings.warn("a warning")
thread = threading.Thread(target=work)
thread.start()
thread.join()
Careless()
raise ValueError("in the main thread")
"""
    )
    assert code == 1
    told = [line.get("exception", line["message"]) for line in lines]
    for text, words in zip(told, ("a warning", "in a thread", "in a destructor", "in the main thread"), strict=True):
        assert words in text


async def test_probes_name_the_trouble():
    trouble: list[str] = []
    registry = CollectorRegistry()
    Gauge("something", "x", registry=registry).set(3)
    server = ProbeServer(port=0, alive=lambda: None, ready=lambda: trouble[0] if trouble else None, registry=registry)
    port = await server.start("127.0.0.1")
    try:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
            assert (await session.get("/readyz")).status == 200
            trouble.append("not yet")
            answer = await session.get("/readyz")
            assert (answer.status, await answer.text()) == (503, "not yet")
            assert "something 3.0" in await (await session.get("/metrics")).text()
    finally:
        await server.stop()


def test_a_file_is_read_again_when_the_kubelet_moves_its_link(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "token").write_text(name)
    (tmp_path / "data").symlink_to("one")
    (tmp_path / "token").symlink_to("data/token")
    file = ReloadingFile(tmp_path / "token", lambda raw: raw.decode(), check_seconds=0)
    assert file.current() == "one"
    (tmp_path / "new").symlink_to("two")
    os.replace(tmp_path / "new", tmp_path / "data")  # noqa: PTH105 - the very call the kubelet makes
    assert file.current() == "two"


def test_a_bad_new_content_does_not_undo_a_good_one(tmp_path: Path):
    path = tmp_path / "number"
    path.write_text("1")
    file = ReloadingFile(path, int, check_seconds=0)
    assert file.current() == 1
    path.write_text("nonsense")
    assert file.current() == 1
    assert isinstance(file.failure, ValueError)
    path.unlink()
    assert file.current() == 1


def test_a_file_that_was_never_good_raises(tmp_path: Path):
    with pytest.raises(OSError, match="missing"):
        ReloadingFile(tmp_path / "missing", bytes).current()


@given(st.from_regex(r"[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?", fullmatch=True))
def test_names_of_children_fit_where_they_are_used(name):
    assert len(collector_name(name)) <= 52
    assert len(job_name(name)) <= 52
    assert len(collector_replicas_name(name)) <= 63
    assert not collector_name(name).endswith("-")


def test_names_that_are_cut_stay_distinct():
    first, second = "a" * 40, "a" * 39 + "b"
    assert collector_name(first) != collector_name(second)
    assert collector_name("main") == "kwitness-collector-main"
    host = "kwitness-collector-main-1.kwitness-collector-main-replicas.n.svc"
    assert collector_peer_host("main", "n", 1) == host
