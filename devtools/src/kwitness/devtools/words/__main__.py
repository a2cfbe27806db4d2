"""Shows where replaced words and habits of prose are, with what to write instead; lowers the figures."""

from __future__ import annotations

import argparse
import subprocess
import sys
from typing import Final

from kwitness.devtools.figures import read_figures, write_figures
from kwitness.devtools.sources import ROOT, portion_of
from kwitness.devtools.words.counts import COMMAND, FIGURES, TABLE, count, lowered, places, problems
from kwitness.devtools.words.replaced_names import ReplacedNames, names_of_contracts

_HEAD: Final = f"""By portion: names with words of replaced_names.toml; comprehensions and loops over `one`;
docstrings and titles that begin with a relative clause; nobody, somebody, whoever and whatever in prose;
in the first pages, words that the field does not use, and sentences that begin with a relative clause.
They only fall: `{COMMAND} --write` lowers them."""


def main() -> int:
    """Show the places of a portion, or counts that differ from their figures; 1 when one differs."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("portion", nargs="?", help="show each place in it, such as services/protocol")
    parser.add_argument("--changed", action="store_true", help="only in files that differ from the commit before HEAD")
    parser.add_argument("--write", action="store_true", help="lower the figures to the counts")
    arguments = parser.parse_args()
    if arguments.portion:
        _show(arguments.portion, changed=arguments.changed)
        return 0
    counts = count()
    figures = {
        portion: {kind: int(number) for kind, number in each.items()} for portion, each in read_figures(FIGURES).items()
    }
    if arguments.write:
        figures = lowered(counts, figures)
        write_figures(FIGURES, _HEAD, figures)
    found = problems(counts, figures)
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


def _show(portion: str, *, changed: bool) -> None:
    replaced = ReplacedNames.from_table(TABLE, names_of_contracts())
    command = ["git", "diff", "--name-only", "HEAD~1"]
    differ = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    for file, place in places(ROOT, replaced):
        if portion_of(file) == portion and (not changed or str(file) in differ):
            print(f"{file}:{place.line}: {place.counted}: {place.text!r}: write {place.instead}")


if __name__ == "__main__":
    sys.exit(main())
