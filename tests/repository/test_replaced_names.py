"""Replaced words in names, and habits of prose, only get fewer, by portion (`devtools/words.toml`)."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import get_args

import pytest

from kwitness.devtools.figures import read_figures
from kwitness.devtools.words.counts import COMMAND, FIGURES, TABLE, count, lowered, places_in, problems
from kwitness.devtools.words.place import Counted
from kwitness.devtools.words.replaced_names import ReplacedNames

NAMES = ReplacedNames.from_table(TABLE, frozenset({("key", "taken")}))

PYTHON = '''"""What a module is."""
import told as said_here

class Held:
    """A class that somebody wants."""

    key_taken: bool
    """Whether it is."""

    def judge(self, wanted, *, heard_ms):  # nobody
        self.verdict, text = wanted, "whoever"
        return [one.said for one in wanted if (looked := one)]

    def of(self):
        for one in self.told():
            print(one, takeover, retold)
'''
RUST = """//! Who reads.
//! What is below the first line is no beginning.

/// A struct that nobody needs.
pub struct Told { pub wanted: bool }

enum Kind {
    Judged(u8),
}

// whoever
fn take(&self, asked_for: u64) -> bool {
    let mut looked = "nobody told";
    entries.iter().map(|one| one.said).count() // Whether
}
"""
JAVA = """/** Whether it is. */
final class Held {
    private final String wanted = "told";

    /* somebody */
    int judge(int heard, int count) {
        return said(heard);
    }

    static Held of(List<Held> all) {
        for (Held one : all) {
            boolean taken = one.isTold();
        }
        all.forEach(one -> one.look());
    }
}
"""


def found(file: str, text: str) -> dict[str, list[str]]:
    """Return what is found in a file, by what is counted; of variables named ``one`` the lines."""
    places = list(places_in(PurePosixPath(file), text, NAMES))
    texts = {kind: [place.text for place in places if place.counted == kind] for kind in get_args(Counted)}
    lines = sorted(place.line for place in places if place.counted == "one")
    return {kind: sorted(set(each)) for kind, each in texts.items()} | {"one": [str(line) for line in lines]}


def test_counts_are_those_of_the_figures() -> None:
    figures = read_figures(FIGURES)

    assert problems(count(), {portion: {**each} for portion, each in figures.items()}) == []


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        (
            "operator/src/a.py",
            PYTHON,
            {
                "names": ["Held", "heard_ms", "judge", "looked", "of", "said_here", "verdict", "wanted"],
                "beginnings": ["What a module is.", "Whether it is."],
                "people": ["nobody", "somebody"],
                "one": ["12", "15"],
            },
        ),
        (
            "services/protocol/src/a.rs",
            RUST,
            {
                "names": ["Judged", "Told", "asked_for", "looked", "take", "wanted"],
                "beginnings": ["Who reads."],
                "people": ["nobody", "whoever"],
                "one": ["14"],
            },
        ),
        (
            "services/a/A.java",
            JAVA,
            {
                "names": ["Held", "heard", "judge", "of", "taken", "wanted"],
                "beginnings": ["Whether it is. */"],
                "people": ["somebody"],
                "one": ["11", "14"],
            },
        ),
        (
            "docs/a.md",
            "# 0127 What it is\n\nWhatever somebody does.\n",
            {"names": [], "beginnings": ["What it is"], "people": ["Whatever", "somebody"], "one": []},
        ),
    ],
)
def test_definitions_documentation_and_comments_are_read_and_nothing_else(
    file: str, text: str, expected: dict[str, list[str]]
) -> None:
    assert found(file, text) == {"prose": []} | expected


def test_a_page_that_is_met_first_has_the_words_of_the_field_and_subjects_first() -> None:
    text = (
        "# A title\n\nWho pushes? It says `told` of it.\nWhat is\nleft stays. See [what it tells](a.md#held).\n"
        "- Where it is.\n\n| Which one? | what is told |\n\n```sh\nit alone\n```\n"
    )

    assert found("docs/overview.md", text)["prose"] == ["What is left stays", "Where it is", "says", "tells", "told"]
    assert found("docs/dev/a.md", text)["prose"] == []


def test_modules_and_folders_are_names() -> None:
    assert found("operator/src/verdicts.py", "")["names"] == ["verdicts"]
    assert found("operator/src/kwitness/operator/reconcile/__init__.py", "")["names"] == ["reconcile"]


def test_a_name_of_a_contract_is_left_alone() -> None:
    assert found("a.py", "key_taken = 1\nkeyTaken = 1\n")["names"] == []
    assert found("a.py", "key_taken_by = 1\n")["names"] == ["key_taken_by"]


def test_a_count_that_rises_or_whose_figure_stayed_behind_is_a_problem_with_its_remedy() -> None:
    figures = {"operator": {"names": 2, "one": 2}}

    assert problems({"operator": {"names": 2, "one": 2}}, figures) == []
    assert problems({"operator": {"names": 3, "one": 1}}, figures) == [
        f"operator: names rose from 2 to 3: {COMMAND} operator --changed shows what to write instead",
        f"operator: one fell from 2 to 1: lower the figure by {COMMAND} --write",
    ]


def test_figures_are_only_lowered_but_for_names_that_move_to_a_new_portion() -> None:
    def counts(**names: int) -> dict[str, dict[str, int]]:
        return {portion: {"names": number} for portion, number in names.items()}

    def names(figures: dict[str, dict[str, int]]) -> dict[str, int]:
        return {portion: each["names"] for portion, each in figures.items()}

    def complete(figures: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
        return {
            portion: {"one": 0, "beginnings": 0, "people": 0, "prose": 0, **each} for portion, each in figures.items()
        }

    before = complete(counts(wire=5, operator=3))

    assert names(lowered(complete(counts(wire=4, operator=9)), before)) == {"wire": 4, "operator": 3}
    assert names(lowered(complete(counts(wire=1, operator=3, protocol=4)), before)) == {
        "wire": 1,
        "operator": 3,
        "protocol": 4,
    }
    assert names(lowered(complete(counts(wire=5, operator=3, protocol=1)), before)) == {
        "wire": 5,
        "operator": 3,
        "protocol": 0,
    }
