"""Reads which modules of a Rust crate use which others, and finds circles among them.

An arrow is a path of `use` or of code that begins with `crate`, `self`, `super` or a submodule. A re-export is
followed to the module that defines the name. Tests within a module are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from typing_extensions import override

__all__ = ["Arrow", "arrows", "circles"]

Module: TypeAlias = tuple[str, ...]

_COMMENT: Final = re.compile(r"//[^\n]*")
_STRING: Final = re.compile(r'b?"(?:[^"\\]|\\.)*"')
_TESTS: Final = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*mod \w+ \{")
_USE: Final = re.compile(r"^\s*(pub(?:\([\w: ]+\))? )?use ([^;]+);", re.MULTILINE)
_PATH: Final = re.compile(r"\b(?:crate|self|super)(?:::\w+)+")


@dataclass(frozen=True, order=True)
class Arrow:
    """A use of a name: the module that has it, the module that defines it."""

    user: Module
    used: Module

    @override
    def __str__(self) -> str:
        return f"{_spelled(self.user)} -> {_spelled(self.used)}"


@dataclass(frozen=True)
class _Source:
    """Names that a module uses, and names that it hands on, each as an absolute path."""

    used: tuple[Module, ...]
    handed_on: Mapping[str, Module]


def arrows(source: Path) -> list[Arrow]:
    """Return the arrows of a crate, by the folder of its sources."""
    modules = {_module(file.relative_to(source)): file for file in source.rglob("*.rs")}
    sources = {module: _read(file.read_text(), module, modules) for module, file in modules.items()}
    found = {
        Arrow(module, target)
        for module, read in sources.items()
        for path in read.used
        if (target := _defined_in(path, sources)) not in {None, module}
    }
    return sorted(found)


def circles(found: Iterable[Arrow]) -> list[list[Arrow]]:
    """Return the arrows of each circle of files or folders that lie in one folder."""
    found = sorted(found)
    folders = sorted({arrow.user[:depth] for arrow in found for depth in range(len(arrow.user) + 1)})
    return [circle for folder in folders for circle in _circles_in(folder, found)]


def _circles_in(folder: Module, found: Iterable[Arrow]) -> Iterator[list[Arrow]]:
    depth = len(folder)
    within = [arrow for arrow in found if arrow.user[:depth] == folder == arrow.used[:depth]]
    places = {arrow: (arrow.user[: depth + 1], arrow.used[: depth + 1]) for arrow in within}
    across = {arrow: ends for arrow, ends in places.items() if ends[0] != ends[1]}
    following: dict[Module, set[Module]] = {}
    for user, used in across.values():
        following.setdefault(user, set()).add(used)
    reached = {place: _reached(place, following) for place in following}
    rings = {frozenset(other for other in reached[place] if place in reached.get(other, ())) for place in following}
    for ring in sorted(rings - {frozenset()}, key=sorted):
        yield [arrow for arrow, ends in across.items() if set(ends) <= ring]


def _reached(place: Module, following: Mapping[Module, set[Module]]) -> set[Module]:
    reached: set[Module] = set()
    waiting = [place]
    while waiting:
        new = following.get(waiting.pop(), set()) - reached
        reached |= new
        waiting.extend(new)
    return reached


def _module(file: Path) -> Module:
    parts = file.with_suffix("").parts
    return parts[:-1] if parts[-1] in {"lib", "main", "mod"} else parts


def _read(text: str, module: Module, modules: Iterable[Module]) -> _Source:
    code = _STRING.sub('""', _COMMENT.sub("", _without_tests(text)))
    children = {other[-1] for other in modules if other and other[:-1] == module}
    used: list[Module] = []
    handed_on: dict[str, Module] = {}
    for visibility, tree in _USE.findall(code):
        for path, name in _paths(" ".join(tree.split())):
            if (absolute := _absolute(path.split("::"), module, children)) is None:
                continue
            if visibility:
                handed_on[name] = absolute
            else:
                used.append(absolute)
    in_code = (_absolute(path.split("::"), module, children) for path in _PATH.findall(_USE.sub("", code)))
    used.extend(path for path in in_code if path is not None)
    return _Source(tuple(used), handed_on)


def _without_tests(text: str) -> str:
    while found := _TESTS.search(text):
        depth, end = 1, found.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[: found.start()] + text[end:]
    return text


def _paths(tree: str) -> Iterator[tuple[str, str]]:
    """Return each path of a tree of `use`, with the name that it gives."""
    start, brace, rest = tree.partition("{")
    if not brace:
        path, _, name = tree.partition(" as ")
        yield path.strip(), (name or path.rpartition("::")[2]).strip()
        return
    part, depth = "", 0
    for letter in rest[: rest.rindex("}")] + ",":
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            if part.strip():
                yield from _paths(start + part.strip())
            part = ""
        else:
            part += letter


def _absolute(path: list[str], module: Module, children: Iterable[str]) -> Module | None:
    """Return a path from the crate's root; `None` where it leads to another crate."""
    first, *rest = path
    if first == "crate":
        return tuple(rest)
    if first == "self":
        return (*module, *rest)
    if first == "super":
        above = module[:-1]
        while rest and rest[0] == "super":
            above, rest = above[:-1], rest[1:]
        return (*above, *rest)
    return (*module, *path) if first in children else None


def _defined_in(path: Module, sources: Mapping[Module, _Source]) -> Module | None:
    """Return the module that defines what is at this path."""
    for _ in range(len(sources)):
        place = next(path[:length] for length in range(len(path), -1, -1) if path[:length] in sources)
        rest = path[len(place) :]
        if not rest or rest[0] not in sources[place].handed_on:
            return place
        path = (*sources[place].handed_on[rest[0]], *rest[1:])
    return None


def _spelled(module: Module) -> str:
    return "::".join(("crate", *module))
