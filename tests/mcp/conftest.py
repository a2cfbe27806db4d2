"""Starts a collector with the invented fleet, and `kwitness mcp` with the SDK's own client."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import CallToolResult, Tool

from kwitness.sandbox.session import Session, published

from tests.cli.command import COMMAND
from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import CLUSTER
from tests.console.fleet_samples import OWNERS, fill, stay
from tests.console.open_console import session_of

GUIDE = Path(__file__).resolve().parents[2] / "docs/guides/mcp.md"
SCOPED = "scoped-reader-token"
"""Of a reader that sees the namespace `stranger` alone."""


class Tools:
    """`kwitness mcp` as a program with a model has it; answers are checked against their schema by the client."""

    def __init__(self, portal: Any, client: Client) -> None:
        self._portal, self._client = portal, client

    def listed(self) -> list[Tool]:
        return list(self._portal.call(self._client.list_tools).tools)

    def ask(self, tool: str, /, **arguments: Any) -> CallToolResult:
        answer = self._portal.call(self._client.call_tool, tool, arguments)
        assert isinstance(answer, CallToolResult)
        return answer

    def document(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        answer = self.ask(tool, **arguments)
        assert not answer.is_error, answer.content
        assert isinstance(answer.structured_content, dict)
        return answer.structured_content

    def refusal(self, tool: str, /, **arguments: Any) -> str:
        answer = self.ask(tool, **arguments)
        assert answer.is_error, answer.structured_content
        [content] = answer.content
        return str(content.text)


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CollectorProcess]:
    process = CollectorProcess(tmp_path_factory.mktemp("fleet"))
    with process.tokens.open("a") as tokens:
        tokens.write(f"{SCOPED} reader {CLUSTER} namespace=stranger\n")
    process.own(OWNERS)
    process.start()
    fill(process)
    yield process
    process.kill()


@pytest.fixture
def fleet(filled: CollectorProcess) -> CollectorProcess:
    """A collector that knows the fleet now; tests do not change it."""
    stay(filled)
    return filled


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of sessions, and of tables in `tables`."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "tables").mkdir()
    return folder


@pytest.fixture(scope="session")
def server(home: Path) -> Iterator[Tools]:
    """The program, which runs for all tests."""
    with opened(home, "--tables", str(home / "tables")) as tools:
        yield tools


def lines_of_the_guide() -> list[dict[str, Any]]:
    """Return what the guide says to write into configurations of programs."""
    blocks = re.findall(r"^```json\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    return [line for block in blocks for servers in json.loads(block).values() for line in servers.values()]


def configured(home: Path, command: Sequence[str]) -> StdioServerParameters:
    """Return the configuration of a program with a model, which passes few variables but those that are named."""
    variables = {"XDG_RUNTIME_DIR": str(home), "KUBECONFIG": str(home / "none")}
    return StdioServerParameters(command=command[0], args=list(command[1:]), env=variables)


@contextmanager
def opened(home: Path, *arguments: str) -> Iterator[Tools]:
    command = [*COMMAND, "mcp", *arguments]
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(configured(home, command)))) as client,
    ):
        yield Tools(portal, client)


@pytest.fixture
def tools(server: Tools, fleet: CollectorProcess, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tools]:
    """The program before the fleet, which commands of this process find too."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(home))
    monkeypatch.setenv("KUBECONFIG", str(home / "none"))
    with published(session_of(fleet)):
        yield server


@contextmanager
def instead(session: Session, **changes: Any) -> Iterator[None]:
    """Publish a newer session, which is asked until the block ends."""
    with published(session.model_copy(update={"pid": session.pid + 1, **changes})):
        yield
