"""Reads and writes folders of cases: a file for each concern, in it a map from names to cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.compact_yaml import compact
from tests.merge_patch import BASE, difference

__all__ = ["WrittenCase", "read_cases", "rewrite_outputs"]


@dataclass(frozen=True)
class WrittenCase:
    """A case as its file has it."""

    path: Path
    content: dict[str, Any]


def read_cases(folder: Path) -> dict[str, WrittenCase]:
    """Return the cases of a folder's files by name.

    Raises
    ------
    ValueError
        A name is used twice, in one file or in two.
    """
    found: dict[str, WrittenCase] = {}
    for path in sorted(folder.glob("*.yaml")):
        root = yaml.compose(path.read_text(), Loader=yaml.CSafeLoader)
        loader = yaml.constructor.SafeConstructor()
        for key, node in root.value:
            if key.value in found:
                raise ValueError(
                    f"{path}: line {key.start_mark.line + 1}: {key.value!r} is in {found[key.value].path} too"
                )
            found[key.value] = WrittenCase(path, loader.construct_object(node, deep=True))
    return found


def rewrite_outputs(folder: Path, output: Callable[[str], Any]) -> dict[str, WrittenCase]:
    """Write what comes out of each case into its ``then``, as a difference if it has a base; return all cases anew."""
    texts: dict[Path, str] = {}
    for name, case in read_cases(folder).items():
        then = output(name)
        content = {key: value for key, value in case.content.items() if key != "then"}
        if BASE in content:
            usual = output(content[BASE])
            content |= {"then": difference(usual, then)} if then != usual else {}
        else:
            content["then"] = then
        texts[case.path] = texts.get(case.path, "") + compact({name: content}, blocks=2)
    for path, text in texts.items():
        path.write_text(text)
    return read_cases(folder)
