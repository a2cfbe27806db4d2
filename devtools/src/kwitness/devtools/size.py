"""Counts the product's lines by portion, and holds them to the figures of `devtools/size.toml`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kwitness.devtools.figures import read_figures, write_figures
from kwitness.devtools.sources import LANGUAGES, ROOT, is_generated, is_test, portion_of, tracked

__all__ = ["FIGURES", "lines_by_portion", "problems"]

FIGURES: Final = ROOT / "devtools/size.toml"
_FOR_DEVELOPMENT: Final = {"bench", "demo", "devtools", "e2e", "images", "tests"}
_COMMAND: Final = "python -m kwitness.devtools.size"
_HEAD: Final = f"""Lines of the product by portion: Python, Rust and Java, without tests and generated files.
More fail a test.
`{_COMMAND} --write` lowers figures; `{_COMMAND} --raise PORTION "reason"` raises one."""


def lines_by_portion(root: Path = ROOT) -> dict[str, int]:
    """Return the lines of each portion that is shipped."""
    lines: Counter[str] = Counter()
    for file in tracked(root):
        portion = portion_of(file)
        if file.suffix in LANGUAGES and portion not in _FOR_DEVELOPMENT and not is_test(file):
            text = (root / file).read_text()
            lines[portion] += 0 if is_generated(text) else len(text.splitlines())
    return dict(lines)


def problems(lines: Mapping[str, int], figures: Mapping[str, int]) -> list[str]:
    """Return the portions that have more lines than their figure, with the remedy."""
    return [
        f"{portion} has {count} lines, {figures.get(portion, 0)} at most: take as many away elsewhere in it,"
        f' or give a reason: {_COMMAND} --raise {portion} "reason"'
        for portion, count in sorted(lines.items())
        if count > figures.get(portion, 0)
    ]


def main() -> int:
    """Show, lower or raise figures; 1 when a portion has more lines than its figure."""
    parser = argparse.ArgumentParser(prog=_COMMAND, description=__doc__)
    parser.add_argument("--write", action="store_true", help="lower the figures of portions that have fewer lines")
    parser.add_argument("--raise", dest="raised", nargs=2, metavar=("PORTION", "REASON"), help="raise one, and say why")
    arguments = parser.parse_args()
    lines, tables = lines_by_portion(), read_figures(FIGURES)
    figures = {portion: int(count) for portion, count in tables.get("lines", {}).items()}
    reasons = {portion: why for portion, why in tables.get("raised", {}).items() if portion in lines}
    if arguments.raised:
        portion, reason = arguments.raised
        if portion not in lines or not reason.strip():
            parser.error(f"--raise takes one of {', '.join(sorted(lines))}, and a reason")
        figures[portion], reasons[portion] = lines[portion], reason
    if arguments.write or arguments.raised:
        lowered = {name: min(count, figures.get(name, 0 if figures else count)) for name, count in lines.items()}
        write_figures(FIGURES, _HEAD, {"lines": lowered, "raised": reasons})
        figures = lowered
    print("\n".join(f"{count:>7,} {portion}" for portion, count in sorted(lines.items())))
    found = problems(lines, figures)
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
