"""Whether this machine has room for a node and the platform on it."""

from __future__ import annotations

from pathlib import Path

#: What the end-to-end suite needs: two brokers, two collectors, Spark and the node itself.
SUITE_GIB = 8.0


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


def shortage(needed_gib: float, meminfo: str | None = None) -> str:
    """What to tell a person whose machine has less than `needed_gib` available; empty when there is enough."""
    available = available_gib(meminfo)
    if available >= needed_gib:
        return ""
    return (
        f"{needed_gib:g} GiB of memory must be free for the end-to-end suite, and {available:.1f} GiB are: "
        "end other programs (a running demo goes with `make demo-down`)"
    )
