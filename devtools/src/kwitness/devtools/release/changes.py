"""Reads what changed in a version from its section of the changelog."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["changes_of"]

_ENTRY: Final = re.compile(r"^- (.+(?:\n  .+)*)", re.MULTILINE)
_REFERENCES: Final = re.compile(r" \((?:\[[^\]]*\]\([^)]*\)(?:, )?)+\)")
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def changes_of(changelog: str, version: str) -> list[dict[str, str]]:
    """Return kind and description of each entry, without links; nothing for a version without a dated section."""
    found = re.search(rf"^## {re.escape(version)} \([^\n]*\)\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    parts = re.split(r"^### (\w+)\n", found[1] if found else "", flags=re.MULTILINE)[1:]
    return [
        {"kind": kind.lower(), "description": _plain(entry)}
        for kind, entries in zip(parts[::2], parts[1::2], strict=True)
        for entry in _ENTRY.findall(entries)
    ]


def _plain(entry: str) -> str:
    text = " ".join(line.strip() for line in entry.splitlines())
    return _LINK.sub(r"\1", _REFERENCES.sub("", text))
