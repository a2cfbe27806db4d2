"""Writes `docs/benchmarks.md` from the sections in `bench/results`, and marks those that are older than their code."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Final

from kwitness.bench.measured_sources import measured_by, sources_hash

__all__ = ["PAGE", "RESULTS", "ROOT", "page"]

ROOT: Final = Path(__file__).resolve().parents[4]
RESULTS: Final = ROOT / "bench/results"
PAGE: Final = ROOT / "docs/benchmarks.md"

_HEAD: Final = """# Benchmarks

Ratios against a peer or against "direct" in the same run; absolute figures are one machine's. Candidates are pinned
to one core and the generator to the other, in alternating blocks; the median of the blocks' ratios is given with a
bootstrap 95 % interval. Raw blocks are in `bench/results`. Made by `make bench`, no part of `make test`.
"""


def main() -> int:
    """Write the page, or with ``--check`` compare it; 1 when it is stale."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.bench.results_page", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, and fail when the page is stale")
    check = parser.parse_args().check
    written = page(ROOT, RESULTS)
    if not check:
        PAGE.write_text(written)
    elif PAGE.read_text() != written:
        print(
            f"{PAGE.relative_to(ROOT)} is stale: figures became older than the code that they measure,"
            " or are no longer. Write it: python -m kwitness.bench.results_page",
            file=sys.stderr,
        )
        return 1
    return 0


def page(root: Path, results: Path) -> str:
    """Return the page: each section with its origin, and a mark where its sources have changed since."""
    sections = [_section(root, path) for path in sorted(results.glob("*.md"))]
    return "\n\n".join([_HEAD.strip(), *sections]) + "\n"


def _section(root: Path, path: Path) -> str:
    origin = path.with_suffix(".origin").read_text().strip()
    measured = re.search(r"sources `(\w+)`", origin)
    if measured is None:
        raise ValueError(f"{path.stem}.origin names no sources: run the benchmark again, see bench/src/kwitness/bench")
    parts = [path.read_text().strip(), origin]
    folders = measured_by(path.stem)
    if measured[1] != sources_hash(root, folders):
        named = ", ".join(f"`{folder}`" for folder in folders)
        parts.append(f"**Older than the code**: sources in {named} have changed since.")
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
