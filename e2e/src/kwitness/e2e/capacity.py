"""Whether this machine has the memory and the disk for a node and the platform on it; asked before anything starts."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from kwitness.images.cache import cache_folder

SUITE_GIB = 8.0
"""Memory of the end-to-end suite: two brokers, two collectors, Spark and the node itself."""
DEMO_GIB = 5.0
"""Memory of the demo."""
WARM_GIB, COLD_GIB = 8.0, 20.0
"""Disk for a node with its images and volumes; and on top of that for Go's caches, jars, wheels and built images."""

MAKE_ROOM = (
    "make room (`docker system prune` removes images that nobody uses, `make clean-cache` our downloads and builds)"
)
_ENGINE = Path("/var/lib/docker")


def shortages(memory_gib: float) -> list[str]:
    """One line, for a person, for each thing that there is too little of."""
    disk = WARM_GIB if is_warm() else COLD_GIB
    return [line for line in (memory_shortage(memory_gib), disk_shortage(disk, (cache_folder(), _ENGINE))) if line]


def memory_shortage(needed_gib: float, meminfo: str | None = None) -> str:
    """What to tell a person whose machine has less memory than `needed_gib` available; empty when there is enough."""
    available = available_gib(meminfo)
    if available >= needed_gib:
        return ""
    return (
        f"{needed_gib:g} GiB of memory must be free, and {available:.1f} GiB are: "
        "end other programs (a running demo goes with `make demo-down`)"
    )


def disk_shortage(needed_gib: float, folders: Iterable[Path]) -> str:
    """What to tell a person where a folder's file system has less than `needed_gib` free; empty when none has."""
    for folder in folders:
        free = _free_gib(folder)
        if free < needed_gib:
            return f"{needed_gib:g} GiB of disk must be free for {folder}, and {free:.1f} GiB are: {MAKE_ROOM}"
    return ""


def available_gib(meminfo: str | None = None) -> float:
    """Memory that new programs can have without swapping, in GiB, as the kernel estimates it.

    Parameters
    ----------
    meminfo
        The text of `/proc/meminfo`; read when absent.

    Raises
    ------
    ValueError
        The text has no `MemAvailable` line.
    """
    text = Path("/proc/meminfo").read_text() if meminfo is None else meminfo
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) / 2**20
    raise ValueError("no MemAvailable line in /proc/meminfo: is this Linux?")


def _free_gib(folder: Path) -> float:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return shutil.disk_usage(there).free / 2**30


def is_warm() -> bool:
    """Return whether Kubernetes has been built here before."""
    built = cache_folder() / "go" / "kubernetes"
    return built.is_dir() and any(not entry.name.startswith(".") for entry in built.iterdir())


def main() -> int:
    """Say what the whole test run lacks; the exit status says whether anything is. A borrowed node needs no room."""
    lines = [] if os.environ.get("KWITNESS_NODE") else shortages(SUITE_GIB)
    for line in lines:
        print(f"too little room: {line}", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
