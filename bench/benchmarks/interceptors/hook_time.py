"""What hooks take of a client's time, as a section of the page."""

from __future__ import annotations

import statistics

from interceptors.applications import OURS, PLAIN, VALUE_BYTES, Block

from kwitness.bench.bars import HEAD, at_most, row
from kwitness.bench.paired_measurement import interval

__all__ = ["LIVE", "OF_HOOKS", "section"]

LIVE = {"produce": "producer", "consume": "consumer"}
OF_HOOKS = {"produce": "produce_hooks", "consume": "consume_hooks"}
_BAR = at_most(0.03, 0.01)


def section(title: str, setting: str, found: list[Block], records: int, load_average: float) -> str:
    """The section: time in hooks over that of the client alone, and beside it what both clients did.

    Parameters
    ----------
    setting
        Versions, and what was counted.
    records
        Of each work in a block.
    """
    lines = [
        f"## {title}",
        "",
        (
            f"{setting} {records:,} records of {VALUE_BYTES:,} bytes in each of {len(found)} blocks, before a local broker. In hooks "
            "is the time of one thread that calls them as the client does; beside it is the processor's time of a process with "
            f"that client and without interceptors in the same block. Load average before the start {load_average:.1f}."
        ),
        "",
        *HEAD,
    ]
    for work, client in LIVE.items():
        hooks = [block[OF_HOOKS[work]][OURS]["cpu_s"] / records for block in found]
        whole = [block[work][PLAIN]["cpu_s"] / records for block in found]
        ours, beside = (f"{statistics.median(values) * 1e9:,.3g}" for values in (hooks, whole))
        ratios = [one / all_ for one, all_ in zip(hooks, whole, strict=True)]
        lines.append(row(f"{client}: ns of a record in hooks", ours, f"{beside} (all of the client's)", ratios, _BAR))
    lines += ["", "The same clients with interceptors beside those without:", ""]
    lines += ["| | records a second (95 % interval) | processor's time (95 % interval) |", "| --- | --- | --- |"]
    for work, client in LIVE.items():
        cells = []
        for key, is_rate in (("seconds", True), ("cpu_s", False)):
            pairs = [(block[work][OURS][key], block[work][PLAIN][key]) for block in found]
            middle, low, high = interval([plain / ours if is_rate else ours / plain for ours, plain in pairs])
            cells.append(f"{middle:.3f} ({low:.3f} to {high:.3f})")
        lines.append(f"| {client} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])
