"""The observer before a simulated network, seed after seed; `services/sim` is the simulation."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from kwitness.images.image_parts import QUICK, REPOSITORY, cargo_binary

from tests import soak

PROGRAM = "kwitness-sim"
SABOTAGES = {
    "lost-byte": "the broker got what the relay did not write",
    "changed-byte": "the client got what the relay did not write",
    "doubled-count": "requests of",
    "lost-row": "rows are delivered, of",
    "doubled-row": "and its windows",
    "open-ledger": "a ledger does not close",
}
"""Errors that the program makes on purpose, and what its checker says of each."""


@pytest.fixture(scope="module")
def program() -> Path:
    return cargo_binary(PROGRAM, profile=QUICK, workspace=REPOSITORY / "services/sim") / PROGRAM


def run(program: Path, *options: str | int) -> subprocess.CompletedProcess[str]:
    command = [str(program), *map(str, options)]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_bytes_counts_and_ledgers_are_right_whatever_fails(program: Path) -> None:
    seeds = soak.seeds(1_000)

    ran = run(program, seeds.start, len(seeds))

    wrong = [line for line in ran.stdout.splitlines() if re.match("seed|  WRONG", line)]
    assert (ran.returncode, ran.stderr) == (0, ""), "\n".join(wrong)
    assert re.search(rf"^{len(seeds)} seeds, [1-9]\d{{3,}} requests, [1-9]\d{{5,}} records$", ran.stdout, re.MULTILINE)


def test_a_seed_gives_the_same_faults_and_the_same_history_each_time(program: Path) -> None:
    first, again, other = (run(program, seed, 3, "--history").stdout for seed in (7, 7, 8))

    assert first == again
    assert first != other
    assert re.match(r"commit [0-9a-f]{7,}(-dirty)?\nseed 7 mode (gateway|broker) faults \d+\n", first)
    assert re.search(r"^ +\d+ begins +\d+ to +\d+ ms \w+", first, re.MULTILINE)


@pytest.mark.parametrize("sabotage", SABOTAGES)
def test_the_checker_finds_an_error_that_is_made_on_purpose(program: Path, sabotage: str) -> None:
    ran = run(program, 0, 10, "--break", sabotage)

    assert ran.returncode == 1
    wrong = [line for line in ran.stdout.splitlines() if line.startswith("  WRONG")]
    assert any(SABOTAGES[sabotage] in line for line in wrong), wrong


def test_an_option_that_is_unknown_is_refused_with_those_that_there_are(program: Path) -> None:
    ran = run(program, 0, "--break", "nothing")

    assert ran.returncode == 1
    assert all(name in ran.stderr for name in SABOTAGES)
