"""Programs that have interceptors injected: the folder is in PYTHONPATH, as the injector puts it there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from kwitness.sandbox.waiting import run_to_end

_SERVICE = Path(__file__).resolve().parents[2] / "services/interceptors-python"


def injected_folder(at: Path) -> Path:
    """Make the folder that lands at /kwitness/python."""
    shutil.copytree(_SERVICE / "src/kwitness_interceptors", at / "kwitness_interceptors")
    shutil.copy(_SERVICE / "startup/sitecustomize.py", at)
    return at


def run_program(
    program: str, *folders: Path, options: tuple[str, ...] = (), environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program with these folders in PYTHONPATH, in this order."""
    return run_to_end(
        [sys.executable, *options, "-c", program],
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("KWITNESS_")},
            "PYTHONPATH": os.pathsep.join(map(str, folders)),
            **(environment or {}),
        },
    )
