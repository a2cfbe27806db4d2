"""Counts places by portion, and compares them with the figures of `devtools/words.toml`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final, get_args

from kwitness.devtools.sources import LANGUAGES, ROOT, is_generated, portion_of, tracked
from kwitness.devtools.words.pages import places_in_page
from kwitness.devtools.words.place import Counted, Place
from kwitness.devtools.words.python_source import places_in_python
from kwitness.devtools.words.replaced_names import ReplacedNames, names_of_contracts
from kwitness.devtools.words.rust_and_java import places_in_java, places_in_rust

__all__ = ["COMMAND", "FIGURES", "TABLE", "Counts", "count", "lowered", "places", "places_in", "problems"]

Counts = Mapping[str, Mapping[str, int]]
"""Portion and what is counted, to how often."""

COMMAND: Final = "python -m kwitness.devtools.words"
FIGURES: Final = ROOT / "devtools/words.toml"
TABLE: Final = ROOT / "devtools/replaced_names.toml"
_OF_THE_PAST: Final = ("CHANGELOG.md", "LICENSE")


def places(root: Path, replaced: ReplacedNames) -> Iterator[tuple[PurePosixPath, Place]]:
    """Yield the places of the repository, file by file, in sources and pages that are written by hand."""
    for file in tracked(root):
        if file.suffix not in {*LANGUAGES, ".md"} or file.name in _OF_THE_PAST:
            continue
        text = (root / file).read_text()
        if not is_generated(text):
            yield from ((file, place) for place in places_in(file, text, replaced))


def count(root: Path = ROOT) -> dict[str, dict[str, int]]:
    """Count the places by portion; folders of the table count once where they exist."""
    replaced = ReplacedNames.from_table(TABLE, names_of_contracts())
    counts: dict[str, Counter[str]] = {}
    for file, place in places(root, replaced):
        counts.setdefault(portion_of(file), Counter())[place.counted] += 1
    return {portion: {kind: found[kind] for kind in get_args(Counted)} for portion, found in sorted(counts.items())}


def problems(counts: Counts, figures: Counts) -> list[str]:
    """Return where counts differ from their figures, with the remedy: they may only fall, and figures follow them."""
    found = []
    for portion in sorted({*counts, *figures}):
        for kind in get_args(Counted):
            now, figure = (each.get(portion, {}).get(kind, 0) for each in (counts, figures))
            if now > figure:
                found.append(
                    f"{portion}: {kind} rose from {figure} to {now}:"
                    f" {COMMAND} {portion} --changed shows what to write instead"
                )
            elif now < figure:
                found.append(f"{portion}: {kind} fell from {figure} to {now}: lower the figure by {COMMAND} --write")
    return found


def lowered(counts: Counts, figures: Counts) -> dict[str, dict[str, int]]:
    """Return the figures that follow the counts down; those of a new portion where the sum of all has not risen."""
    kinds = get_args(Counted)
    fits = {kind: not figures or _sum(counts, kind) <= _sum(figures, kind) for kind in kinds}

    def figure(portion: str, kind: str) -> int:
        if portion not in figures:
            return counts[portion][kind] if fits[kind] else 0
        return min(counts[portion][kind], figures[portion].get(kind, 0))

    return {portion: {kind: figure(portion, kind) for kind in kinds} for portion in counts}


def _sum(counts: Counts, kind: str) -> int:
    return sum(each.get(kind, 0) for each in counts.values())


def places_in(file: PurePosixPath, text: str, replaced: ReplacedNames) -> Iterator[Place]:
    """Yield the places in a file, its own name among them."""
    if file.suffix == ".md":
        yield from places_in_page(file, text)
        return
    name = file.parent.name if file.stem in {"__init__", "mod"} else file.stem
    instead = replaced.instead_of(name, "type" if file.suffix == ".java" else "other")
    if file.suffix != ".java" and instead is not None:
        yield Place("names", 1, name, instead)
    if file.name == "__init__.py" and str(file.parent) in replaced.folders:
        yield Place("names", 1, file.parent.name, replaced.folders[str(file.parent)])
    match file.suffix:
        case ".py":
            yield from places_in_python(text, replaced)
        case ".rs":
            yield from places_in_rust(text, replaced)
        case _:
            yield from places_in_java(text, replaced)
