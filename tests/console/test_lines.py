"""Types the lines of drawers into a shell, with names that a shell would run."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from kwitness.console.pages import client, fleet, topic
from kwitness.console.pages import map as map_page
from kwitness.console.pages.lines import Line
from kwitness.console.rows.fleet import FleetView
from kwitness.console.rows.map import MapView

HOSTILE = "a$(touch run)`touch run`\\\"'!"
GROUPS = [{"group_id": HOSTILE, "went_back_ms": 1}]
LINES = {
    "client": client._lines(HOSTILE, GROUPS),
    "topic": topic._lines(HOSTILE, GROUPS),
    "fleet": fleet._lines(FleetView(owner=HOSTILE)),
    "map": map_page._graph_lines(MapView(client=HOSTILE)),
}


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_a_shell_runs_nothing_of_a_name(lines: Sequence[Line], tmp_path: Path) -> None:
    typed = [line.text for line in lines if line.text.startswith("kwitness")]
    program = 'kwitness() { printf "%s\\n" "$@"; }\n' + "\n".join(typed)

    shown = subprocess.run(["bash", "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True)

    assert shown.stderr == ""
    assert list(tmp_path.iterdir()) == []
    assert HOSTILE.replace("'", "''") in shown.stdout
