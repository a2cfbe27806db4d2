"""The page on one connection has the states, reasons and bounds that the source has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OBSERVER = ROOT / "services/observer/src"
COMMANDS = OBSERVER / "command_line.rs"
PROTOCOL = ROOT / "services/protocol/src"
PAGE = (ROOT / "docs/guides/observer-connection.md").read_text()


def spelled(variant: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", variant).lower()


def variants(source: Path, enum: str) -> list[str]:
    """The variants of an enum without data, as records spell them."""
    (body,) = re.findall(rf"pub enum {enum} \{{\n(.*?)\n\}}", source.read_text(), re.DOTALL)
    return [spelled(name) for name in re.findall(r"^    (\w+),$", body, re.MULTILINE)]


def first_cells(after: str) -> list[str]:
    """Words in code of the first column of the first table behind this text."""
    table = PAGE.partition(after)[2].partition("\n|")[2].partition("\n\n")[0]
    return [word for line in table.splitlines()[2:] for word in re.findall(r"`(\w+)`", line.split("|")[1])]


def test_it_has_every_state() -> None:
    (states,) = re.findall(r"STATES: \[&str; \d\] = \[(.*?)\];", (OBSERVER / "state.rs").read_text())

    assert first_cells("## States") == re.findall(r'"(\w+)"', states)


def test_it_has_every_reason_why_nothing_is_understood() -> None:
    listed = first_cells("[read again](#reading-again) |\n")

    assert sorted(listed) == sorted([*variants(PROTOCOL / "reasons.rs", "Opaque"), "panic"])


def test_it_has_every_reason_why_a_message_is_not_understood() -> None:
    sentence = PAGE.partition("kwitness_observer_unread_total{reason}` counts it as\n")[2].partition(".\n")[0]

    assert re.findall(r"`(\w+)`", sentence) == variants(PROTOCOL / "reasons.rs", "Unread")


def test_it_has_every_way_to_end() -> None:
    (names,) = re.findall(r"const fn name\(self\).*?match self \{(.*?)\n        \}", relay(), re.DOTALL)

    assert first_cells("connections_closed_total{end}") == re.findall(r'"(\w+)"', names)


def relay() -> str:
    return (OBSERVER / "end.rs").read_text()


@pytest.mark.parametrize(
    ("source", "constant", "said"),
    [
        (
            OBSERVER / "command_line.rs",
            '"first-request-seconds", "10"',
            "no whole request within 10 seconds of connecting",
        ),
        (COMMANDS, '"drain-seconds", "20"', "once nothing is outstanding, all after 20 seconds"),
        (
            OBSERVER / "relay/mod.rs",
            "STALLED_AFTER: Duration = Duration::from_secs(30)",
            "30 seconds of silence",
        ),
        (OBSERVER / "upstream.rs", "CONNECT_WITHIN: Duration = Duration::from_secs(5)", "within 5 seconds for each"),
        (OBSERVER / "relay/turn.rs", "TURN_BYTES: usize = 256 << 10", "| 256 KiB for each thread"),
        (PROTOCOL / "limits.rs", "message: 64 << 10", "| 64 KiB; of what lies beyond nothing is told (`too_long`)"),
        (PROTOCOL / "limits.rs", "in_flight: 16 << 10", "more than 16,384 requests wait for responses"),
        (PROTOCOL / "hot/topics.rs", "MOST: usize = 10_000", "10,000 topics with 1 MiB of names"),
        (PROTOCOL / "hot/topics.rs", "MOST_BYTES: usize = 1 << 20", "10,000 topics with 1 MiB of names"),
        (PROTOCOL / "hot/session.rs", "MOST_PARTITIONS: usize = 10_000", "10,000 partitions of a fetch session"),
    ],
)
def test_its_figures_are_the_sources(source: Path, constant: str, said: str) -> None:
    assert constant in source.read_text()
    assert said in PAGE
