"""What a minute of a fleet costs a job, and how many executors that asks for: docs/operations/sizing.md.

The cost of a minute is a line over the number of clients: what each batch costs however small it is, and what each
client adds. It is fitted to three measured sizes and held against a fourth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["ALLOWED", "CLIENTS", "CORES", "Line", "Point", "error_of", "executors", "fit", "page"]

CLIENTS = (10_000, 100_000, 1_000_000)
"""Sizes that the page computes executors for."""
CORES = 2
"""Cores of an executor on that page."""
BUSY = 0.5
"""Share of its cores that a job may use while it keeps up; the rest is for what comes after a standstill."""
ALLOWED = 0.15
"""How far the fourth size may be from the line."""
SECONDS = 60


class Point(NamedTuple):
    """A measured size: clients, and CPU-seconds for a minute of theirs."""

    clients: int
    seconds: float


class Line(NamedTuple):
    """CPU-seconds for a minute: of the batch, and of each client."""

    batch: float
    client: float

    def seconds(self, clients: int) -> float:
        """For a minute of so many clients."""
        return self.batch + self.client * clients


def fit(points: Sequence[Point]) -> Line:
    """The line with the least relative squared errors; neither part is below 0.

    Raises
    ------
    ValueError
        There are not two different sizes.
    """
    weights = [1 / point.seconds**2 for point in points]
    total = sum(weights)
    mean_x = sum(weight * point.clients for weight, point in zip(weights, points, strict=True)) / total
    mean_y = sum(weight * point.seconds for weight, point in zip(weights, points, strict=True)) / total
    spread = sum(weight * (point.clients - mean_x) ** 2 for weight, point in zip(weights, points, strict=True))
    if not spread:
        raise ValueError("a line needs two sizes")
    together = sum(
        weight * (point.clients - mean_x) * (point.seconds - mean_y)
        for weight, point in zip(weights, points, strict=True)
    )
    client = max(0.0, together / spread)
    return Line(max(0.0, mean_y - client * mean_x), client)


def error_of(line: Line, point: Point) -> float:
    """How far a measured size is from the line, as a share of what was measured."""
    return line.seconds(point.clients) / point.seconds - 1


def executors(line: Line, clients: int) -> int:
    """Executors of `CORES` cores that keep up with so many clients."""
    return math.ceil(line.seconds(clients) / SECONDS / BUSY / CORES)


def page(raw: Mapping[str, Any]) -> str:
    """docs/operations/sizing.md, from what `bench/benchmarks/spark_sizing.py` measured."""
    jobs: Mapping[str, Mapping[str, Any]] = raw["jobs"]
    fourths = {name: Point(*job["fourth"]) for name, job in jobs.items()}
    lines = {name: fit([Point(*point) for point in job["points"]]) for name, job in jobs.items()}
    worst = max(abs(error_of(lines[name], fourth)) for name, fourth in fourths.items())
    return _TEXT.format(
        cores=CORES,
        busy=f"{BUSY:.0%}",
        needed=_table(
            ["Job", *(f"{clients:,} clients" for clients in CLIENTS)],
            [[name, *(f"{executors(line, clients):,}" for clients in CLIENTS)] for name, line in lines.items()],
        ),
        largest=f"{max(fourth.clients for fourth in fourths.values()):,}",
        measured=_table(
            ["Job", "records of a client", "a batch", "1,000 clients more", "fourth size", "from the line"],
            [
                [
                    f"{name}, {', '.join(f'{clients:,}: {seconds:.2f}' for clients, seconds in job['points'])}",
                    f"{job['records_of_a_client']:.1f}",
                    f"{lines[name].batch:.2f}",
                    f"{lines[name].client * 1000:.2f}",
                    f"{fourths[name].clients:,}: {fourths[name].seconds:.2f}",
                    f"{error_of(lines[name], fourths[name]):+.1%}",
                ]
                for name, job in jobs.items()
            ],
        ),
        verdict=f"it is, {worst:.1%} at most" if worst <= ALLOWED else f"it is not, the worst is {worst:.0%} off",
        allowed=f"{ALLOWED:.0%}",
        spark=raw["spark"],
        load=f"{raw['load']:.1f}",
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows))


_TEXT = """\
# How many executors

What a job costs follows from how many clients there are and how much each says in a minute. Executors are too few where
`lag` of `kubectl get kaj` keeps growing.

## Executors

Each of {cores} cores (`spec.executors.cores: {cores}`), with a trigger of one minute. {busy} of their time is
work while the job keeps up; the rest catches up after a standstill, in as much time as that lasted.

{needed}

Above {largest} clients this is computed, not measured. With `instances: 0` the driver works alone.

## What was measured

CPU-seconds for a minute of a generated fleet, on one core, with the job's tables and what they held already. The line
goes through the first three sizes; the fourth is to be within {allowed} of it: {verdict}.

{measured}

## With another fleet

Traffic and LedgerAudit read a record for each client, request, topic and partition of a window: a client of forty
partitions says four times what one of ten says, and windows of ten seconds six times what those of a minute say. With b
for the CPU-seconds of a batch, c for those of a client, and r for the records of your clients by those measured:

```
cores = (b x 60 / trigger in seconds + c x clients x r) / 60 / 0.5
```

Spark {spark}; load average {load} before the start. Made by `make bench-spark JOBS=sizing`.
"""
