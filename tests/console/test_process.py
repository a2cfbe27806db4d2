"""Starts `kwitness console` as a person does, and ends it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from kwitness.sandbox.session import published
from kwitness.sandbox.waiting import run_to_end, wait_for_exit

from tests.cli.command import COMMAND
from tests.cli.forked_command import run_forked
from tests.collector.collector_process import CollectorProcess
from tests.console.open_console import figure, session_of
from tests.eventually import eventually

pytestmark = pytest.mark.slow
CONSOLE = (*COMMAND, "console", "--no-browser")


@pytest.fixture
def environment(fleet: CollectorProcess, session_folder: Path) -> Iterator[dict[str, str]]:
    with published(session_of(fleet)):
        yield {**os.environ, "XDG_RUNTIME_DIR": str(session_folder), "KUBECONFIG": str(session_folder / "none")}


def test_the_command_opens_pages_of_the_fleet_until_it_is_interrupted(
    environment: dict[str, str], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with log.open("wb") as output:
        process = subprocess.Popen([*CONSOLE, "clients/checkout"], env=environment, stdout=output, stderr=output)
    try:
        shown = eventually(log.read_text, lambda text: "It runs until Ctrl-C." in text, needs=[process])
        found = re.search(r"http://127\.0\.0\.1:\d+/enter\?code=\S+", shown)
        assert found is not None
        with requests.Session() as browser:
            page = browser.get(found[0], timeout=30)
            assert page.status_code == 200
            assert page.url.endswith("/clients/checkout")
            address = page.url.removesuffix("clients/checkout")
            rows = eventually(lambda: browser.get(address, timeout=30).text, lambda text: "User:checkout" in text)
        assert figure(rows, "pushing") == "4"
        assert requests.get(found[0], timeout=30).status_code == 403
    finally:
        process.send_signal(signal.SIGINT)
    assert wait_for_exit(process) == 0
    assert "Traceback" not in log.read_text()


def test_a_port_that_is_in_use_is_named(environment: dict[str, str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        done = run_forked(["console", "--no-browser", "--port", str(port)], tmp_path, environment)

    assert done.returncode == 1
    assert f"kwitness console: port {port} of 127.0.0.1 cannot be used" in done.stderr
    assert "choose another one with --port" in done.stderr


def test_without_its_libraries_the_extra_is_named(environment: dict[str, str], tmp_path: Path) -> None:
    hidden = (
        "import sys; from importlib import util; real = util.find_spec; "
        "util.find_spec = lambda name: None if name == 'duckdb' else real(name); "
        "from kwitness.cli.__main__ import main; sys.exit(main(['console']))"
    )
    done = run_to_end([COMMAND[0], "-c", hidden], env=environment)

    assert done.returncode == 1
    assert "duckdb is not installed: install the extra `console`" in done.stderr
