"""Writes charts/kwitness/README.md from the comments in values.yaml; with --check it only compares.

A comment `# -- text` describes the key below it. Keys that hold only other keys need none.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

CHART = Path(__file__).resolve().parent / "kwitness"
README = CHART / "README.md"
_KEY = re.compile(r"^(?P<indent> *)(?P<key>[A-Za-z]\w*):")
_COMMENT = re.compile(r"^ *# -- (?P<text>.+)$")
_STEP = 2
"""Spaces of one level of indentation."""

_HEAD = """\
<!-- Generated from values.yaml by charts/generate_readme.py; do not edit. -->
# The kwitness chart

Installs the operator, its custom resource definitions and its permissions; optionally rules and dashboards, a small
Prometheus and a development Kafka.

    helm install kwitness charts/kwitness --namespace kwitness --create-namespace
    helm test kwitness --namespace kwitness

An upgrade updates the CRDs too; an uninstall leaves them and your resources. To install again under another name add
`--take-ownership`. See [uninstall](../../docs/operations/uninstall.md).

## Values

| Key | Default | Meaning |
|---|---|---|
"""


class Entry(NamedTuple):
    """A described value."""

    path: tuple[str, ...]
    text: str


def entries(lines: list[str]) -> Iterator[Entry]:
    """Every key with a comment, in the file's order.

    Raises
    ------
    ValueError
        A comment stands above something that is no key.
    """
    path: list[str] = []
    text: str | None = None
    for number, line in enumerate(lines, start=1):
        if comment := _COMMENT.match(line):
            text = comment["text"]
        elif key := _KEY.match(line):
            depth = len(key["indent"]) // _STEP
            path = [*path[:depth], key["key"]]
            if text is not None:
                yield Entry(tuple(path), text)
            text = None
        elif text is not None:
            raise ValueError(f"values.yaml:{number}: the comment above describes no key; put it right above one")


def default(values: Any, path: tuple[str, ...]) -> str:
    """The default of a key as JSON; empty for a key whose parts have their own rows."""
    for key in path:
        values = values[key]
    return f"`{json.dumps(values)}`"


def render(text: str) -> str:
    """The whole page."""
    values = yaml.safe_load(text)
    found = list(entries(text.splitlines()))
    paths = [entry.path for entry in found]
    rows = []
    for entry in found:
        is_parent = any(other != entry.path and other[: len(entry.path)] == entry.path for other in paths)
        shown = "" if is_parent else default(values, entry.path)
        rows.append(f"| `{'.'.join(entry.path)}` | {shown} | {entry.text.replace('|', chr(92) + '|')} |")
    return _HEAD + "\n".join(rows) + "\n"


def main() -> int:
    """Write or compare; 1 when stale."""
    page = render((CHART / "values.yaml").read_text())
    if sys.argv[1:] != ["--check"]:
        README.write_text(page)
        return 0
    if README.exists() and README.read_text() == page:
        return 0
    sys.stderr.write(f"{README} is stale: run python charts/generate_readme.py\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
