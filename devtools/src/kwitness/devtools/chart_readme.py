"""Writes the README of each chart from the comments in its values.yaml; with --check it only compares.

A comment `# -- text` describes the key below it. Keys that hold only other keys need none.
Usage: `python -m kwitness.devtools.chart_readme [--check]`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

CHARTS = Path(__file__).resolve().parents[4] / "charts"
_KEY = re.compile(r"^(?P<indent> *)(?P<key>[A-Za-z]\w*):")
_COMMENT = re.compile(r"^ *# -- (?P<text>.+)$")
_STEP = 2
"""Spaces of one level of indentation."""

INTRODUCTIONS: Mapping[str, str] = {
    "kwitness": """\
# The kwitness chart

Installs the operator, its custom resource definitions and its permissions; optionally rules and dashboards. A Kafka and
a Prometheus to try it with are in [another chart](../kwitness-demo/README.md).

    helm install kwitness charts/kwitness --namespace kwitness --create-namespace
    helm test kwitness --namespace kwitness

An upgrade updates the CRDs too; an uninstall leaves them and your resources. To install again under another name add
`--take-ownership`. See [uninstall](../../docs/operations/uninstall.md).
""",
    "kwitness-demo": """\
# The kwitness-demo chart

A development Kafka with the broker plugin, and a small Prometheus that scrapes operator and collector: for trying out
[kwitness](../kwitness/README.md), never for data you want to keep. `make demo` installs both charts and makes the
Secrets that the Kafka waits for; the [tutorial](../../docs/tutorial.md) goes through it.

    helm install kwitness-demo charts/kwitness-demo --namespace kwitness \\
      --set-file prometheus.rules.kwitness=charts/kwitness/rules/kwitness.yaml \\
      --set-file prometheus.rules.clients=charts/kwitness/rules/clients.yaml
""",
}
"""What stands above the table, by chart."""
_HEAD = "<!-- Generated from values.yaml by `make generate`; do not edit. -->\n"
_TABLE = "\n## Values\n\n| Key | Default | Meaning |\n|---|---|---|\n"


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


def page(name: str, text: str) -> str:
    """Return the whole page of a chart, made of the text of its values."""
    values = yaml.safe_load(text)
    found = list(entries(text.splitlines()))
    paths = [entry.path for entry in found]
    rows = []
    for entry in found:
        is_parent = any(other != entry.path and other[: len(entry.path)] == entry.path for other in paths)
        shown = "" if is_parent else default(values, entry.path)
        rows.append(f"| `{'.'.join(entry.path)}` | {shown} | {entry.text.replace('|', chr(92) + '|')} |")
    return _HEAD + INTRODUCTIONS[name] + _TABLE + "\n".join(rows) + "\n"


def main(arguments: list[str]) -> int:
    """Write the pages; with `--check` only compare, and return 1 when one is stale."""
    stale = 0
    for name in INTRODUCTIONS:
        readme, text = CHARTS / name / "README.md", page(name, (CHARTS / name / "values.yaml").read_text())
        if "--check" not in arguments:
            readme.write_text(text)
        elif not readme.is_file() or readme.read_text() != text:
            stale = 1
            print(f"stale: {readme.relative_to(CHARTS.parent)}; run `make generate` and commit", file=sys.stderr)
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
