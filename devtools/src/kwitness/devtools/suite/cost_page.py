"""`python -m kwitness.devtools.suite.cost_page`: writes what tests cost, as the last run of `make test` measured it."""

from __future__ import annotations

import datetime as dt
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from kwitness.devtools.suite.cpu_log import RunCost, read_cpu_file
from kwitness.devtools.suite.figures import GroupCost
from kwitness.devtools.suite.run_folder import RunFolder
from kwitness.devtools.suite.steps import GROUPS
from kwitness.images.image_parts import REPOSITORY

__all__ = ["page"]

_PAGE: Final = REPOSITORY / "docs/dev/cost-of-tests.md"
_FILES, _FIXTURES = 60, 25
_HEADER: Final = """\
# Cost of the tests

CPU-seconds, user and system, of everything that the tests start: brokers, API servers, Spark, containers. A server that
several tests share is paid by the test beside which it runs. Work is CPU-seconds without builds, in units of a fixed
piece of work that is timed in the same run, so it compares between machines. `make test` measures it, and
`make cost-of-tests` writes this page.
"""


def page(summary: Mapping[str, Any], runs: Mapping[str, RunCost], measured: str) -> str:
    """Return the page.

    Parameters
    ----------
    summary
        What `RunFolder.write_summary` wrote.
    runs
        Costs by group.
    measured
        Commit, date and machine of the run.
    """
    costs = [GroupCost(**step) for step in summary["steps"]]
    reference_s = summary["reference_s"]
    steps = [
        f"| {cost.name} | {runs[cost.name].tests if cost.name in runs else ''} | {cost.seconds / 60:.1f} "
        f"| {cost.cpu_s:.0f} | {cost.build_s:.0f} | {cost.work(reference_s):.0f} |"
        for cost in costs
    ]
    total = f"| all | | | {sum(cost.cpu_s for cost in costs):.0f} | {sum(cost.build_s for cost in costs):.0f} | |"
    files = _largest({(group, file): cpu_s for group, run in runs.items() for file, cpu_s in run.by_file.items()})
    fixtures = _largest({(group, name): cpu_s for group, run in runs.items() for name, cpu_s in run.by_fixture.items()})
    file_rows = [
        f"| `{file}` | {group} | {cpu_s:.1f} | {runs[group].wall_by_file[file]:.0f} |"
        for (group, file), cpu_s in files[:_FILES]
    ]
    fixture_rows = [f"| `{name}` | {group} | {cpu_s:.1f} |" for (group, name), cpu_s in fixtures[:_FIXTURES]]
    rest = sum(cpu_s for _, cpu_s in files[_FILES:])
    return "\n".join([
        _HEADER,
        measured,
        "",
        "## Steps",
        "",
        "Some run side by side, so their minutes do not add up.",
        "",
        "| Step | Tests | Minutes | CPU-seconds | of builds | Work |",
        "|---|---|---|---|---|---|",
        *steps,
        total,
        "",
        "## Test files",
        "",
        f"The {len(file_rows)} dearest of {len(files)}, without shared fixtures; the others take {rest:.0f}.",
        "",
        "| File | Group | CPU-seconds | Seconds |",
        "|---|---|---|---|",
        *file_rows,
        "",
        "## Shared fixtures",
        "",
        "| Fixture | Group | CPU-seconds |",
        "|---|---|---|",
        *fixture_rows,
        "",
    ])  # fmt: skip


def _largest(costs: Mapping[tuple[str, str], float]) -> list[tuple[tuple[str, str], float]]:
    return sorted(costs.items(), key=lambda item: -item[1])


def main() -> None:
    """Write the page."""
    folder = RunFolder.last()
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.strip()
    when = dt.datetime.fromtimestamp((folder.path / "summary.json").stat().st_mtime, dt.UTC).date()
    measured = (
        f"Measured at commit `{commit}` on {when}; {os.cpu_count()} processors, Python {platform.python_version()}."
    )
    runs = {group.name: read_cpu_file(folder.cpu_log(group.name)) for group in GROUPS}
    _PAGE.write_text(page(folder.summary(), {name: run for name, run in runs.items() if run.tests}, measured))
    print(Path(_PAGE).relative_to(REPOSITORY))


if __name__ == "__main__":
    main()
