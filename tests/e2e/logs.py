"""Errors in the logs of all our pods, less those that are expected."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

from kwitness.demo.platform import NAMESPACE
from kwitness.e2e.node.kubernetes_node import KubernetesNode

KNOWN = Path(__file__).with_name("expected_logs.yaml")
"""Errors that Kafka, Spark and others log in normal operation, with a reason for each."""

_READ = (
    *("sh", "-c"),
    """find /var/log/pods/"$0"_* -name '*.log' -newermt "$1Z" \
        -exec awk -v since="$1" '$1 >= since { gsub("\\r", ""); print FILENAME, $0 }' {} ';'""",
    NAMESPACE,
)
"""Prints in the node what containers have written since a second, which is one argument more; before a restart, too.

One command for all of them: `kubectl logs` would be a process for each pod.
"""

_RECORD = re.compile(r"\[?\d\d+[-/]\d\d|\{")
"""How a line of a log begins, where it does not go on with the line before."""

_MOST_SHOWN = 2_000
"""Characters of an error that are shown."""

_ERROR = re.compile(r"\b(ERROR|CRITICAL|FATAL|Traceback)\b")


def unexpected(node: KubernetesNode, *, since: dt.datetime, expected: Sequence[str]) -> list[str]:
    """Error lines since a time that neither `expected` nor the list of known ones explains."""
    known = [(entry["component"], re.compile(entry["pattern"])) for entry in yaml.safe_load(KNOWN.read_text())]
    allowed = [re.compile(pattern) for pattern in expected]
    found = []
    for pod, lines in _lines(node.run(*_READ, f"{since:%Y-%m-%dT%H:%M:%S}"), since).items():
        for line in whole_errors(lines):
            if not is_error(line) or any(pattern.search(line) for pattern in allowed):
                continue
            if not any(pod.startswith(component) and pattern.search(line) for component, pattern in known):
                found.append(f"{pod}: {_ends(line)}")
    return found


def _ends(line: str) -> str:
    """Return a line without the middle of a long one: the exception of a stack trace stands at its end."""
    return line if len(line) <= _MOST_SHOWN else f"{line[: _MOST_SHOWN // 2]} ... {line[-_MOST_SHOWN // 2 :]}"


def size(node: KubernetesNode) -> str:
    """Bytes of all logs, which grow while components do something that they tell of."""
    return node.run("sh", "-c", f"du --bytes --total --summarize /var/log/pods/{NAMESPACE}_* | tail -n 1")


def whole_errors(lines: Iterable[str]) -> list[str]:
    """Lines with each error made one with the stack trace after it, which has neither time nor braces."""
    whole: list[str] = []
    inside = False
    for line in lines:
        if inside and not _RECORD.match(line):
            whole[-1] += f"\n{line}"
        else:
            whole.append(line)
            inside = is_error(line)
    return whole


def is_error(line: str) -> bool:
    """Whether a line, JSON or plain, is an error's."""
    try:
        parsed = json.loads(line)
    except ValueError:
        return bool(_ERROR.search(line))
    level = parsed.get("level", parsed.get("severity", "")) if isinstance(parsed, dict) else ""
    return str(level).lower() in {"error", "critical", "fatal"}


def _lines(read: str, since: dt.datetime) -> dict[str, list[str]]:
    """Lines since a time by pod, from what `_READ` prints: file, timestamp, stream, `F` or `P`, line."""
    lines: dict[str, list[str]] = {}
    begun = ""
    for printed in filter(None, read.split("\n")):
        path, timestamp, _, tag, part = printed.split(" ", 4)
        # A second that was cut off may hold lines of another test.
        if dt.datetime.fromisoformat(timestamp) < since:
            continue
        begun += part
        if tag == "F":  # the runtime cuts lines of more than 16 KiB
            lines.setdefault(path.split("_")[1], []).append(begun)
            begun = ""
    return lines
