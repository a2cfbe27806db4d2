"""Writes YAML as people would: what fits into a line is in one, and texts of several lines are blocks."""

from __future__ import annotations

from typing import Any

import yaml

__all__ = ["compact"]

_WIDTH = 120
_ENDLESS = 100_000


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 # of the base class
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def compact(value: Any, blocks: int = 1) -> str:
    """Return `value` as YAML, so many of its outermost levels in block style."""
    root = _Dumper("", sort_keys=False).represent_data(value)
    _fold(root, 0, 0)
    _unfold(root, blocks)
    return str(yaml.serialize(root, Dumper=_Dumper, width=_ENDLESS, allow_unicode=True))


def _fold(node: yaml.Node, indent: int, start: int) -> int:
    """Choose the style of a node whose lines have an indent and whose first begins in a column; return its length."""
    if isinstance(node, yaml.ScalarNode):
        text = yaml.serialize(node, Dumper=_Dumper, width=_ENDLESS, allow_unicode=True)
        return _WIDTH if "\n" in node.value else len(text.removesuffix("\n").removesuffix("\n..."))
    length = 0
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            name = _fold(key, 0, 0) + 2
            length += name + 2 + _fold(value, indent + 2, indent + name)
    else:
        length = sum(2 + _fold(item, indent + 2, indent + 2) for item in node.value)
    node.flow_style = start + max(length, 2) <= _WIDTH
    return max(length, 2)


def _unfold(node: yaml.Node, levels: int) -> None:
    if levels and isinstance(node, yaml.MappingNode) and node.value:
        node.flow_style = False
        for _, value in node.value:
            _unfold(value, levels - 1)
