"""Tables fit a terminal with client ids of any length and script; a pipe gets everything."""

from __future__ import annotations

import io
import itertools
import unicodedata
from collections.abc import Sequence
from contextlib import redirect_stdout

import pytest

from kwitness.answers.views.client_rows import CLIENT_HEADINGS
from kwitness.answers.views.connection_rows import CONNECTION_HEADINGS
from kwitness.answers.views.group_rows import GROUP_HEADINGS
from kwitness.answers.views.job_rows import JOB_HEADINGS
from kwitness.answers.views.metric_values import METRIC_HEADINGS
from kwitness.answers.views.silence import SILENT_HEADINGS, WHY_HEADINGS
from kwitness.answers.views.topic_rows import TOPIC_HEADINGS
from kwitness.answers.views.traffic_rows import TRAFFIC_HEADINGS
from kwitness.cli.columns import columns_of
from kwitness.cli.options import Options
from kwitness.cli.output import Column, Output
from kwitness.cli.subscription_page import AT_RISK, SILENT
from kwitness.cli.subscription_rows import COLUMNS, NAMESPACE_COLUMN
from kwitness.jobs.frame.text_table import aligned

LONG = "".join(f"orders-{number}-" for number in range(40))[:300]
NAMES = {
    "long": LONG,
    "wide": "注文処理" * 40,
    "combining": "e\u0301" * 200,
    "right to left": "שלום" * 40,
    "control": "\x1b[2J\x9b\u202e\u2066\n\t" * 30,
    "emoji": "🦑" * 50,
    "one word after another": "a b " * 80,
    "empty": "",
}
TABLES = {
    "clients": columns_of(CLIENT_HEADINGS),
    "silent": columns_of((*SILENT_HEADINGS, *WHY_HEADINGS)),
    "connections": columns_of(CONNECTION_HEADINGS),
    "topics": columns_of(TOPIC_HEADINGS),
    "clients of a topic": columns_of(TRAFFIC_HEADINGS),
    "groups": columns_of(GROUP_HEADINGS),
    "metrics": columns_of(METRIC_HEADINGS),
    "jobs": columns_of(JOB_HEADINGS),
    "subscriptions": (NAMESPACE_COLUMN, *COLUMNS),
    "silent of a subscription": SILENT,
    "at risk": AT_RISK,
}


class Terminal(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """80 columns, and no colour."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")


def width(line: str) -> int:
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in line)
    return len(line) + wide - sum(unicodedata.category(character) == "Mn" for character in line)


def at_a_terminal(columns: Sequence[Column], *rows: dict[str, str]) -> list[str]:
    with redirect_stdout(Terminal()) as terminal:
        Output(Options()).table(columns, rows)
    return terminal.getvalue().splitlines()


def client(name: str) -> dict[str, str]:
    return {
        "CLIENT ID": name,
        "INSTANCE": "nV9k2XaQ",
        "SOFTWARE": "confluent-kafka-python 2.16.1-rdkafka-2.16.0",
        "LAST PUSH": "12 s ago",
        "STATE": "Pushing",
    }


def test_a_client_id_of_300_characters_leaves_all_other_columns_readable() -> None:
    columns = columns_of(("CLIENT ID", "INSTANCE", "SOFTWARE", "LAST PUSH", "STATE"))

    titles, row, other = at_a_terminal(columns, client(LONG), client("short"))

    assert titles.split() == ["CLIENT", "ID", "INSTANCE", "SOFTWARE", "LAST", "PUSH", "STATE"]
    assert row.startswith("orders-0-")
    assert row.endswith("  nV9k2XaQ  confluent-ka…afka-2.16.0  12 s ago   Pushing")
    assert row.partition("…")[2].split()[0] == LONG[-11:]
    assert other.startswith("short ")
    assert {width(row), width(titles) + 2} <= set(range(81))


@pytest.mark.parametrize("columns", TABLES.values(), ids=TABLES)
def test_every_table_of_the_command_fits(monkeypatch: pytest.MonkeyPatch, columns: Sequence[Column]) -> None:
    for (kind, name), room in itertools.product(NAMES.items(), (20, 80, 200)):
        monkeypatch.setenv("COLUMNS", str(room))

        lines = at_a_terminal(columns, {column.key: name for column in columns})

        assert max(map(width, lines)) <= room, (kind, room)
        assert kind == "empty" or lines[0].startswith(columns[0].title)
        assert "".join(lines).isprintable(), kind


def test_sentences_are_folded_between_words_and_stay_whole() -> None:
    advice = "Every instance that asked a broker pushes, so this one asked none: set enable.metrics.push=true there."
    row = {**client("orders"), "WHAT TO DO": advice}

    lines = at_a_terminal(columns_of((*row,)), row)

    begin = lines[0].index("WHAT TO DO")
    assert " ".join(line[begin:].strip() for line in lines[1:]) == advice
    assert max(map(width, lines)) <= 80


def test_columns_that_have_no_room_are_named() -> None:
    rows = [[LONG] * 30]

    with redirect_stdout(Terminal()):
        lines = aligned([f"C{number}" for number in range(30)], rows).splitlines()

    assert max(map(width, lines[:2])) <= 80
    assert lines[0].split() == [f"C{number}" for number in range(9)]
    assert lines[2] == f"(too narrow for {', '.join(f'C{number}' for number in range(9, 30))})"


def test_titles_are_as_harmless_as_cells_and_a_table_may_have_none() -> None:
    assert aligned(["a\x1b[2J"], [["b"]]) == "a?[2J\nb"
    assert aligned([], [[]]) == ""


@pytest.mark.parametrize("name", [name for kind, name in NAMES.items() if kind not in {"control", "empty"}])
def test_a_pipe_gets_all_of_it(capsys: pytest.CaptureFixture[str], name: str) -> None:
    Output(Options()).table(columns_of(CLIENT_HEADINGS), [dict.fromkeys(CLIENT_HEADINGS, name)])

    titles, row = capsys.readouterr().out.splitlines()
    assert row.count(name.strip()) == len(CLIENT_HEADINGS)
    assert "…" not in titles + row
