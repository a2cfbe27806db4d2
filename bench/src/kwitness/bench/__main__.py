"""`make bench`: runs every benchmark under `bench/benchmarks` and writes `docs/benchmarks.md` from what they measured.

A benchmark is a program `<name>.py` that writes, into the folder it is given, `<name>.json` (raw blocks) and
`<name>.md` (a section, from a heading of level two on). It decides nothing: a bar that is missed is published.
"""

from __future__ import annotations

import argparse
import datetime as dt
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
PROGRAMS = ROOT / "bench" / "benchmarks"
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"

HEAD = """# Benchmarks

Ratios against a peer or against "direct" in the same run; absolute figures are one machine's. Candidates are pinned
to one core and the generator to the other, in alternating blocks; the median of the blocks' ratios is given with a
bootstrap 95 % interval. Raw blocks are in `bench/results`. Made by `make bench`, no part of `make test`.
"""


def main() -> int:
    """Run all or the named benchmarks; 1 when one of them failed."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("names", nargs="*", help="only these; all when absent")
    wanted = parser.parse_args().names
    programs = [path for path in sorted(PROGRAMS.glob("*.py")) if not wanted or path.stem in wanted]
    if unknown := set(wanted) - {path.stem for path in programs}:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}; see {PROGRAMS.relative_to(ROOT)}")
    RESULTS.mkdir(exist_ok=True)
    measured = origin()  # the results change the tree
    failed = []
    for number, program in enumerate(programs, 1):
        print(f"[{number}/{len(programs)}] {program.stem}", flush=True)
        done = subprocess.run([sys.executable, str(program), "--results", str(RESULTS)], cwd=ROOT, check=False)
        if done.returncode == 0:
            (RESULTS / f"{program.stem}.origin").write_text(measured)
        else:
            failed.append(program.stem)
    PAGE.write_text(page())
    print(f"written: {PAGE.relative_to(ROOT)}")
    if failed:
        print(f"failed: {', '.join(failed)}; their sections are from an earlier run or missing", file=sys.stderr)
    return 1 if failed else 0


def origin() -> str:
    """What a section was measured with: commit, day, machine."""
    describe = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    commit = subprocess.run(describe, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    kernel = platform.release().partition("-")[0]
    machine = f"{_processors()} processors, Linux {kernel}, Python {platform.python_version()}"
    return f"Measured at commit `{commit}` on {dt.datetime.now(dt.UTC):%Y-%m-%d}; {machine}.\n"


def page() -> str:
    """The page, from the sections in the results' folder."""
    sections = [
        f"{path.read_text().strip()}\n\n{path.with_suffix('.origin').read_text().strip()}"
        for path in sorted(RESULTS.glob("*.md"))
    ]
    return "\n\n".join([HEAD.strip(), *sections]) + "\n"


def _processors() -> int:
    return Path("/proc/cpuinfo").read_text().count("\nprocessor") + 1


if __name__ == "__main__":
    sys.exit(main())
