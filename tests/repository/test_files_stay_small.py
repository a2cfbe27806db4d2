"""Files are small and named for their one concept: 400 lines at most, and no drawer for what has no place."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from kwitness.devtools.sources import LANGUAGES, ROOT, is_generated, tracked

LONGEST = 400
DRAWERS = {"common", "helper", "helpers", "misc", "util", "utils"}


def too_long(lines: dict[str, int]) -> list[str]:
    """Return the files that are too long, each with its remedy."""
    return [
        f"{file} has {count} lines, {LONGEST} at most: split it by its concepts"
        for file, count in lines.items()
        if count > LONGEST
    ]


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
    assert too_long(by_hand) == []


def test_no_file_and_no_folder_is_a_drawer() -> None:
    assert drawers(tracked()) == [], "name it for the one concept that is in it"


@pytest.mark.parametrize("file", ["a.rs", "a.py", "A.java"])
def test_a_file_that_is_too_long_is_found(file: str) -> None:
    assert too_long({file: 400}) == []
    assert too_long({file: 401}) == [f"{file} has 401 lines, 400 at most: split it by its concepts"]


@pytest.mark.parametrize(
    "file", ["wire/src/common/mod.rs", "wire/src/common.rs", "a/_helpers.py", "java/Misc.java", "a/utils/sums.py"]
)
def test_a_drawer_is_found(file: str) -> None:
    assert drawers([PurePosixPath(file), PurePosixPath("a/common_name.py")]) == [file]
