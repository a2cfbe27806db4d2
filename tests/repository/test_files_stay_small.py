"""Files are small and named for their one concept: 400 lines at most, and no drawer for what has no place."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from kwitness.devtools.sources import LANGUAGES, ROOT, is_generated, tracked

LONGEST = 400
DRAWERS = {"common", "helper", "helpers", "misc", "util", "utils"}
LONG = {
    "services/interceptors-librdkafka/src/counting/shard.rs": 404,
    "services/interceptors-librdkafka/src/settings.rs": 480,
    "services/observer/src/relay/tap.rs": 453,
    "services/observer/src/settings.rs": 562,
    "services/wire/src/aggregate/recorder.rs": 474,
    "services/wire/src/connection.rs": 424,
    "services/wire/src/rewrite/rewriter.rs": 605,
    "services/wire/tests/wire/recorder.rs": 711,
    "services/wire/tests/wire/rewriting.rs": 577,
    "services/wire/tests/wire/samples.rs": 479,
    "services/wire/tests/wire/sasl.rs": 406,
    "services/wire/tests/wire/windows.rs": 497,
}
"""Files from before the rule, with the lines that they had. No line is added and no figure is raised."""


def too_long(lines: dict[str, int], known: dict[str, int]) -> list[str]:
    """Return what is wrong with lengths by file, each with its remedy."""
    grown = [
        f"{file} has {count} lines, {known.get(file, LONGEST)} at most: split it by its concepts"
        for file, count in lines.items()
        if count > known.get(file, LONGEST)
    ]
    mended = [
        f"{file} is no longer over {LONGEST} lines: take it off the list"
        for file in known
        if lines.get(file, 0) <= LONGEST
    ]
    return grown + mended


def drawers(files: list[PurePosixPath]) -> list[str]:
    """Return files and folders whose name says nothing of what is in them."""
    return [
        str(file)
        for file in files
        if not DRAWERS.isdisjoint({*file.parts[:-1], file.name.lower().split(".")[0].lstrip("_")})
    ]


def test_files_have_400_lines_at_most() -> None:
    texts = {str(file): (ROOT / file).read_text() for file in tracked() if file.suffix in LANGUAGES}
    by_hand = {file: len(text.splitlines()) for file, text in texts.items() if not is_generated(text)}

    assert 0 < len(by_hand) < len(texts)
    assert too_long(by_hand, LONG) == []


def test_no_file_and_no_folder_is_a_drawer() -> None:
    assert drawers(tracked()) == [], "name it for the one concept that is in it"


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ({"a.rs": 401}, "a.rs has 401 lines, 400 at most: split it by its concepts"),
        ({"A.java": 401}, "A.java has 401 lines, 400 at most: split it by its concepts"),
        ({"known.rs": 451}, "known.rs has 451 lines, 450 at most: split it by its concepts"),
        ({"known.rs": 400}, "known.rs is no longer over 400 lines: take it off the list"),
        ({}, "known.rs is no longer over 400 lines: take it off the list"),
    ],
)
def test_a_file_that_grows_is_found_and_the_list_only_shrinks(lines: dict[str, int], problem: str) -> None:
    known = {"known.rs": 450}

    assert too_long({"known.rs": 450, "a.py": 400}, known) == []
    assert problem in too_long(lines, known)


@pytest.mark.parametrize(
    "file", ["wire/src/common/mod.rs", "wire/src/common.rs", "a/_helpers.py", "java/Misc.java", "a/utils/sums.py"]
)
def test_a_drawer_is_found(file: str) -> None:
    assert drawers([PurePosixPath(file), PurePosixPath("a/common_name.py")]) == [file]
