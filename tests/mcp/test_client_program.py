"""Starts the command as programs with models do: by the handshake that they have, on pipes, with few variables."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from mcp import ClientSession, stdio_client
from mcp.client import stdio
from mcp_types import CallToolResult, InitializeResult, Tool

from kwitness.sandbox import session
from kwitness.sandbox.session import find_session, published
from kwitness.sandbox.waiting import wait_for_exit

from tests.cli.command import COMMAND
from tests.cli.forked_command import fork
from tests.collector.collector_process import CollectorProcess
from tests.console.open_console import session_of
from tests.eventually import ANSWER_S, eventually
from tests.mcp.conftest import configured, instead, lines_of_the_guide

pytestmark = pytest.mark.slow
NOTED = ("/bin/sh", "-c", 'log=$1; shift; "$@" 2>"$log"; echo "ended with $?" >>"$log"', "sh")
"""Runs a command, and writes its errors and status into a file."""
CALLS: dict[str, dict[str, Any]] = {
    "clients": {"fields": ["client_id", "owner"], "order": "client_id", "limit": 2},
    "silent_clients": {"client_software_name": "kafkajs"},
    "topics": {"topic": "orders"},
    "groups": {},
    "why": {"client": "ledger"},
}


class Visit(NamedTuple):
    """Answers that a program has from its start of the command to the end of that."""

    welcome: InitializeResult
    tools: list[Tool]
    answers: dict[str, CallToolResult]
    unknown: CallToolResult
    away: CallToolResult
    others: list[Any]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Errors and status of the command that `visit` had started."""
    return tmp_path_factory.mktemp("visit") / "log"


@pytest.fixture(scope="module")
def visit(filled: CollectorProcess, home: Path, log: Path) -> Visit:
    with pytest.MonkeyPatch.context() as patched:
        # The client kills what has not ended after it; here that would hide a command that stays.
        patched.setattr(stdio, "PROCESS_TERMINATION_TIMEOUT", ANSWER_S)
        patched.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        patched.setenv("XDG_RUNTIME_DIR", str(home))
        with published(session_of(filled)):
            return anyio.run(visited, filled, home, log)


async def visited(collector: CollectorProcess, home: Path, log: Path) -> Visit:
    others: list[Any] = []

    async def other(message: Any) -> None:
        others.append(message)

    line = lines_of_the_guide()[0]
    command = configured(home, [*NOTED, str(log), line["command"], *line["args"]])
    assert collector.process is not None
    try:
        async with (
            stdio_client(command) as (received, sent),
            ClientSession(received, sent, message_handler=other) as client,
        ):
            welcome = await client.initialize()
            tools = (await client.list_tools()).tools
            # The client compares structured answers with the schemas of `tools`.
            answers = {name: await called(client, name, arguments) for name, arguments in CALLS.items()}
            unknown = await called(client, "why", {"client": "nobody"})
            with instead(session_of(collector), collector_address="127.0.0.1:1"):
                away = await called(client, "clients", {})
            collector.process.send_signal(signal.SIGSTOP)
            with anyio.move_on_after(1) as waiting:
                await client.call_tool("clients", {})
            assert waiting.cancelled_caught
    finally:
        collector.process.send_signal(signal.SIGCONT)
    return Visit(welcome, tools, answers, unknown, away, others)


async def called(client: ClientSession, name: str, arguments: dict[str, Any]) -> CallToolResult:
    answer = await client.call_tool(name, arguments)
    assert isinstance(answer, CallToolResult)
    return answer


def sentence_of(answer: CallToolResult) -> str:
    assert answer.is_error
    assert answer.structured_content is None
    [content] = answer.content
    return str(content.text)  # type: ignore[union-attr]


def test_programs_of_the_handshake_are_welcome_and_given_described_tools(visit: Visit) -> None:
    assert visit.welcome.protocol_version == "2025-11-25"
    assert visit.welcome.server_info.name == "kwitness"
    assert visit.welcome.capabilities.tools is not None
    assert "none changes anything" in (visit.welcome.instructions or "")
    for tool in visit.tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.description
        assert tool.input_schema["type"] == "object"
        properties = tool.input_schema["properties"]
        assert [name for name, schema in properties.items() if not schema.get("description")] == []
    assert {*CALLS} <= {tool.name for tool in visit.tools}


def test_answers_are_structured_and_the_same_as_text(visit: Visit) -> None:
    for name, answer in visit.answers.items():
        assert not answer.is_error, (name, answer.content)
        [content] = answer.content
        assert json.loads(content.text) == answer.structured_content  # type: ignore[union-attr]
        assert answer.structured_content["items"], name  # type: ignore[index]
    clients = visit.answers["clients"].structured_content
    orders = {"team": "orders", "source": "ConfigMap", "contact": "#orders"}
    assert clients is not None
    assert clients["items"] == [{"client_id": "checkout", "owner": orders}] * 2
    assert clients["left_out"] == 2
    assert clients["next_cursor"]


def test_errors_name_the_input_the_reason_and_the_remedy(visit: Visit) -> None:
    unknown, away = sentence_of(visit.unknown), sentence_of(visit.away)

    assert "no client nobody is known: it has not pushed lately" in unknown
    assert "AnalyticsJob of type ClientInventory" in unknown
    assert "the collector of `kwitness try` does not answer ([Errno 111] Connection refused)" in away
    assert "see the terminal of process" in away


def test_nothing_but_answers_is_written_and_it_ends_with_the_program(visit: Visit, log: Path) -> None:
    assert visit.others == []
    assert log.read_text() == "ended with 0\n"


def test_ctrl_c_ends_it_without_a_traceback(home: Path, tmp_path: Path) -> None:
    entered = tmp_path / "entered"
    os.mkfifo(entered)
    descriptor = os.open(entered, os.O_RDWR)  # for writing alone it would wait for who reads
    program = fork(["mcp"], tmp_path, configured(home, COMMAND).env or {}, entered=entered)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    os.write(descriptor, f"{json.dumps(ping)}\n".encode())
    answer = eventually((tmp_path / "stdout").read_text, lambda text: text.endswith("\n"), needs=[program])
    assert json.loads(answer)["id"] == 1
    program.send_signal(signal.SIGINT)

    assert wait_for_exit(program) == -signal.SIGINT
    assert (tmp_path / "stderr").read_text() == ""
    os.close(descriptor)


def test_a_session_is_found_without_the_variable_that_programs_do_not_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filled: CollectorProcess
) -> None:
    usual = tmp_path / str(os.getuid())
    usual.mkdir()
    monkeypatch.setattr(session, "_OF_USERS", tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(usual))
    with published(session_of(filled)):
        monkeypatch.delenv("XDG_RUNTIME_DIR")
        assert find_session() == session_of(filled)
