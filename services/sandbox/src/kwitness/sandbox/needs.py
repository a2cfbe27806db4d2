"""Checks before anything starts that this machine can run a sandbox."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from kwitness.sandbox.java import java_program

__all__ = ["missing"]

_JAVA: Final = 17
_LIBRARIES: Final = {
    "aiohttp": "aiohttp",
    "confluent_kafka": "confluent-kafka",
    "kafka": "kafka-python",
    "prometheus_client": "prometheus-client",
}
_MEMORY_MIB: Final = 1350
"""A broker of 512 MiB of heap, the collector, four clients, the console."""
_DISK_MIB: Final = 500


def missing(folder: Path) -> list[str]:
    """Return what is missing and how to get it, a sentence each; empty when all is there.

    Parameters
    ----------
    folder
        Exists; data and logs will be written there.
    """
    found = [_java(), _libraries(), _memory(), _disk(folder)]
    return [sentence for sentence in found if sentence]


def _java() -> str:
    program = java_program()
    try:
        answer = subprocess.run([program, "-version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"Java cannot be run ({error}): install Java {_JAVA} or later, or set JAVA_HOME"
    version = re.search(r'version "(\d+)', answer.stderr)
    if version is None:
        return f"`{program} -version` does not name a version: install Java {_JAVA} or later, or set JAVA_HOME"
    if int(version[1]) < _JAVA:
        return f"{program} is Java {version[1]}: install Java {_JAVA} or later, or set JAVA_HOME"
    return ""


def _libraries() -> str:
    absent = [package for module, package in _LIBRARIES.items() if importlib.util.find_spec(module) is None]
    return f"{', '.join(absent)} is not installed: pip install 'kwitness[try]'" if absent else ""


def _memory() -> str:
    available = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    mib = int(available[1]) >> 10 if available else _MEMORY_MIB
    return f"{mib} MiB of memory are free, {_MEMORY_MIB} are needed: end other programs" if mib < _MEMORY_MIB else ""


def _disk(folder: Path) -> str:
    mib = shutil.disk_usage(folder).free >> 20
    return (
        f"{mib} MiB are free in {folder}, {_DISK_MIB} are needed: set TMPDIR to another disk" if mib < _DISK_MIB else ""
    )
