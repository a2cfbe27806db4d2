"""Programs that have interceptors injected: the folder is in PYTHONPATH, as the injector puts it there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from kwitness.sandbox.waiting import run_to_end

from tests.vectors import vectors

_SERVICE = Path(__file__).resolve().parents[2] / "services/interceptors-python"


def injected_folder(at: Path) -> Path:
    """Make the folder that lands at /kwitness/python."""
    shutil.copytree(_SERVICE / "src/kwitness_interceptors", at / "kwitness_interceptors")
    shutil.copy(_SERVICE / "startup/sitecustomize.py", at)
    return at


def run_program(
    program: str,
    *folders: Path,
    options: tuple[str, ...] = (),
    environment: dict[str, str] | None = None,
    python: Path | str = sys.executable,
) -> subprocess.CompletedProcess[str]:
    """Run a program with these folders in PYTHONPATH, in this order."""
    return run_to_end(
        [python, *options, "-c", program],
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("KWITNESS_")},
            "PYTHONPATH": os.pathsep.join(map(str, folders)),
            **(environment or {}),
        },
    )


def pod_environment(tmp_path: Path, url: str, ca_file: Path | None = None, **changes: Any) -> dict[str, str]:
    """Variables of a pod whose profile is this."""
    token = tmp_path / "token"
    token.write_text("secret-token\n")
    settings = vectors("interceptor_settings", "valid")[1]["settings"] | {
        "suspend": False,
        "window_ms": 1_000,
        "interceptors": [
            {"name": "audit", "type": "Audit"},
            {"name": "latency", "type": "Latency"},
            {"name": "sizes", "type": "Sizes"},
        ],
        "attributes": {"team": "shop"},
        "collector": {"url": url, "replicas": 1, "ca_file": ca_file and str(ca_file), "token_file": str(token)},
    }
    file = tmp_path / "interceptors.json"
    file.write_text(json.dumps(settings | changes))
    return {
        "KWITNESS_INTERCEPTORS": str(file),
        "KWITNESS_POD_NAMESPACE": "shop",
        "KWITNESS_POD_NAME": "orders-1",
        "KWITNESS_CONTAINER": "orders",
    }
