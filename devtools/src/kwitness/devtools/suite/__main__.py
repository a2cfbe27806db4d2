"""`python -m kwitness.devtools.suite [GROUP ...]`: runs groups of tests side by side; `make test` runs all."""

from __future__ import annotations

import argparse
import functools
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from kwitness.devtools.suite.groups import GROUPS, QUICK, Group
from kwitness.devtools.suite.side_by_side import Interruption, Line, Run, end, follow
from kwitness.devtools.suite.times import committed, comparison

_SHOWN_FAILURES: Final = 40
_FAILURE: Final = re.compile(r"^(?:FAILED|ERROR|E  ) .*", re.MULTILINE)
_AT_ONCE: Final = 3
"""Groups that run at the same time: on two cores more would wait for each other, and tests with them."""
_COLUMNS: Final = "160"
"""Width of pytest's summary: the reason of a failure stands at the end of its line."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the groups that are named, or all; the exit status is 0 when every test passed."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.devtools.suite", description=__doc__)
    known = {group.name: group for group in (*GROUPS, QUICK)}
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(known)}; without: every test")
    asked = parser.parse_args(arguments).groups
    if unknown := [name for name in asked if name not in known]:
        parser.error(f"no group {', '.join(unknown)}: the groups are {', '.join(known)}")
    chosen = [known[name] for name in dict.fromkeys(asked)] or GROUPS
    return run(chosen, figures=committed(), out=sys.stdout.buffer)


def run(groups: Sequence[Group], *, figures: Mapping[str, float], out: BinaryIO, at_once: int = _AT_ONCE) -> int:
    """Run all groups, so many at a time; show the first as it goes and then the others, what failed, and the times."""
    with tempfile.TemporaryDirectory(prefix="kwitness-suite-") as folder, Interruption() as interruption:
        line = Line([functools.partial(_begin, group, Path(folder)) for group in groups], at_once=at_once)
        try:
            for number, group in enumerate(groups):
                _say(out, f"== {group.title} ==")
                follow(line, number, interruption, out)
                if interruption:
                    _say(out, "interrupted; ends what still runs (once more: by force)")
                    return 128 + interruption.signals[0]
        finally:
            end(line.runs, interruption)
        if failed := [one for one in line.runs if one.process.returncode != 0]:
            _say(out, "== what failed, and why ==", *failures(one.log.read_text(errors="replace") for one in failed))
        _say(out, *comparison({one.name: one.seconds for one in line.runs}, figures))
        return 1 if failed else 0


def _begin(group: Group, folder: Path) -> Run:
    environment = {**os.environ, "COLUMNS": _COLUMNS, "KWITNESS_TURNS": group.queue}
    return Run(group.name, group.command(), folder / group.name, environment)


def failures(logs: Iterable[str]) -> list[str]:
    """The last lines of pytest that name a failed test or quote an assertion."""
    return [line for log in logs for line in _FAILURE.findall(log)][-_SHOWN_FAILURES:]


def _say(out: BinaryIO, *lines: str) -> None:
    out.write("".join(f"{line}\n" for line in lines).encode())
    out.flush()


if __name__ == "__main__":
    sys.exit(main())
