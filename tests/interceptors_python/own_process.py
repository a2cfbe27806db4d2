"""The profile of the tests' own process."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from kwitness_interceptors.reporting.process import PROCESS

from tests.vectors import vectors

LEAST = vectors("interceptor_settings", "valid")[1]["settings"]


def set_profile(file: Path, *entries: dict[str, Any], **more: Any) -> None:
    """Have clients that are made from now on get these interceptors; nobody collects what they count."""
    named = [{"name": entry["type"].lower(), **entry} for entry in entries]
    collector = {"url": "http://127.0.0.1:1", "replicas": 1, "token_file": "/no"}
    file.write_text(json.dumps(LEAST | {"suspend": False, "interceptors": named, "collector": collector} | more))
    PROCESS.__init__()  # type: ignore[misc] # as a new process has it


def forget_profile() -> None:
    """Stop what reports, and have no profile."""
    PROCESS._end()
    PROCESS.__init__()  # type: ignore[misc] # likewise


def anomalies() -> dict[str, int]:
    """Return all that clients counted so far in windows that are open."""
    found: Counter[str] = Counter()
    for client in PROCESS._clients:
        for topics in client.counts._windows.values() if client.counts is not None else ():
            for topic in topics.values():
                found.update(topic.anomalies)
    return dict(found)
