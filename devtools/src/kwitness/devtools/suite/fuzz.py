"""`python -m kwitness.devtools.suite.fuzz`: property tests with new examples, round after round until the time is over.

Each round is a run of pytest with a seed of its own, which is printed; the first that finds something ends it.
"""

from __future__ import annotations

import argparse
import functools
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from kwitness.devtools.suite.side_by_side import Beginning, Interruption, Line, Run, end, follow

_SEEDS: Final = 2**32
_PYTEST: Final = (sys.executable, "-m", "pytest", "-m", "hypothesis", "--exitfirst", "--quiet")


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz; the exit status is 0 when nothing was found."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.devtools.suite.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0, help="after which no further round begins (300)")
    parser.add_argument("--seed", type=int, help="of the first round, to repeat it; new ones when absent")
    parser.add_argument("tests", nargs="*", metavar="TEST", help="as pytest names them; all when absent")
    asked = parser.parse_args(arguments)
    seed = random.SystemRandom().randrange(_SEEDS) if asked.seed is None else asked.seed
    return fuzz(asked.tests, seconds=asked.seconds, seed=seed, out=sys.stdout.buffer)


def fuzz(
    tests: Sequence[str],
    *,
    seconds: float,
    seed: int,
    out: BinaryIO,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Run rounds for `seconds`, and the one that then runs to its end; the status of the last."""
    until = clock() + seconds
    with tempfile.TemporaryDirectory(prefix="kwitness-fuzz-") as folder, Interruption() as interruption:
        status = 0
        while status == 0 and clock() < until:
            _say(out, f"== a round with seed {seed} ==")
            command = [*_PYTEST, "--hypothesis-profile=fuzz", f"--hypothesis-seed={seed}", *tests]
            environment = {**os.environ, "KWITNESS_TURNS": "off"}
            begin = functools.partial(Run, "fuzz", command, Path(folder) / "log", environment)
            line = Line([Beginning("fuzz", begin)], at_once=1)
            try:
                follow(line, "fuzz", interruption, out)
            finally:
                end(line.runs.values(), interruption)
            if interruption:
                return 128 + interruption.signals[0]
            status = line.runs["fuzz"].process.returncode
            if status != 0:
                _say(out, f"this round failed; --seed {seed} repeats it")
            seed = (seed + 1) % _SEEDS
    return status


def _say(out: BinaryIO, line: str) -> None:
    out.write(f"{line}\n".encode())
    out.flush()


if __name__ == "__main__":
    sys.exit(main())
