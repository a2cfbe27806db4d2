"""Blocks, each with a turn of every candidate in random order, and lines of a table that compare two candidates."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from observer.load import drive
from observer.relays import DIRECT, KROXYLICIOUS, Relay, shuffled

from kwitness.bench.bars import Bar, row
from kwitness.bench.paired_measurement import cpu_seconds

MAX_DRIFT = 0.25
REQUESTS_PER_S = "requests_per_s"
Turn = dict[str, Any]
Block = dict[str, Turn]
"""What each candidate showed in one block."""
Figure = Callable[[Turn], float]


def warm_up(relay: Relay, batch: int, seconds: float) -> None:
    """Have a candidate under load for a moment; Kroxylicious for so many seconds, since its JVM compiles meanwhile."""
    drive(relay.address, seconds=seconds if relay.name == KROXYLICIOUS else 1, batch=batch)


def undecided(title: str) -> str:
    """A section without figures."""
    return f"{title}\n\nNot decided: too few blocks were quiet (direct within {MAX_DRIFT:.0%}).\n"


def turn(relay: Relay, batch: int, seconds: float, authority: Path | None = None) -> Turn:
    """One candidate under load: what was passed, and what of the processor its process took."""
    before = cpu_seconds(relay.pid) if relay.pid else 0.0
    found = drive(relay.address, seconds=seconds, batch=batch, authority=authority)
    cpu = cpu_seconds(relay.pid) - before if relay.pid else 0.0
    return {**found, "cpu_s": cpu, REQUESTS_PER_S: found["requests"] / found["seconds"]}


def measured(relays: Sequence[Relay], blocks: int, name: str, one: Callable[[Relay], Turn], shown: str) -> list[Block]:
    """So many blocks, of which each candidate's figure of this name is shown."""
    found: list[Block] = []
    for number in range(blocks):
        block = {relay.name: one(relay) for relay in shuffled(relays)}
        found.append(block)
        figures = ", ".join(f"{key} {turn[shown]:,.6g}" for key, turn in block.items())
        print(f"  {name} {number + 1}/{blocks}, {shown}: {figures}", flush=True)
    return found


def quiet(blocks: list[Block], figure: str = REQUESTS_PER_S) -> list[Block]:
    """The blocks in which direct was about as it usually is."""
    usual = statistics.median(block[DIRECT][figure] for block in blocks)
    return [block for block in blocks if abs(block[DIRECT][figure] / usual - 1) <= MAX_DRIFT]


def compared(what: str, blocks: Sequence[Block], pair: tuple[str, str], bar: Bar | None, figure: Figure) -> str:
    """One line of a section's table: a candidate beside another."""
    ours, peer = pair
    middles = [statistics.median(figure(block[name]) for block in blocks) for name in pair]
    ratios = [figure(block[ours]) / figure(block[peer]) for block in blocks]
    return row(what, f"{middles[0]:,.3g}", f"{middles[1]:,.3g} ({peer})", ratios, bar)


def gigabytes_a_second(turn: Turn) -> float:
    """Of batches."""
    return float(turn["bytes"] / turn["seconds"] / 1e9)


def thousand_requests_a_second(turn: Turn) -> float:
    """Answered."""
    return float(turn[REQUESTS_PER_S] / 1e3)


def seconds_per_gigabyte(turn: Turn) -> float:
    """Of the processor, for a GB of batches."""
    return float(turn["cpu_s"] / turn["bytes"] * 1e9)


def microseconds_per_request(turn: Turn) -> float:
    """Of the processor."""
    return float(turn["cpu_s"] / turn["requests"] * 1e6)
