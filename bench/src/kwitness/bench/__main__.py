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

from kwitness.bench.measured_sources import measured_by, sources_hash
from kwitness.bench.results_page import PAGE, RESULTS, ROOT, page

PROGRAMS = ROOT / "bench" / "benchmarks"


def main() -> int:
    """Run all or the named benchmarks; 1 when one of them failed."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("names", nargs="*", help="only these; all when absent")
    wanted = parser.parse_args().names
    programs = [path for path in sorted(PROGRAMS.glob("*.py")) if not wanted or path.stem in wanted]
    if unknown := set(wanted) - {path.stem for path in programs}:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}; see {PROGRAMS.relative_to(ROOT)}")
    RESULTS.mkdir(exist_ok=True)
    origins = {program.stem: origin(program.stem) for program in programs}  # the results change the tree
    failed = []
    for number, program in enumerate(programs, 1):
        print(f"[{number}/{len(programs)}] {program.stem}", flush=True)
        done = subprocess.run([sys.executable, str(program), "--results", str(RESULTS)], cwd=ROOT, check=False)
        if done.returncode == 0:
            (RESULTS / f"{program.stem}.origin").write_text(origins[program.stem])
        else:
            failed.append(program.stem)
    PAGE.write_text(page(ROOT, RESULTS))
    print(f"written: {PAGE.relative_to(ROOT)}")
    if failed:
        print(f"failed: {', '.join(failed)}; their sections are from an earlier run or missing", file=sys.stderr)
    return 1 if failed else 0


def origin(benchmark: str) -> str:
    """Return what a section was measured with: commit, sources, day, machine."""
    describe = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    commit = subprocess.run(describe, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    sources = sources_hash(ROOT, measured_by(benchmark))
    kernel = platform.release().partition("-")[0]
    machine = f"{_processors()} processors, Linux {kernel}, Python {platform.python_version()}"
    day = f"{dt.datetime.now(dt.UTC):%Y-%m-%d}"
    return f"Measured at commit `{commit}` with sources `{sources}` on {day}; {machine}.\n"


def _processors() -> int:
    return Path("/proc/cpuinfo").read_text().count("\nprocessor") + 1


if __name__ == "__main__":
    sys.exit(main())
