"""Tells which names use words that were replaced, from the table `devtools/replaced_names.toml`."""

from __future__ import annotations

import ast
import functools
import itertools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from kwitness.devtools.sources import ROOT

__all__ = ["Kind", "ReplacedNames", "names_of_contracts", "words_of"]

Kind = Literal["type", "function", "other"]

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_CONTRACTS: Final = "contracts/src/kwitness/contracts"


@functools.cache
def words_of(name: str) -> tuple[str, ...]:
    """Split a name in any of the languages' spellings into its words, in lower case."""
    return tuple(word.lower() for word in _WORD.findall(name))


@dataclass(frozen=True, eq=False)
class ReplacedNames:
    """Replacements by their kind, and names that are left alone since users see them, as `words_of` them."""

    parts: Mapping[tuple[str, ...], str]
    types: Mapping[str, str]
    functions: Mapping[str, str]
    folders: Mapping[str, str]
    seen_by_users: frozenset[tuple[str, ...]] = frozenset()

    @classmethod
    def from_table(cls, path: Path, seen_by_users: frozenset[tuple[str, ...]] = frozenset()) -> ReplacedNames:
        """Read the table."""
        table = tomllib.loads(path.read_text())
        single = {
            kind: {word.strip(): but for words, but in table[kind].items() for word in words.split(",")}
            for kind in ("parts", "types", "functions")
        }
        parts = {words_of(word): but for word, but in single["parts"].items()}
        return cls(parts, single["types"], single["functions"], table["folders"], seen_by_users)

    def instead_of(self, name: str, kind: Kind = "other") -> str | None:
        """Return what to say instead of a name; None where it is fine."""
        return _instead_of(self, name, kind)


@functools.cache
def _instead_of(names: ReplacedNames, name: str, kind: Kind) -> str | None:
    words = words_of(name)
    if words in names.seen_by_users:
        return None
    whole = {"type": names.types, "function": names.functions}.get(kind, {})
    runs = [*((word,) for word in words), *itertools.pairwise(words)]
    return whole.get(name) or next((names.parts[run] for run in runs if run in names.parts), None)


def names_of_contracts(root: Path = ROOT) -> frozenset[tuple[str, ...]]:
    """Return fields of models, and reasons, metrics and columns of tables, which users see; no single words."""
    found = set()
    for path in (root / _CONTRACTS).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.ClassDef():
                    found |= {
                        words_of(field.target.id)
                        for field in node.body
                        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
                    }
                case ast.Constant(value=str(text)) if text.isidentifier() and path.parent.name == "tables":
                    found.add(words_of(text))
    return frozenset(words for words in found if len(words) > 1)
