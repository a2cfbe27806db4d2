"""Reads the cases of resources that the API server must accept or refuse: see fixtures/README.md."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.case_files import read_cases
from tests.merge_patch import BASE, on_base

__all__ = ["CASES", "MINIMAL", "ResourceCase", "cases_of", "resource"]

FIXTURES: Final = Path(__file__).parent / "fixtures"
MINIMAL: Final = "minimal"
"""Name of the case of each kind that the others differ from, where they name no other."""
_REFUSED: Final = "refused"
_NUMBER: Final = re.compile(r"\{number(?:\+(\d+))?\}")


@dataclass(frozen=True)
class ResourceCase:
    """A resource, and what the API server has against it."""

    kind: str
    file: str
    """The concern: the name of its file, without the ending."""
    name: str
    body: dict[str, Any]
    refused: str
    """Path of the field that is blamed; empty where the resource is accepted."""

    def __str__(self) -> str:
        """The file and the case, for errors and names of tests."""
        return f"{self.kind}/{self.file}.yaml: {self.name}"


@cache
def cases_of(kind: str) -> tuple[ResourceCase, ...]:
    """Return the cases of a kind, in the order of files and lines."""
    written = read_cases(FIXTURES / kind)
    changes = {name: {BASE: MINIMAL, **case.content} for name, case in written.items()}
    del changes[MINIMAL][BASE]
    for case in changes.values():
        case.pop(_REFUSED, None)
    return tuple(
        ResourceCase(
            kind,
            case.path.stem,
            name,
            _with_lists(on_base(changes[name], changes.__getitem__)),
            case.content.get(_REFUSED, ""),
        )
        for name, case in written.items()
    )


def resource(kind: str, name: str = MINIMAL) -> dict[str, Any]:
    """Return the resource of a case, for a test to change."""
    (found,) = [case for case in cases_of(kind) if case.name == name]
    return _with_lists(found.body)


def _with_lists(node: Any) -> Any:
    """Return a copy with a list for each ``{times: n, each: entry}``, and a text for each ``{times: n, text: x}``."""
    if isinstance(node, dict):
        if node.keys() == {"times", "each"}:
            return [_with_lists(_numbered(node["each"], number)) for number in range(node["times"])]
        if node.keys() == {"times", "text"}:
            return node["text"] * node["times"]
        return {key: _with_lists(value) for key, value in node.items()}
    return [_with_lists(item) for item in node] if isinstance(node, list) else node


def _numbered(node: Any, number: int) -> Any:
    """Return an entry with its number for ``{number}``, or a number that much higher for ``{number+1000}``."""
    if isinstance(node, dict):
        return {key: _numbered(value, number) for key, value in node.items()}
    if not isinstance(node, str):
        return node
    if found := _NUMBER.fullmatch(node):
        return number + int(found[1] or 0)
    return _NUMBER.sub(lambda found: str(number + int(found[1] or 0)), node)


CASES: Final = tuple(case for folder in sorted(FIXTURES.iterdir()) if folder.is_dir() for case in cases_of(folder.name))
