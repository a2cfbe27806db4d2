"""Finds names, docstrings and comments in Python, by `ast`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from kwitness.devtools.words.place import BEGINNING, PEOPLE, Place, beginning, one, people
from kwitness.devtools.words.replaced_names import Kind, ReplacedNames

__all__ = ["places_in_python"]


_NAMED: Final[dict[type[ast.AST], tuple[str, Kind]]] = {
    ast.AsyncFunctionDef: ("name", "function"),
    ast.Attribute: ("attr", "other"),
    ast.ClassDef: ("name", "type"),
    ast.ExceptHandler: ("name", "other"),
    ast.FunctionDef: ("name", "function"),
    ast.MatchAs: ("name", "other"),
    ast.MatchStar: ("name", "other"),
    ast.Name: ("id", "other"),
    ast.alias: ("asname", "other"),
    ast.arg: ("arg", "other"),
}
"""The attribute of a node with the name that it defines, if the node does not only read it."""
_LOOPS: Final = {ast.For, ast.AsyncFor, ast.comprehension}


def places_in_python(text: str, replaced: ReplacedNames) -> Iterator[Place]:
    """Yield the places in a module."""
    prose: set[int] = set()
    for node in _nodes(ast.parse(text)):
        kind = type(node)
        if kind in _NAMED:
            yield from _named(node, replaced)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            prose.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            if BEGINNING.match(node.value.value):
                yield beginning(node.lineno, node.value.value)
        elif kind in _LOOPS:
            for variable in ast.walk(node.target):  # type: ignore[attr-defined] # these three have one
                if isinstance(variable, ast.Name) and variable.id == "one":
                    yield one(variable.lineno)
    yield from _people(text, prose)


def _nodes(tree: ast.Module) -> Iterator[ast.AST]:
    """Walk as `ast.walk` does, in a third of its time: there are 800,000 nodes."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for field in node._fields:
            value = getattr(node, field, None)
            if value.__class__ is list:
                waiting += [child for child in value if isinstance(child, ast.AST)]
            elif field != "ctx" and isinstance(value, ast.AST):
                waiting.append(value)


def _named(node: ast.AST, replaced: ReplacedNames) -> Iterator[Place]:
    """Yield the name that a node defines, if it has to be another."""
    if type(getattr(node, "ctx", None)) in {ast.Load, ast.Del}:
        return
    attribute, kind = _NAMED[type(node)]
    name = getattr(node, attribute)
    instead = replaced.instead_of(name, kind) if name else None
    if instead is not None:
        yield Place("names", getattr(node, "lineno", 1), name, instead)


def _people(text: str, prose: set[int]) -> Iterator[Place]:
    if not PEOPLE.search(text):
        return
    for number, line in enumerate(text.splitlines(), 1):
        for word in PEOPLE.finditer(line):
            if number in prose or "#" in line[: word.start()]:
                yield people(number, word[0])
