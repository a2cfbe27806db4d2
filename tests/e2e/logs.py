"""Errors in the logs of all our pods, less those that are expected."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

from kwitness.demo.cluster import DemoCluster
from kwitness.demo.platform import NAMESPACE
from kwitness.images.commands import CommandFailedError

KNOWN = Path(__file__).with_name("expected_logs.yaml")
"""Errors that Kafka, Spark and others log in normal operation, with a reason for each."""

_RECORD = re.compile(r"\[?\d\d+[-/]\d\d|\{")
"""How a line of a log begins, where it does not go on with the line before."""

_ERROR = re.compile(r"\b(ERROR|CRITICAL|FATAL|Traceback)\b")


def unexpected(cluster: DemoCluster, *, since: dt.datetime, expected: Sequence[str]) -> list[str]:
    """Error lines since a time that neither `expected` nor the list of known ones explains."""
    known = [(one["component"], re.compile(one["pattern"])) for one in yaml.safe_load(KNOWN.read_text())]
    allowed = [re.compile(pattern) for pattern in expected]
    found = []
    for pod in cluster.pods(NAMESPACE):
        name = pod["metadata"]["name"]
        restarted = any(one["restartCount"] for one in pod["status"].get("containerStatuses", []))
        for line in whole_errors(_lines(cluster, name, since, restarted=restarted)):
            if not is_error(line) or any(pattern.search(line) for pattern in allowed):
                continue
            if not any(name.startswith(component) and pattern.search(line) for component, pattern in known):
                found.append(f"{name}: {line[:2000]}")
    return found


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


def _lines(cluster: DemoCluster, pod: str, since: dt.datetime, *, restarted: bool) -> list[str]:
    """Lines of a pod's containers, those before a restart included; none of a pod that has gone meanwhile."""
    lines: list[str] = []
    place = ("logs", pod, f"--namespace={NAMESPACE}", "--all-containers", "--timestamps")
    for run in ((), ("--previous",)) if restarted else ((),):
        try:
            stamped = cluster.kubectl(*place, f"--since-time={since:%Y-%m-%dT%H:%M:%SZ}", *run).splitlines()
        except CommandFailedError:
            continue
        # Kubernetes cuts the time to seconds, and another test may have ended within that second.
        lines.extend(line.partition(" ")[2] for line in stamped if not _before(line, since))
    return lines


def _before(stamped: str, since: dt.datetime) -> bool:
    try:
        return dt.datetime.fromisoformat(stamped.partition(" ")[0]) < since
    except ValueError:  # the kubelet's own words, when a container has no log any more
        return False
